"""Draws any variable against step or a swept key, one curve for each optimizer; predictions dashed in black.

    rarefact plot curves results/starter.h5 --value error --value gap -o figures/tail
    rarefact plot curves results/largest_gap.h5 --value gap --over max --against classes.exponent

With --fit titles have least-squares slopes of ln y against ln x with 95 % intervals (Student), as `slope` has in claims, over the
plotted points: --value excess_loss --against run.steps. The CSV has them and their range, too. There is a panel for each --value
and for each of up to six values of swept keys. Runs that differ only in the seed share a curve. Against a key the
values at the last step are drawn, or those that --at, --over or --below choose.
"""

import numpy as np

from . import drawing, fits, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "curves")
    made.add_argument("--value", action="append", metavar="NAME", help="a variable or an expression as in claims, may be repeated; default: error or, for least squares, coefficient")
    made.add_argument("--against", metavar="KEY", help="a swept key; default: the step")
    made.add_argument("--x", metavar="EXPRESSION", help="what the axis of --against shows instead of the key: a number of each run, such as K")
    made.add_argument("--fit", action="store_true", help="show fitted slopes of the logarithms, measured and predicted")
    made.add_argument("--fit-from", type=float, metavar="X", help="the same, fitted only to points from this x on; default: all plotted points")
    options.moment_options(made)
    options.class_option(made)
    made.add_argument("--floor", type=float, default=1e-10, help="least number on a logarithmic axis; default: 1e-10")
    return made


def draw(results, options):
    if not options.against and (options.x or options.at or options.over or options.below is not None):
        raise runs.Missing("--x, --at, --over and --below: they are for --against KEY")
    values = list(dict.fromkeys(options.value or [runs.of_classes(results[0])]))
    given = [options.against] if options.against else []
    for key in given:
        runs.require_swept(results[0], key, f"--against {key}")
        if not options.x and isinstance(results[0].params[key][0], str):
            raise runs.Missing(f"{results[0].path}: {key} has texts as values and cannot be a numeric axis; use --x or a heat map")
    keys, cases = runs.cases(results[0], options, max(6 // len(values), 1), given)
    return draw_cases(results[0], options, keys, cases, values, options.against)


def fit(courses, digits, least, start):
    """The Fit of the plotted points of a curve above `least` from x = `start` on, without those drawn grey."""
    x, y = courses[0].x, np.mean([course.y for course in courses], axis=0)
    shown = np.isfinite(y) & (y > 0) & (y >= least) & (x > 0) & (x >= start)
    if digits is not None:
        shown &= np.logical_and.accumulate(~(np.min([course.y for course in digits], axis=0) < drawing.LEAST_DIGITS))
    return fits.fit_power(x[shown], y[shown])


def fits_text(found, shown_as):
    """The lines of a title: over which points slopes are fitted, and for each optimizer the measured slope and (the predicted one)."""
    over = {one[3:]: f"{style.number(one.start)}–{style.number(one.end)}, n = {one.points}" for one in found.values() if one.points}
    lines = ["slope (predicted)" if any(kind == "predicted" for _, kind in found) else "slope"]
    for (label, kind), one in found.items():
        points = f", {over[one[3:]]}" if one.points and len(over) > 1 else ""
        if kind == "measured":
            lines.append(f"{shown_as[label]} {one.text()}{points}")
        else:
            lines[-1] += f" ({one.text().partition(' ')[0]}{points})"
    return [f"{lines[0]}, {next(iter(over.values()))}" if len(over) == 1 else lines[0], *lines[1:]]


def draw_cases(result, options, keys, cases, values, key=None):
    """A panel for each case and variable, against a swept key or the step."""
    start, shown_x = getattr(options, "fit_from", None), getattr(options, "x", None)
    fitting = start is not None or getattr(options, "fit", False)
    panels = [(case, name) for case in cases for name in values]
    figure, axes = layout.panels(options, len(panels), least=2.0, aspect=0.9 if fitting else 0.7, most=len(values) if len(values) > 1 else None,
                                 sharey=len(values) == 1)
    columns = ["slope", "slope_low", "slope_high", "fit_from", "fit_to", "fit_points"] if fitting else []
    made = drawing.Drawing(figure, ["case", "quantity", "optimizer", "kind", *columns], shown_x or key or "step", "value")
    looks, shown_as = runs.looks(result, options.where), runs.names(result, options)
    chosen = runs.moment(options, options.below) if key else {}
    found = {name: runs.courses(result, runs.with_prediction(result, name), keys, key or "step", options, shown_x, class_=options.group, **chosen)
             for name in values}
    left = {name: {} if key or not known else runs.courses(result, [known], keys, "step", options)
            for name in values for known in [runs.digits_of(result, name)]}
    for axis, (case, name) in zip(axes, panels):
        courses = {label: found[name][*case.place, label] for label in looks}
        shown = np.concatenate([course.y[np.isfinite(course.y)] for variables in found[name].values() for course in variables[0]])
        if not len(shown):
            raise runs.Missing(f"{result.path}: {name} has no finite number here")
        x = next(iter(courses.values()))[0][0].x
        if key:
            layout.across(axis, shown_x or style.key_text(key))
            if x.min() > 0 and x.max() > 100 * x.min():
                layout.logarithmic(axis, "x")
        else:
            runs.require_steps(result, x)
            layout.step_axis(axis, x)
        if shown.min() >= 0 and shown.min() < 0.05 * shown.max() and name != "gap":
            layout.logarithmic(axis, "y")
        least, found_fits = options.floor if axis.get_yscale() == "log" else 0, {}
        for order, (label, look) in enumerate(looks.items()):
            digits = left[name].get((*case.place, label), [None])[0]
            kinds = {"measured": dict(**look, digits=digits, markevery=10, phase=order / len(looks), label=shown_as[label]),
                     "predicted": dict(**style.PREDICTED, markevery=[], label="predicted")}
            for (kind, how), course in zip(kinds.items(), courses[label]):
                if fitting:
                    found_fits[label, kind] = fit(course, how.get("digits"), least, start or 0)
                made.line(axis, course, (case.title, name, label, kind, *found_fits.get((label, kind), ())), **how)
        if axis.get_yscale() == "log":
            axis.set_ylim(max(shown[shown > 0].min() / 2, options.floor), 2 * shown.max())
        elif shown.min() >= 0:
            axis.set_ylim(-0.04 * (shown.max() or 1), 1.06 * (shown.max() or 1))
        if len(values) > 1 or layout.first_in_row(axis):
            layout.upright(axis, runs.moment_text(result, name, options, options.below))
        layout.title(axis, "\n".join([case.title, *(fits_text(found_fits, shown_as) if fitting else [])]))
    layout.legend(figure)
    return made
