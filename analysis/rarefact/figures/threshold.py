"""Draws the first step at which a class has an error below a threshold, against the rank of the class.

    rarefact plot threshold results/kjv_words.h5 --below 0.1 -o figures/threshold

Classes that are not learned by the last step stand on the line at the top, marked by a cross.
"""

import numpy as np

from . import style


def parser():
    made = style.parser(__doc__, default="threshold")
    made.add_argument("--below", type=float, default=0.1, help="the threshold of the error; default: 0.1")
    return made


def first_steps(error, steps, below):
    """class_group -> the first recorded step with an error below the threshold; NaN if there is none."""
    reached = error < below
    return np.where(reached.any(axis=0), steps[np.argmax(reached, axis=0)].astype(float), np.nan)


def draw(results, options):
    result = results[0]
    run = style.one_run(result, options)
    there = result["class_count"].values[run] > 0
    rank = np.exp(result["class_log_rank"].values[run][there])
    error = result["error"].select(run=run).values[..., there]
    steps, looks = result.coords["step"], style.optimizer_looks(result)
    if len(rank) < 3 or len(steps) < 3:
        raise style.Missing(f"{result.path}: needs three steps and three class groups; there are {len(steps)} and {len(rank)}")
    first = {label: first_steps(error[place], steps, options.below) for place, label in enumerate(looks)}
    if all(np.isnan(values).all() for values in first.values()):
        raise style.Missing(f"{result.path}: no class has an error below {options.below:g}")
    figure, (axis,) = style.panels(options, 1, aspect=0.75)
    drawing = style.Drawing(figure, ["optimizer", "kind"], "class rank", f"first step with error < {options.below:g}")
    axis.set_xscale("log")
    axis.set_yscale("log")
    never = steps[-1] * 1.5
    for label, look in looks.items():
        drawing.line(axis, rank, first[label], (label, "reached"), **look, markevery=8, label=label)
    for label, look in looks.items():
        missing = np.isnan(first[label])
        if missing.any():
            drawing.line(axis, rank[missing], np.full(missing.sum(), never), (label, "not reached"), color=look["color"], marker="x",
                         linestyle="none", markevery=12)
    if any(np.isnan(values).any() for values in first.values()):
        axis.axhline(steps[-1], color="0.5", linewidth=0.6)
        axis.annotate("not reached", (0.02, never), xycoords=("axes fraction", "data"), va="center", color="0.35", fontsize=6.5)
        axis.set_ylim(top=never * 1.6)
    axis.set_xlabel("class rank")
    axis.set_ylabel(f"first step with error < {options.below:g}")
    handles, labels = axis.get_legend_handles_labels()
    style.legend_below(figure, handles, labels)
    return drawing
