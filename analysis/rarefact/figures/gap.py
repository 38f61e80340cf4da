"""Draws the gap Δ between best and worst class against the loss, as in figures 4b and 4c of wang2025.

    rarefact plot gap results/paper/gap_one_step.h5 results/paper/gap_many_steps.h5 -o figures/gap

A row of panels for each result, a panel for each kind of embeddings. A result that records no more than the first step is
drawn over its runs (step sizes), any other over its steps.
"""

import numpy as np

from . import style

KINDS = {"identity": "identity (decoupled)", "orthogonal": "orthogonal", "block_rotation": "rotated blocks (coupled)"}


def parser():
    return style.parser(__doc__, several=True, default="gap")


def panels_of(result, options):
    """Title -> runs: one panel for each kind of embeddings, or one for all runs."""
    runs = style.chosen_runs(result, options.where)
    kinds = result.params.get("embedding.kind")
    if kinds is None:
        kind = style.embedding_kind(result, runs[0])
        return {KINDS.get(kind, kind): runs}
    return {KINDS.get(kind, kind): runs[kinds[runs] == kind] for kind in dict.fromkeys(kinds[runs])}


def curves(result, runs):
    """(optimizer, loss, gap, predicted loss, predicted gap, digits of gap) of every curve of a panel."""
    names = ["loss", "gap", "loss_predicted", "gap_predicted"]
    values = [result[name].values[runs] if name in result else np.full_like(result["loss"].values[runs], np.nan) for name in names]
    values.append(style.digits_of(result, "gap")[runs])
    one_step = len(result.coords["step"]) <= 2
    for place, label in enumerate(result.coords["optimizer"]):
        if one_step:
            order = np.argsort(-values[0][:, place, -1], kind="stable")
            # From W = 0 every curve starts at ln K and no gap, where step 0 is recorded.
            start = slice(0, 1 if result.coords["step"][0] == 0 else 0)
            yield label, *(np.concatenate([each[start, place, 0], each[order, place, -1]]) for each in values)
        else:
            for run in range(len(runs)):
                yield label, *(each[run, place] for each in values)


def draw(results, options):
    rows = [(result, panels_of(result, options)) for result in results]
    count = max(len(panels) for _, panels in rows)
    figure, axes = style.panels(options, count * len(rows), rows=len(rows), aspect=0.72, sharey=True)
    drawing = style.Drawing(figure, ["result", "embeddings", "optimizer", "kind"], "loss [nat]", "gap")
    for row, (result, panels) in enumerate(rows):
        looks = style.optimizer_looks(result)
        several = "one step" if len(result.coords["step"]) <= 2 else f"{result.coords['step'][-1]} steps"
        for column in range(count):
            axis = axes[row * count + column]
            if column >= len(panels):
                axis.remove()
                continue
            title, runs = list(panels.items())[column]
            top = 0
            for label, loss, gap, predicted_loss, predicted_gap, digits in curves(result, runs):
                names = (result.title, title, label)
                top = max(top, np.nanmax(loss))
                drawing.line(axis, loss, gap, (*names, "measured"), digits=digits, **looks[label], label=label,
                             markevery=thinned(loss))
                drawing.line(axis, predicted_loss, predicted_gap, (*names, "predicted"), **style.PREDICTED, label="predicted")
            axis.set_title(f"{title}, {several}")
            axis.set_xlabel("loss L [nat]")
            axis.set_ylim(-0.04, 1.04)
            axis.set_xlim(top * 1.03, -0.03 * top)  # learning goes from left to right
            if column == 0:
                axis.set_ylabel("gap Δ of p̂(right)")
    found = [axis.get_legend_handles_labels() for axis in figure.axes]
    style.legend_below(figure, sum((handles for handles, _ in found), []), sum((labels for _, labels in found), []))
    return drawing


def thinned(loss):
    """Indices of markers, evenly spread over the loss."""
    shown = loss[np.isfinite(loss)]
    return style.spread(shown, 9, False) if len(shown) else []
