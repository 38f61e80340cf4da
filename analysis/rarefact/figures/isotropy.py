"""Draws how evenly singular values are spread, of each update and of W, against step: the four measures of wang2025, figure 2.

    rarefact plot isotropy results/paper/isotropy.h5 -o figures/isotropy

An update that is as long in every direction has entropy 1, the largest effective rank, a quartile ratio of 1.
"""

import numpy as np

from . import style

MEASURES = {
    "entropy": "entropy, 1 = isotropic", "effective_rank": "effective rank", "top_energy_fraction": "energy of the 10 largest",
    "quartile_ratio": "Q75/Q25 of the energies",
}


def parser():
    return style.parser(__doc__, default="isotropy")


def draw(results, options):
    result = results[0]
    run = style.one_run(result, options)
    there = {of: [name for name in MEASURES if f"{of}_{name}" in result] for of in ("update", "weight")}
    if not any(there.values()):
        raise style.Missing(f"{result.path}: no spectral measures; run with run.spectral_metrics = \"on\"")
    steps, looks = result.coords["step"], style.optimizer_looks(result)
    figure, axes = style.panels(options, 8, rows=2, aspect=0.95, sharex=True)
    drawing = style.Drawing(figure, ["matrix", "measure", "optimizer"], "step", "value")
    for row, of in enumerate(("update", "weight")):
        for column, (name, title) in enumerate(MEASURES.items()):
            axis = axes[4 * row + column]
            style.step_axis(axis, steps)
            if name == "quartile_ratio":
                axis.set_yscale("log")
            if name in there[of]:
                values = result[f"{of}_{name}"].select(run=run).values
                for place, (label, look) in enumerate(looks.items()):
                    drawing.line(axis, steps, values[place], (of, name, label), digits=style.digits_of(result, name)[run, place], **look, markevery=7, label=label)
            if name in ("entropy", "top_energy_fraction"):
                axis.set_ylim(-0.04, 1.04)
            elif name == "effective_rank":
                axis.set_ylim(bottom=0)
            if row == 0:
                axis.set_title(title)
                axis.set_xlabel("")
            if column == 0:
                axis.set_ylabel("of the update" if of == "update" else "of the memory W")
    found = [axis.get_legend_handles_labels() for axis in axes]
    style.legend_below(figure, sum((handles for handles, _ in found), []), sum((labels for _, labels in found), []))
    return drawing
