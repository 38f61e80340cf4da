"""Draws a loss against the number of steps T on logarithmic axes, with the fitted and the predicted slope.

    rarefact plot scaling results/loss_scaling.h5 --against run.steps -o figures/loss_scaling
    rarefact plot scaling results/gd-scaling-law.h5 --value excess_loss --where classes.exponent=2

T is the recorded step, or a swept key such as run.steps: then the loss is the last one of every run. Lines of one panel
differ in the other swept keys. Where a slope is predicted, one is fitted by least squares to the points from --from on.
Predicted slopes are those of li2026: with label noise and p ∝ k^-s, s > 1, the excess loss has -(1-1/s) under gd (Theorem
5.7) and -2 under muon where the step size is in proportion to 1/T (Theorem 5.8); without noise the loss has -1 under gd
(Theorem 4.1).
"""

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "scaling")
    made.add_argument("--value", default="excess_loss", help="the variable; default: excess_loss")
    made.add_argument("--against", default="step", help="step, or a swept key; default: step")
    made.add_argument("--from", dest="first", type=float, help="fit from this T on; default: the upper half of the logarithms")
    made.add_argument("--slope", type=float, help="the predicted slope, for all lines, instead of li2026's")
    return made


def predicted_slope(result, run, label, options):
    """li2026's exponent of this line, or None."""
    if options.slope is not None:
        return options.slope
    rule = style.rule_of(result, label)
    noise, exponent = (runs.experiment_value(result, run, key) for key in ("data.label_noise", "classes.exponent"))
    if options.value == "excess_loss" and noise and exponent and exponent > 1:
        if rule == "gd":
            return -(1 - 1 / exponent)
        if rule == "muon" and options.against == "run.steps":
            return -2.0
    return -1.0 if rule == "gd" and not noise and options.value in ("loss", "excess_loss") else None


def lines(result, options):
    """(title, a run, T, values over optimizer, seed and T) of every line."""
    values = runs.of_class(result, options.value)
    if options.against == "step":
        return [(case.title, case.runs[0], result.coords["step"], values[case.runs].swapaxes(0, 1))
                for case in runs.cases(result, options, most=10)]
    runs.require_swept(result, options.against, f"--against {options.against}")
    ends, found = runs.last(values), []
    for case in runs.cases(result, options, most=10, given=[options.against]):
        x, seeds = runs.along(result, case.runs, options.against)
        found.append((case.title, case.runs[0], x, np.moveaxis(ends[seeds], 2, 0)))
    return found


def fit(x, y, first):
    """Slope and intercept of ln y against ln x over the points with x >= first, and that part of x."""
    shown = np.isfinite(y) & (y > 0) & (x > 0)
    x, y = x[shown], y[shown]
    if len(x) < 3:
        return None
    x_log, y_log = np.log(x), np.log(y)
    part = x >= (np.exp((x_log[0] + x_log[-1]) / 2) if first is None else first)
    if part.sum() < 2:
        return None
    slope, constant = np.polyfit(x_log[part], y_log[part], 1)
    return slope, constant, x[part]


def slopes_text(name, slopes):
    """slope −0.5, slopes −0.3, −0.5, or their range if they are many."""
    texts = [f"{slope:.3f}".replace("-", "−") for slope in sorted(slopes, reverse=True)]
    if not texts:
        return ""
    listed = ", ".join(texts) if len(texts) <= 3 else f"{texts[0]} to {texts[-1]}"
    return f"\n{name} {texts[0] if texts[0] == texts[-1] else listed}"


def draw(results, options):
    result = results[0]
    labels, found = list(result.coords["optimizer"]), lines(result, options)
    if all(len(x) < 3 for _, _, x, _ in found):
        raise runs.Missing(f"{result.path}: fewer than three values of {options.against} make no slope")
    figure, axes = layout.panels(options, len(labels), least=1.3, aspect=0.75, sharey=True)
    made = drawing.Drawing(figure, ["optimizer", "line", "kind"], options.against, options.value, options)
    looks = list(style.ranks_looks(range(len(found))).values())
    units = result[options.value].units
    for place, (axis, label) in enumerate(zip(axes, labels)):
        axis.set_xscale("log")
        axis.set_yscale("log")
        fitted_slopes, predicted_slopes = [], []
        for look, (title, run, x, values) in zip(looks, found):
            y = values[place].mean(axis=0)
            predicted = predicted_slope(result, run, label, options)
            wanted = predicted is not None or options.first is not None
            fitted = fit(x, y, options.first) if wanted else None
            made.line(axis, x, values[place], (label, title, "measured"), **look, markevery=12, label=title, linewidth=1.0,
                      linestyle="none" if fitted else "-")
            if fitted:
                slope, constant, part = fitted
                fitted_slopes.append(slope)
                made.line(axis, part, np.exp(constant) * part**slope, (label, title, "fitted"), color=look["color"], linestyle="-",
                          linewidth=1.0, label="fitted")
            if fitted and predicted is not None:
                predicted_slopes.append(predicted)
                middle = np.exp(np.log(part).mean())
                made.line(axis, part, np.exp(constant) * middle**slope * (part / middle)**predicted, (label, title, "predicted"),
                          **style.PREDICTED, label="predicted")
        layout.title(axis, label + slopes_text("fitted", fitted_slopes) + slopes_text("predicted", predicted_slopes))
        axis.set_xlabel("steps T" if options.against in ("step", "run.steps") else options.against)
        if layout.first_in_row(axis):
            layout.upright(axis, f"{result[options.value].long_name}{f' [{units}]' if units != '1' else ''}")
    layout.legend(figure)
    return made
