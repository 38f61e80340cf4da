"""Draws the error of the class groups against step, from head (dark) to tail (light), one panel for each optimizer.

    rarefact plot class_errors results/kjv_words.h5 -o figures/kjv_words

Markers are measured, dashed lines predicted; where there is no prediction a thin line joins the markers.
"""

import numpy as np

from . import style


def parser():
    made = style.parser(__doc__, default="class_errors")
    made.add_argument("--curves", type=int, default=6, help="class groups drawn, evenly spread in log rank; default: 6")
    made.add_argument("--floor", type=float, default=1e-8, help="least error on the axis; default: 1e-8")
    return made


def representative(rank, most):
    """Indices of at most `most` groups, evenly spread in the log of the rank, head and tail included."""
    wanted = np.geomspace(rank[0], rank[-1], min(max(most, 1), len(rank)))
    return sorted({int(np.argmin(np.abs(np.log(rank / target)))) for target in wanted})


def draw(results, options):
    result = results[0]
    run = style.one_run(result, options)
    error = result["error"].select(run=run).values
    predicted = result["error_predicted"].select(run=run).values if "error_predicted" in result else np.full_like(error, np.nan)
    rank = np.exp(result["class_log_rank"].values[run][result["class_count"].values[run] > 0])
    steps = result.coords["step"][: 1 + max(np.flatnonzero(np.isfinite(error).any(axis=(0, 2))), default=0)]
    error, predicted = error[:, :len(steps)], predicted[:, :len(steps)]
    left = style.digits_of(result, "error")[run, :, :len(steps)]
    groups = representative(rank, options.curves)
    looks = style.ranks_looks(groups)
    labels = list(result.coords["optimizer"])
    if len(steps) < 3:
        raise style.Missing(f"{result.path}: {len(steps)} steps with numbers are too few for a curve; record more (run.record)")

    figure, axes = style.panels(options, len(labels), least=1.3, aspect=1.15, sharex=True, sharey=True)
    drawing = style.Drawing(figure, ["optimizer", "class rank", "kind"], "step", "error")
    for place, (axis, label) in enumerate(zip(axes, labels)):
        axis.set_yscale("log")
        axis.set_ylim(max(options.floor, np.nanmin(error[error > 0]) / 2), 2)
        style.step_axis(axis, steps)
        for group in groups:
            exists = np.isfinite(predicted[place, :, group]).any()
            names = (label, f"{rank[group]:.6g}")
            drawing.line(axis, steps, error[place, :, group], (*names, "measured"), digits=left[place], **looks[group], zorder=2, markevery=12,
                         linestyle="none" if exists else "-", linewidth=0.7, label=style.number(np.floor(rank[group] + 1e-6), 6))
            drawing.line(axis, steps, predicted[place, :, group], (*names, "predicted"), color=looks[group]["color"],
                         linestyle=(0, (4, 1.5)), linewidth=1.0, zorder=1)
        axis.set_title(label)
        if place + axis.get_subplotspec().get_gridspec().ncols < len(axes):  # there is one below
            axis.set_xlabel("")
        if axis.get_subplotspec().is_first_col():
            axis.set_ylabel("error, 1 − p̂(right)")
    axes[-1].plot([], [], color="black", linestyle=(0, (4, 1.5)), linewidth=1.0, label="predicted")
    handles, names = axes[0].get_legend_handles_labels()
    more, texts = axes[-1].get_legend_handles_labels()
    style.legend_below(figure, handles + more, names + texts, title="class rank")
    return drawing
