"""Draws how many facts are recovered against the dimension d of Gaussian embeddings, a panel for each exponent of the classes.

    rarefact plot capacity results/paper/capacity.h5 -o figures/capacity

Counts are those of the last step, means over the seeds with 95 % intervals (Student). Dashed: the published power of one
step, d^{1+1/(2s)} for muon and newton (kim2026), and dotted the derived one of gd, d^{1/(2s)}; both through the last
point, as only the slope is claimed, and that as d grows without end. The grey line is one fact a dimension.
"""

from . import drawing, layout, options, runs, style

DERIVED = style.PREDICTED | {"linestyle": (0, (1, 1.2))}


def parser():
    return options.parser(__doc__, "capacity")


def claimed(rule, exponent):
    """The exponent of one step's count in d, with how its line is drawn and named; None where nothing is claimed."""
    if not exponent or exponent <= 1:
        return None
    if rule in ("muon", "newton"):
        return 1 + 1 / (2 * exponent), style.PREDICTED, "published exponent"
    return (1 / (2 * exponent), DERIVED, "derived exponent") if rule == "gd" else None


def draw(results, options):
    result = results[0]
    runs.require_swept(result, "embedding.dimension", "the axis")
    cases = runs.cases(result, options, most=6, given=["embedding.dimension"])
    if all(len(set(result.params["embedding.dimension"][case.runs])) < 2 for case in cases):
        raise runs.Missing(f"{result.path}: one dimension makes no curve")
    counts = runs.last(result["recovered_count"].values)

    looks = style.optimizer_looks(result)
    figure, axes = layout.panels(options, len(cases), least=1.5, aspect=0.95, sharey=True)
    made = drawing.Drawing(figure, ["case", "optimizer", "kind"], "d", "recovered_count", options)
    for axis, case in zip(axes, cases):
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        d, seeds = runs.along(result, case.runs, "embedding.dimension")
        axis.plot(d, d, color="0.6", linewidth=0.8, label="one fact a dimension")
        exponent = runs.experiment_value(result, case.runs[0], "classes.exponent")
        claims = {}  # one line for rules of which the same is claimed
        for place, (label, look) in enumerate(looks.items()):
            made.line(axis, d, counts[seeds, place], (case.title, label, "measured"), **look, label=label)
            claim, mean = claimed(style.rule_of(result, label), exponent), counts[seeds, place].mean(axis=0)
            if claim and mean[-1] > 0:
                power, line, name = claim
                claims[name] = label, line, mean[-1] * (d / d[-1]) ** power
        for name, (label, line, power) in claims.items():
            made.line(axis, d, power, (case.title, label, name), **line, label=name)
        layout.title(axis, case.title)
        axis.set_xlabel("dimension d")
        axis.set_xticks(d, [f"{each:g}" for each in d])
        axis.minorticks_off()
        if layout.first_in_row(axis):
            layout.upright(axis, "recovered facts")
    layout.legend(figure, axes)
    return made
