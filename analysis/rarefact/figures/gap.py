"""Draws the gap Δ between best and worst class against the loss, as in figures 4b and 4c of wang2025.

    rarefact plot gap results/gap_one_step.h5 results/gap_many_steps.h5 -o figures/gap

There is a panel for each result and each kind of embeddings. A result with a single recorded step is drawn over its step sizes,
any other over its steps.
"""

import numpy as np

from . import drawing, layout, options, runs, style

NAMES = ["loss", "gap", "loss_predicted", "gap_predicted"]


def parser():
    return options.parser(__doc__, "gap", several=True)


def panels_of(result, options):
    """(title, cases) for each kind of embeddings: one case or, if only one step is recorded, those of all step sizes."""
    one_step = len(result.coords["step"]) <= 2
    key = "embedding.kind"
    chosen = runs.chosen_runs(result, options.where)
    found = {}
    for panel in runs.gathered(result, chosen, [key] if key in result.params else []):
        keys = runs.free_keys(result, panel.runs)
        if len(keys) > 1 or (keys and not one_step):
            runs.cases(result, options, given=[key] if key in result.params else [])
        kind = (runs.experiment_value(result, panel.runs[0], key)
                or runs.experiment_value(result, panel.runs[0], "embedding.query.kind") or "")
        found[kind] = runs.gathered(result, panel.runs, keys)
    return found


def curves(result, cases, place):
    """Loss, gap, their predictions and the digits of the gap, seed x point."""
    values = [runs.predicted(result, name) for name in NAMES]
    values.append(runs.digits_of(result, "gap"))
    if len(result.coords["step"]) > 2:
        return [each[cases[0].runs, place] for each in values]
    seeds = min(len(case.runs) for case in cases)
    ends = [np.stack([each[case.runs[:seeds], place, -1] for case in cases], axis=1) for each in values]
    order = np.argsort(-ends[0].mean(axis=0), kind="stable")
    # Every curve starts at W = 0 with loss ln K and gap 0, if step 0 is recorded.
    start = 1 if result.coords["step"][0] == 0 else 0
    return [np.concatenate([each[cases[0].runs[:seeds], place, :start], end[:, order]], axis=1) for each, end in zip(values, ends)]


def draw(results, options):
    panels = [(result, title, cases) for result in results for title, cases in panels_of(result, options).items()]
    figure, axes = layout.panels(options, len(panels), least=1.5, aspect=0.72 if (options.width or 9) > 4 else 0.95, sharey=True)
    made = drawing.Drawing(figure, ["result", "embeddings", "optimizer", "kind"], "loss [nat]", "gap", options)
    for axis, (result, name, cases) in zip(axes, panels):
        steps, top = result.coords["step"], 0
        for place, (label, look) in enumerate(style.optimizer_looks(result).items()):
            loss, gap, predicted_loss, predicted_gap, digits = curves(result, cases, place)
            names = (result.title, name, label)
            top = max(top, np.nanmax(loss))
            made.line(axis, loss, gap, (*names, "measured"), digits=digits, **look, label=label, markevery=9)
            made.line(axis, predicted_loss, predicted_gap, (*names, "predicted"), **style.PREDICTED, markevery=[], label="predicted")
        layout.title(axis, f"{name}, {'one step' if len(steps) <= 2 else f'{steps[-1]} steps'}")
        axis.set_xlabel("loss L [nat]")
        axis.set_xlim(top * 1.03, -0.03 * top)  # so that training proceeds from left to right
        axis.set_ylim(-0.04, 1.04)
        if layout.first_in_row(axis):
            layout.upright(axis, "gap Δ of p̂(right)")
    layout.legend(figure)
    return made
