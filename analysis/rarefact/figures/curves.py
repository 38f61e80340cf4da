"""Draws any variable against step, one curve for each optimizer; predictions dashed in black.

    rarefact plot curves results/starter.h5 --value error --value gap -o figures/tail

A panel for each --value and for each of up to six values of swept keys. Runs that differ in the seed alone share a curve.
"""

import numpy as np

from . import drawing, layout, options, runs, style

LABELS = {"loss": "loss L", "excess_loss": "excess loss L − L*", "error": "error, 1 − p̂(right)", "gap": "gap Δ of p̂(right)"}


def parser():
    made = options.parser(__doc__, "curves")
    made.add_argument("--value", action="append", metavar="NAME", help="a variable, any number of times; default: error or, of least squares, coefficient")
    options.class_option(made)
    made.add_argument("--floor", type=float, default=1e-10, help="least number on a logarithmic axis; default: 1e-10")
    return made


def draw(results, options):
    values = list(dict.fromkeys(options.value or [runs.of_classes(results[0])]))
    return draw_cases(results[0], options, runs.cases(results[0], options, most=max(6 // len(values), 1)), values)


def draw_cases(result, options, cases, values):
    """A panel for each case and variable; `options` may have a group, the class of variables over classes."""
    steps, looks = result.coords["step"], style.optimizer_looks(result)
    runs.require_steps(result, steps)
    group = getattr(options, "group", "tail")
    panels = [(case, name) for case in cases for name in values]
    figure, axes = layout.panels(options, len(panels), least=2.0, aspect=0.7, most=len(values) if len(values) > 1 else None,
                                 sharey=len(values) == 1)
    made = drawing.Drawing(figure, ["case", "quantity", "optimizer", "kind"], "step", "value", options)
    for axis, (case, name) in zip(axes, panels):
        numbers, digits = runs.of_class(result, name, group)[case.runs], runs.digits_of(result, name)[case.runs]
        predicted = f"{name}_predicted"
        said = runs.of_class(result, predicted, group)[case.runs] if predicted in result else np.full_like(numbers, np.nan)
        shown = numbers[np.isfinite(numbers)]
        if not len(shown):
            raise runs.Missing(f"{result.path}: {name} has no finite number here")
        layout.step_axis(axis, steps)
        log = shown.min() >= 0 and shown.min() < 0.05 * shown.max() and name != "gap"
        axis.set_yscale("log" if log else "linear")
        for place, (label, look) in enumerate(looks.items()):
            made.line(axis, steps, numbers[:, place], (case.title, name, label, "measured"), digits=digits[:, place], **look, markevery=10,
                      label=label)
            made.line(axis, steps, said[:, place], (case.title, name, label, "predicted"), **style.PREDICTED, markevery=[],
                      label="predicted")
        if log:
            axis.set_ylim(max(axis.get_ylim()[0], options.floor), 2 * shown.max())
        elif shown.min() >= 0:
            axis.set_ylim(bottom=0)
        units = result[name].units
        if len(values) > 1 or layout.first_in_row(axis):
            layout.upright(axis, LABELS.get(name, result[name].long_name) + (f" [{units}]" if units not in ("", "1") else "")
                           + runs.of_class_text(result, name, group))
        if case.title:
            layout.title(axis, case.title)
    layout.legend(figure)
    return made
