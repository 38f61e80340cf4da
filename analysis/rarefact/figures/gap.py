"""Draws the gap Δ between best and worst class against the loss, as in figures 4b and 4c of wang2025.

    rarefact plot gap results/gap_one_step.h5 results/gap_many_steps.h5 -o figures/gap

There is a panel for each result and each kind of embeddings. A result with a single recorded step is drawn over its step sizes,
any other over its steps.
"""

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    return options.parser(__doc__, "gap", several=True)


def panels_of(result, options):
    """(title, optimizer -> curves) for each kind of embeddings: gap over loss, its prediction and its digits. A curve shows a case or,
    if only one step is recorded, the last points of all step sizes."""
    if "gap" not in result:
        raise runs.Missing(f"{result.path}: has no gap; only runs of the softmax have one")
    chosen, names = runs.chosen_runs(result, options.where), ["loss", "gap", "loss_predicted", "gap_predicted", runs.digits_of(result, "gap")]
    kind = ["embedding.kind"] if "embedding.kind" in result.params else []
    keys = [*kind, *runs.free_keys(result, chosen, kind)]
    panels = [(panel, runs.gathered(result, panel.runs, keys)) for panel in runs.gathered(result, chosen, kind)]
    if any(len(cases) > 1 for _, cases in panels) and (len(keys) > 1 + len(kind) or len(result.coords["step"]) > 2):
        runs.cases(result, options, given=kind)
    names = [name for name in names if name and name in result]
    found = runs.courses(result, names, keys, "step", options)
    for panel, cases in panels:
        title = (runs.experiment_value(result, panel.runs[0], "embedding.kind")
                 or runs.experiment_value(result, panel.runs[0], "embedding.query.kind") or "")
        yield title, {label: [curve(names, [found[*case.place, label] for case in cases], x, y)
                              for x, y in (("loss", "gap"), ("loss_predicted", "gap_predicted"), ("loss", runs.digits_of(result, "gap")))]
                      for label in runs.labels(result, options.where)}


def curve(names, cases, x, y):
    """The courses of y over x for each seed, by decreasing x: all of the first case, the last point of others. None if x or y is missing."""
    if x not in names or y not in names:
        return None
    made, (x, y) = [], map(names.index, (x, y))
    for seeds in zip(*(zip(courses[x], courses[y]) for courses in cases)):
        ends = sorted(seeds, key=lambda pair: -pair[0].y[-1])
        parts = [slice(None), *[slice(-1, None)] * (len(ends) - 1)]
        made.append(runs.Course(*(np.concatenate([values[part] for values, part in zip(numbers, parts)])
                                  for numbers in zip(*((a.y, b.y, b.half) for a, b in ends))), ends[0][1].count))
    return made


def draw(results, options):
    panels = [(result, title, cases) for result in results for title, cases in panels_of(result, options)]
    figure, axes = layout.panels(options, len(panels), least=1.3, aspect=0.72 if (options.width or 9) > 4 else 0.95,
                                 most=-(-len(panels) // len(results)), sharey=True)
    made = drawing.Drawing(figure, ["result", "embeddings", "optimizer", "kind"], "loss [nat]", "gap")
    for axis, (result, name, cases) in zip(axes, panels):
        steps, top, shown_as = result.coords["step"], 0, runs.names(result, options)
        looks = runs.looks(result, options.where)
        for order, (label, look) in enumerate(looks.items()):
            measured, predicted, digits = cases[label]
            top = max(top, *(np.nanmax(course.x) for course in measured))
            made.line(axis, measured, (result.title, name, label, "measured"), digits=digits, **look, label=shown_as[label], markevery=9, phase=order / len(looks))
            if predicted:
                made.line(axis, predicted, (result.title, name, label, "predicted"), **style.PREDICTED, markevery=[], label="predicted")
        title = [style.fixed_text("embedding.kind", name)] if name else []
        layout.title(axis, ", ".join([*title, "one\u00a0step" if len(steps) <= 2 else f"{steps[-1]}\u00a0steps"]))
        layout.across(axis, "← loss L [nat]")
        axis.set_xlim(top * 1.03, -0.03 * top)  # so that training proceeds from left to right
        axis.set_ylim(-0.04, 1.04)
        if layout.first_in_row(axis):
            layout.upright(axis, "gap Δ of p̂(right)")
    layout.legend(figure)
    return made
