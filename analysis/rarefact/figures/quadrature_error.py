"""Draws certified and true relative error of quadratures against their nodes, from a sweep of run.nodes.

    rarefact plot quadrature_error results/quadrature_nodes.h5 -o figures/quadrature_error

The truth is the run with the most nodes; the true error is the largest relative difference from it, over the steps,
of the loss and of the error and loss of every class shown.
"""

import numpy as np

from . import style

ROUNDING = 1e-15
TOLERANCE = 1e-10  # the default of run.quadrature_tolerance


def parser():
    return style.parser(__doc__, default="quadrature_error")


def true_error(result, order):
    """run x optimizer: the largest relative difference from the last run of the order."""
    worst = 0
    for name in ("loss", "error", "class_loss"):
        values = result[name].values[order]
        difference = np.abs(values / values[-1:] - 1)
        worst = np.maximum(worst, difference.reshape(*difference.shape[:2], -1).max(axis=2))
    return worst


def draw(results, options):
    result = results[0]
    if "run.nodes" not in result.params:
        raise style.Missing(f"{result.path}: run.nodes is not swept")
    runs = style.chosen_runs(result, options.where)
    order = runs[np.argsort(result.params["run.nodes"][runs], kind="stable")]
    nodes = result.params["run.nodes"][order].astype(float)
    certified, true = result["quadrature_error"].values[order], true_error(result, order)
    figure, (axis,) = style.panels(options, 1, aspect=0.75)
    drawing = style.Drawing(figure, ["optimizer", "kind"], "nodes", "relative error")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    for place, (label, look) in enumerate(style.optimizer_looks(result).items()):
        # Infinite: nothing is certified.
        drawing.line(axis, nodes, certified[:, place], (label, "certified"), **look, label=f"{label}, certified")
        drawing.line(axis, nodes[:-1], np.maximum(true[:-1, place], ROUNDING), (label, "true"), **{**look, "linewidth": 0.7},
                     markerfacecolor="white", label=f"{label}, true")
    axis.axhline(TOLERANCE, color="0.5", linewidth=0.8)
    axis.annotate("default tolerance", (nodes[0], TOLERANCE), xytext=(0, 3), textcoords="offset points", color="0.35", fontsize=6.5)
    ticks = [each for each in (8, 16, 32, 64, 128, 192) if nodes[0] <= each <= nodes[-1]]
    axis.set_xticks(ticks, labels=[str(each) for each in ticks])
    axis.set_ylim(3e-16, 2)
    axis.set_xlabel("nodes")
    axis.set_ylabel("relative error")
    handles, labels = axis.get_legend_handles_labels()
    style.legend_below(figure, handles, labels)
    return drawing
