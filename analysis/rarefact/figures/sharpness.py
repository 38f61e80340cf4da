"""Draws the normalised directional sharpness of the rules' updates over that of Muon's, where both have the same loss.

    rarefact plot sharpness results/paper/sharpness.h5 -o figures/sharpness

A panel for each kind of embeddings and each rule, a curve for each value of what else is swept; learning goes from left to right. Losses
are parts of the loss at W = 0, ln K. ln nds is linear in the loss between recorded steps. Needs run.curvature = true.
"""

import numpy as np

from . import drawing, layout, options, runs, style

MOST = 6  # curves of a panel
SHARES = np.linspace(98, 5, 32) / 100


def parser():
    made = options.parser(__doc__, "sharpness")
    made.add_argument("--over", metavar="OPTIMIZER", help="the optimizer that the others are compared with; default: the first of rule muon")
    return made


def divisor(result, wanted):
    """The place of the optimizer that the others are compared with."""
    labels = list(result.coords["optimizer"])
    if wanted and wanted not in labels:
        raise runs.Missing(f"--over {wanted}: there is no such optimizer{runs.nearest(wanted, labels)}; there are {', '.join(labels)}")
    found = [wanted] if wanted else [label for label in labels if style.rule_of(result, label) == "muon"]
    if not found or len(labels) < 2:
        raise runs.Missing(f"{result.path}: expected an optimizer of rule muon, or one that --over names, and another one")
    return labels.index(found[0])


def at_losses(loss, nds, wanted):
    """nds where the loss first comes down to each of the wanted ones; NaN where it does not."""
    found = np.full(len(wanted), np.nan)
    for place, one in enumerate(wanted):
        at = int(np.argmax(loss <= one))
        if at > 0:
            part = (loss[at - 1] - one) / (loss[at - 1] - loss[at])
            found[place] = np.exp((1 - part) * np.log(nds[at - 1]) + part * np.log(nds[at]))
    return found


def draw(results, options):
    result = results[0]
    if "nds" not in result:
        raise runs.Missing(f"{result.path}: no variable nds; run with run.curvature = true")
    runs.require_steps(result, result.coords["step"])
    if result.coords["step"][0] != 0:
        raise runs.Missing(f"{result.path}: step 0 is not recorded, whose loss is the unit")
    over, labels = divisor(result, options.over), list(result.coords["optimizer"])
    loss, nds = result["loss"].values, result["nds"].values
    kinds = ["embedding.kind"] if "embedding.kind" in result.params else []
    panels = [(part.runs, place) for part in runs.gathered(result, runs.chosen_runs(result, options.where), kinds)
              for place in range(len(labels)) if place != over]
    if any(len(runs.gathered(result, chosen, runs.free_keys(result, chosen))) > MOST for chosen, _ in panels):
        runs.cases(result, options, most=MOST, given=kinds)

    figure, axes = layout.panels(options, len(panels), least=1.5, aspect=0.8, sharey=True)
    made = drawing.Drawing(figure, ["embeddings", "optimizer", "case"], "loss over loss at W = 0", f"nds over nds of {labels[over]}", options)
    for axis, (chosen, place) in zip(axes, panels):
        kind = runs.embedding_kind(result, chosen[0])
        cases = runs.gathered(result, chosen, runs.free_keys(result, chosen))
        for at, look in zip(range(len(cases)), style.ranks_looks(range(len(cases))).values()):
            ratio = [np.divide(*(at_losses(loss[run, one], nds[run, one], SHARES * loss[run, one, 0]) for one in (place, over)))
                     for run in cases[at].runs]
            made.line(axis, SHARES, np.array(ratio), (kind, labels[place], cases[at].title), **look, linestyle="-", markevery=8,
                      label=cases[at].title or None)
        axis.axhline(1, color="0.6", linewidth=0.8, zorder=0)
        axis.set_yscale("log")
        axis.set_xlim(1.0, 0.0)
        axis.set_xlabel("loss/ln K")
        layout.title(axis, f"{labels[place]}, {kind}")
        if layout.first_in_row(axis):
            layout.upright(axis, f"sharpness over that of {labels[over]}")
    layout.legend(figure, axes)
    return made
