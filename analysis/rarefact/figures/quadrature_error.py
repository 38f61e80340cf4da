"""Draws certified and true relative error of quadratures against their nodes, from a sweep of run.nodes.

    rarefact plot quadrature_error results/quadrature_nodes.h5 -o figures/quadrature_error

The truth is the run with the most nodes; the true error is the largest relative difference from it, over the steps,
of the loss and of the error and loss of every class shown.
"""

import numpy as np

from . import drawing, layout, options, runs, style

ROUNDING = 1e-15
TOLERANCE = 1e-10  # the default of run.quadrature_tolerance


def parser():
    return options.parser(__doc__, "quadrature_error", seeds=False)


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
    runs.require_swept(result, "run.nodes", "the axis")
    (case,) = runs.cases(result, options, given=["run.nodes"])
    order = case.runs[np.argsort(result.params["run.nodes"][case.runs], kind="stable")]
    nodes = result.params["run.nodes"][order].astype(float)
    certified, true = result["quadrature_error"].values[order], true_error(result, order)
    figure, (axis,) = layout.panels(options, 1, aspect=0.75)
    made = drawing.Drawing(figure, ["optimizer", "kind"], "nodes", "relative error")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    for place, (label, look) in enumerate(style.optimizer_looks(result).items()):
        # Infinite: nothing is certified.
        made.line(axis, nodes, certified[:, place], (label, "certified"), **look, label=f"{label}, certified")
        made.line(axis, nodes[:-1], np.maximum(true[:-1, place], ROUNDING), (label, "true"), **{**look, "linewidth": 0.7},
                     markerfacecolor="white", label=f"{label}, true")
    axis.axhline(TOLERANCE, color="0.5", linewidth=0.8)
    axis.annotate("default tolerance", (nodes[0], TOLERANCE), xytext=(0, 3), textcoords="offset points", color="0.35", fontsize=6.5)
    ticks = [each for each in (8, 16, 32, 64, 128, 192) if nodes[0] <= each <= nodes[-1]]
    axis.set_xticks(ticks, labels=[str(each) for each in ticks])
    axis.set_ylim(3e-16, 2)
    axis.set_xlabel("nodes")
    axis.set_ylabel("relative error")
    layout.legend(figure)
    return made
