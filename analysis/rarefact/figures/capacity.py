"""Draws how many facts are recovered against the dimension d of Gaussian embeddings, a panel for each exponent of the classes.

    rarefact plot capacity results/paper/capacity.h5 -o figures/capacity

Counts are those of the last step, means over the seeds with 95 % intervals (Student). Dashed: the published power of one
step, d^{1+1/(2s)} for muon and newton (kim2026), and dotted the derived one of gd, d^{1/(2s)}; both through the last
point, as only the slope is claimed, and that as d grows without end. The grey line is one fact a dimension.
"""

import numpy as np

from . import style

# Student's t, 97.5 %, for 1 to 10 degrees of freedom, then as of the normal distribution.
STUDENT = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]
DERIVED = style.PREDICTED | {"linestyle": (0, (1, 1.2))}


def parser():
    return style.parser(__doc__, default="capacity")


def claimed(rule, exponent):
    """The exponent of one step's count in d, with how its line is drawn and named; None where nothing is claimed."""
    if not exponent or exponent <= 1:
        return None
    if rule in ("muon", "newton"):
        return 1 + 1 / (2 * exponent), style.PREDICTED, "published exponent"
    return (1 / (2 * exponent), DERIVED, "derived exponent") if rule == "gd" else None


def over_seeds(dimensions, counts):
    """d, mean and half an interval of the counts."""
    distinct = np.unique(dimensions)
    means, halves = [], []
    for d in distinct:
        same = counts[dimensions == d]
        freedom = len(same) - 1
        means.append(same.mean())
        student = (STUDENT[freedom - 1] if freedom <= len(STUDENT) else 1.96) if freedom else np.nan
        halves.append(student * same.std(ddof=1) / np.sqrt(len(same)) if freedom else 0.0)
    return distinct, np.array(means), np.array(halves)


def draw(results, options):
    result = results[0]
    runs = style.chosen_runs(result, options.where)
    if "embedding.dimension" not in result.params:
        raise style.Missing(f"{result.path}: embedding.dimension is not swept, and d is the axis")
    dimensions = np.asarray(result.params["embedding.dimension"], float)
    if len(set(dimensions[runs])) < 2:
        raise style.Missing(f"{result.path}: one dimension makes no curve")
    keys = [key for key in style.varying(result, list(runs), given=["embedding.dimension"]) if key != "seed"]
    cases = {}
    for run in runs:
        cases.setdefault(style.case_text(result, run, keys), []).append(run)
    if len(cases) > 6:
        raise style.Missing(f"{result.path}: {len(cases)} cases are too many panels; choose by --where")
    last = [style.last(series) for series in result["recovered_count"].values.reshape(-1, len(result.coords["step"]))]
    counts = np.reshape(last, result["recovered_count"].values.shape[:2])

    looks = style.optimizer_looks(result)
    figure, axes = style.panels(options, len(cases), rows=1, aspect=0.95, sharey=True)
    drawing = style.Drawing(figure, ["case", "optimizer", "kind"], "d", "recovered_count")
    for axis, (title, same) in zip(axes, cases.items()):
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        ends = np.array(sorted(set(dimensions[same])))
        axis.plot(ends, ends, color="0.6", linewidth=0.8, label="one fact a dimension")
        exponent = style.experiment_value(result, same[0], "classes.exponent")
        claims = {}  # one line for rules of which the same is claimed
        for place, (label, look) in enumerate(looks.items()):
            d, mean, half = over_seeds(dimensions[same], counts[same, place])
            drawing.line(axis, d, mean, (title, label, "mean"), **look, label=label)
            drawing.rows += [(title, label, "half interval", *point) for point in zip(d, half)]
            axis.errorbar(d, mean, yerr=half, fmt="none", ecolor=look["color"], elinewidth=0.7, capsize=1.5)
            claim = claimed(style.rule_of(result, label), exponent)
            if claim and mean[-1] > 0:
                power, line, name = claim
                claims[name] = label, line, d, mean[-1] * (d / d[-1]) ** power
        for name, (label, line, d, power) in claims.items():
            drawing.line(axis, d, power, (title, label, name), **line, label=name)
        axis.set_title(title)
        axis.set_xlabel("dimension d")
        axis.set_xticks(ends, [f"{d:g}" for d in ends])
        axis.minorticks_off()
    axes[0].set_ylabel("recovered facts")
    style.legend_of(figure, axes)
    return drawing
