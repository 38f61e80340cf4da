"""Draws how evenly singular values are spread, of each update and of W, against step: the four measures of wang2025, figure 2.

    rarefact plot isotropy results/paper/isotropy.h5 -o figures/isotropy

An update that is as long in every direction has entropy 1, the largest effective rank, a quartile ratio of 1.
"""

from . import drawing, layout, options, runs, style

MEASURES = {
    "entropy": "entropy, 1\u00a0=\u00a0isotropic", "effective_rank": "effective rank", "top_energy_fraction": "energy of the 10 largest",
    "quartile_ratio": "Q75/Q25 of the energies",
}


def parser():
    return options.parser(__doc__, "isotropy")


def draw(results, options):
    result = results[0]
    if not any(f"{of}_{name}" in result for of in ("update", "weight") for name in MEASURES):
        raise runs.Missing(f"{result.path}: no spectral measures; run with run.spectral_metrics = \"on\"")
    (case,) = runs.cases(result, options)
    steps, looks = result.coords["step"], style.optimizer_looks(result)
    panels = [(of, name) for of in ("update", "weight") for name in MEASURES]
    figure, axes = layout.panels(options, 8, least=1.3, aspect=0.95, most=4 if (options.width or 9) > 5.2 else 2, sharex=True)
    made = drawing.Drawing(figure, ["matrix", "measure", "optimizer"], "step", "value", options)
    for place, (axis, (of, name)) in enumerate(zip(axes, panels)):
        layout.step_axis(axis, steps)
        if name == "quartile_ratio":
            axis.set_yscale("log")
        if f"{of}_{name}" in result:
            values, digits = result[f"{of}_{name}"].values[case.runs], runs.digits_of(result, name)[case.runs]
            for at, (label, look) in enumerate(looks.items()):
                made.line(axis, steps, values[:, at], (of, name, label), digits=digits[:, at], **look, markevery=7, label=label)
        if name in ("entropy", "top_energy_fraction"):
            axis.set_ylim(-0.04, 1.04)
        elif name == "effective_rank":
            axis.set_ylim(bottom=0)
        if place < 4 or layout.columns_of(axis) < 4:
            layout.title(axis, MEASURES[name])
        if not layout.lowest(axis, axes):
            axis.set_xlabel("")
        if layout.first_in_row(axis):
            layout.upright(axis, "of the update" if of == "update" else "of the memory W")
    layout.legend(figure, axes)
    return made
