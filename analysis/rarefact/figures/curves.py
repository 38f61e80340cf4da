"""Draws any variable against step or a swept key, one curve for each optimizer; predictions dashed in black.

    rarefact plot curves results/starter.h5 --value error --value gap -o figures/tail
    rarefact plot curves results/largest_gap.h5 --value gap --over max --against classes.exponent

With --fit titles have fitted slopes, such as those of scaling laws: --value excess_loss --against run.steps. There is a panel for
each --value and for each of up to six values of swept keys. Runs that differ only in the seed share a curve. Against a key the
values at the last step are drawn, or those that --at, --over or --below choose.
"""

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "curves")
    made.add_argument("--value", action="append", metavar="NAME", help="a variable, may be repeated; default: error or, for least squares, coefficient")
    made.add_argument("--against", metavar="KEY", help="a swept key; default: the step")
    made.add_argument("--fit", action="store_true", help="show fitted slopes of the logarithms, measured and predicted")
    options.moment_options(made)
    options.class_option(made)
    made.add_argument("--floor", type=float, default=1e-10, help="least number on a logarithmic axis; default: 1e-10")
    return made


def draw(results, options):
    if not options.against and (options.at or options.over or options.below is not None):
        raise runs.Missing("--at, --over and --below: they are for --against KEY")
    values = list(dict.fromkeys(options.value or [runs.of_classes(results[0])]))
    given = [options.against] if options.against else []
    for key in given:
        runs.require_swept(results[0], key, f"--against {key}")
        if isinstance(results[0].params[key][0], str):
            raise runs.Missing(f"{results[0].path}: {key} has texts as values and cannot be a numeric axis; use a heat map")
    keys, cases = runs.cases(results[0], options, max(6 // len(values), 1), given)
    return draw_cases(results[0], options, keys, cases, values, options.against)


def slope(courses):
    """The least-squares slope of ln y against ln x over the upper half of ln x, as text."""
    x, y = courses[0].x, np.mean([course.y for course in courses], axis=0)
    shown = np.isfinite(y) & (y > 0) & (x > 0)
    x, y = np.log(x[shown]), np.log(y[shown])
    upper = x >= (x[:1] + x[-1:]) / 2
    return f"{np.polyfit(x[upper], y[upper], 1)[0]:.3f}".replace("-", "−") if upper.sum() > 1 else "–"


def draw_cases(result, options, keys, cases, values, key=None):
    """A panel for each case and variable, against a swept key or the step."""
    panels = [(case, name) for case in cases for name in values]
    figure, axes = layout.panels(options, len(panels), least=2.0, aspect=0.7, most=len(values) if len(values) > 1 else None,
                                 sharey=len(values) == 1)
    made, looks = drawing.Drawing(figure, ["case", "quantity", "optimizer", "kind"], key or "step", "value"), runs.looks(result, options.where)
    chosen = runs.moment(options, options.below) if key else {}
    found = {name: runs.courses(result, runs.with_prediction(result, name), keys, key or "step", options, class_=options.group, **chosen)
             for name in values}
    left = {name: {} if key or not known else runs.courses(result, [known], keys, "step", options)
            for name in values for known in [runs.digits_of(result, name)]}
    for axis, (case, name) in zip(axes, panels):
        courses = {label: found[name][*case.place, label] for label in looks}
        shown = np.concatenate([course.y[np.isfinite(course.y)] for variables in found[name].values() for course in variables[0]])
        if not len(shown):
            raise runs.Missing(f"{result.path}: {name} has no finite number here")
        fitted, predicted, x = [], [], next(iter(courses.values()))[0][0].x
        if key:
            layout.across(axis, style.key_text(key))
            if x.min() > 0 and x.max() > 100 * x.min():
                layout.logarithmic(axis, "x")
        else:
            runs.require_steps(result, x)
            layout.step_axis(axis, x)
        if shown.min() >= 0 and shown.min() < 0.05 * shown.max() and name != "gap":
            layout.logarithmic(axis, "y")
        for label, look in looks.items():
            names, (measured, *said) = (case.title, name, label), courses[label]
            if getattr(options, "fit", False):
                fitted.append(f"{label} {slope(measured)}")
                predicted.append(slope(said[0]) if said else "–")
            digits = left[name].get((*case.place, label), [None])[0]
            made.line(axis, measured, (*names, "measured"), digits=digits, **look, markevery=10, label=label)
            if said:
                made.line(axis, said[0], (*names, "predicted"), **style.PREDICTED, markevery=[], label="predicted")
        if axis.get_yscale() == "log":
            axis.set_ylim(max(shown[shown > 0].min() / 2, options.floor), 2 * shown.max())
        elif shown.min() >= 0:
            axis.set_ylim(-0.04 * (shown.max() or 1), 1.06 * (shown.max() or 1))
        if len(values) > 1 or layout.first_in_row(axis):
            layout.upright(axis, runs.moment_text(result, name, options, options.below))
        slopes = [f"slope {', '.join(fitted)}", f"predicted {', '.join(predicted)}"] if fitted else []
        layout.title(axis, "\n".join([case.title, *slopes]))
    layout.legend(figure)
    return made
