"""Draws how far an update pushes the right logit of a class, for a unit step, against the rank of the class.

    rarefact plot push results/newton_schulz_accuracy.h5 -o figures/push

Muon of theory, with the exact polar factor, pushes every class by 1; a few Newton-Schulz steps leave the tail behind. A panel for
each value of classes.exponent or of --panels; lines differ in the optimizer and in the other swept keys. Needs run.push = true.
"""

import numpy as np

from . import style


def parser():
    made = style.parser(__doc__, default="push")
    made.add_argument("--at", type=int, help="the recorded step whose update is shown; default: the first")
    made.add_argument("--optimizers", help="labels with commas between; default: all")
    made.add_argument("--panels", default="classes.exponent", help="swept key that makes the panels; default: classes.exponent")
    return made


def draw(results, options):
    result = results[0]
    if "push" not in result:
        raise style.Missing(f"{result.path}: no variable push; run with run.push = true")
    push, steps = result["push"].values, list(result.coords["step"])
    if options.at is not None and options.at not in steps:
        raise style.Missing(f"{result.path}: --at {options.at}: that step is not recorded; the first is {steps[0]}")
    step = steps.index(options.at) if options.at is not None else 0
    runs = style.chosen_runs(result, options.where)
    panel_key = options.panels if options.panels in style.varying(result, runs) else None
    titles = {run: style.case_text(result, run, [panel_key] if panel_key else []) for run in runs}
    others = style.varying(result, runs, given=[panel_key] if panel_key else [])
    counts = list(dict.fromkeys(titles.values()))
    labels = list(result.coords["optimizer"])
    shown = options.optimizers.split(",") if options.optimizers else labels
    for label in shown:
        if label not in labels:
            raise style.Missing(f"{result.path}: --optimizers {label}: there are {', '.join(labels)}")
    looks = {label: look for label, look in style.optimizer_looks(result).items() if label in shown}

    figure, axes = style.panels(options, len(counts), least=1.9, aspect=0.85, sharey=True)
    drawing = style.Drawing(figure, ["panel", "optimizer", "line"], "class rank", "push")
    for axis, title in zip(axes, counts):
        axis.set_xscale("log")
        axis.set_title(title)
        axis.set_xlabel("class rank")
        axis.axhline(1.0, color="0.5", linewidth=0.6)
        if axis.get_subplotspec().is_first_col():
            axis.set_ylabel("push, per unit step")
        inside = [run for run in runs if titles[run] == title]
        for label in looks:
            curves = {}
            for run in inside:  # exact Muon does not change with the number of Newton-Schulz steps: equal curves are drawn once
                there = result["class_count"].values[run] > 0
                values = push[run, labels.index(label), step, there]
                if np.isfinite(values).any():
                    curves.setdefault((values.round(9).tobytes(), there.sum()), (run, there, values))
            shades = np.linspace(0.35, 1.0, len(curves)) if len(curves) > 1 else [1.0]
            for shade, (run, there, values) in zip(shades, curves.values()):
                line = style.case_text(result, run, others) if len(curves) > 1 else ""
                rank = np.exp(result["class_log_rank"].values[run][there])
                drawing.line(axis, rank, values, (title, label, line), **looks[label], alpha=shade, markevery=7,
                             label=", ".join(filter(None, (label, line))))
    found = [axis.get_legend_handles_labels() for axis in axes]
    style.legend_below(figure, sum((handles for handles, _ in found), []), sum((labels for _, labels in found), []))
    return drawing
