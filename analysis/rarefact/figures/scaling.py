"""Draws a loss against the number of steps T on logarithmic axes, with the fitted and the predicted slope.

    rarefact plot scaling results/paper/loss_scaling.h5 --against run.steps -o figures/loss_scaling
    rarefact plot scaling results/gd-scaling-law.h5 --value excess_loss --where classes.exponent=2

T is the recorded step, or a swept key such as run.steps: then the loss is the last one of every run. Lines of one panel
differ in the other swept keys. Where a slope is predicted, one is fitted by least squares to the points from --from on.
Predicted slopes are those of li2026: with label noise and p ∝ k^-s, s > 1, the excess loss has -(1-1/s) under gd (Theorem
5.7) and -2 under muon where the step size is in proportion to 1/T (Theorem 5.8); without noise the loss has -1 under gd
(Theorem 4.1).
"""

import numpy as np

from . import style


def parser():
    made = style.parser(__doc__, default="scaling")
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
    noise, exponent = (style.experiment_value(result, run, key) for key in ("data.label_noise", "classes.exponent"))
    if options.value == "excess_loss" and noise and exponent and exponent > 1:
        if rule == "gd":
            return -(1 - 1 / exponent)
        if rule == "muon" and options.against == "run.steps":
            return -2.0
    return -1.0 if rule == "gd" and not noise and options.value in ("loss", "excess_loss") else None


def lines(result, runs, options):
    """(optimizer index, title, a run, T, values) of every line."""
    values, places = result[options.value].values, range(len(result.coords["optimizer"]))
    if options.against == "step":
        keys = style.varying(result, runs)
        return [(place, style.case_text(result, run, keys), run, result.coords["step"], values[run, place])
                for run in runs for place in places]
    if options.against not in result.params:
        raise style.Missing(f"{result.path}: --against {options.against}: swept are {', '.join(result.params) or 'no keys'}")
    moving = result.params[options.against]
    keys = style.varying(result, runs, given=[options.against])
    groups = {}
    for run in sorted(runs, key=lambda run: moving[run]):
        groups.setdefault(style.case_text(result, run, keys), []).append(run)
    return [(place, title, same[0], moving[same], np.array([style.last(values[run, place]) for run in same]))
            for title, same in sorted(groups.items(), key=lambda group: min(group[1])) for place in places]


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
    runs = style.chosen_runs(result, options.where)
    labels = list(result.coords["optimizer"])
    found = lines(result, runs, options)
    titles = list(dict.fromkeys(title for _, title, *_ in found))
    if all(len(x) < 3 for *_, x, _ in found):
        raise style.Missing(f"{result.path}: fewer than three values of {options.against} make no slope")
    if len(titles) > 10:
        raise style.Missing(f"{result.path}: {len(titles)} lines are too many for a panel; choose by --where")
    figure, axes = style.panels(options, len(labels), rows=1, aspect=0.75, sharey=True)
    drawing = style.Drawing(figure, ["optimizer", "line", "kind"], options.against, options.value)
    looks = style.ranks_looks(titles)
    units = result[options.value].units
    for place, (axis, label) in enumerate(zip(axes, labels)):
        axis.set_xscale("log")
        axis.set_yscale("log")
        fitted_slopes, predicted_slopes = [], []
        for at, title, run, x, y in found:
            if at != place:
                continue
            predicted = predicted_slope(result, run, label, options)
            wanted = predicted is not None or options.first is not None
            fitted = fit(x, y, options.first) if wanted else None
            drawing.line(axis, x, y, (label, title, "measured"), **looks[title], markevery=12, label=title, linewidth=1.0,
                         linestyle="none" if fitted else "-")
            if fitted:
                slope, constant, part = fitted
                fitted_slopes.append(slope)
                drawing.line(axis, part, np.exp(constant) * part**slope, (label, title, "fitted"), color=looks[title]["color"],
                             linestyle="-", linewidth=1.0, label="fitted")
            if fitted and predicted is not None:
                predicted_slopes.append(predicted)
                middle = np.exp(np.log(part).mean())
                drawing.line(axis, part, np.exp(constant) * middle**slope * (part / middle)**predicted,
                             (label, title, "predicted"), **style.PREDICTED, label="predicted")
        axis.set_title(label + slopes_text("fitted", fitted_slopes) + slopes_text("predicted", predicted_slopes))
        axis.set_xlabel("steps T" if options.against in ("step", "run.steps") else options.against)
        if axis.get_subplotspec().is_first_col():
            axis.set_ylabel(f"{result[options.value].long_name}{f' [{units}]' if units != '1' else ''}")
    style.legend_of(figure, axes)
    return drawing
