"""Draws how far an update pushes the right logit of a class, for a unit step, against the rank of the class.

    rarefact plot push results/newton_schulz_accuracy.h5 -o figures/push

Muon of theory, with the exact polar factor, pushes every class by 1; a few Newton-Schulz steps leave the tail behind. A panel for
each value of classes.exponent or of --panels; lines differ in the optimizer and in the other swept keys. Needs run.push = true.
"""

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "push")
    made.add_argument("--at", type=int, help="the recorded step whose update is shown; default: the first")
    made.add_argument("--optimizers", help="labels with commas between; default: all")
    made.add_argument("--panels", default="classes.exponent", help="swept key that makes the panels; default: classes.exponent")
    return made


def draw(results, options):
    result = results[0]
    if "push" not in result:
        raise runs.Missing(f"{result.path}: no variable push; run with run.push = true")
    push, steps = result["push"].values, list(result.coords["step"])
    if options.at is not None and options.at not in steps:
        raise runs.Missing(f"{result.path}: --at {options.at}: that step is not recorded; the first is {steps[0]}")
    step = steps.index(options.at) if options.at is not None else 0
    chosen = runs.chosen_runs(result, options.where)
    panel_keys = [key for key in runs.varying(result, chosen) if key == options.panels]
    panels = runs.gathered(result, chosen, panel_keys)
    others = runs.free_keys(result, chosen, panel_keys)
    labels = list(result.coords["optimizer"])
    shown = options.optimizers.split(",") if options.optimizers else labels
    for label in shown:
        if label not in labels:
            raise runs.Missing(f"{result.path}: --optimizers {label}: there are {', '.join(labels)}{runs.nearest(label, labels)}")
    looks = {label: look for label, look in style.optimizer_looks(result).items() if label in shown}

    figure, axes = layout.panels(options, len(panels), least=1.5, aspect=0.85, sharey=True)
    made = drawing.Drawing(figure, ["panel", "optimizer", "line"], "class rank", "push", options)
    for axis, panel in zip(axes, panels):
        axis.set_xscale("log")
        layout.title(axis, panel.title)
        axis.set_xlabel("class rank")
        axis.axhline(1.0, color="0.5", linewidth=0.6)
        if layout.first_in_row(axis):
            layout.upright(axis, "push, per unit step")
        for label in looks:
            curves = {}
            for case in runs.gathered(result, panel.runs, others):
                # Exact Muon does not change with the number of Newton-Schulz steps: equal curves are drawn once.
                there = result["class_count"].values[case.runs[0]] > 0
                values = push[case.runs, labels.index(label), step][:, there]
                if np.isfinite(values).any():
                    curves.setdefault((values.round(9).tobytes(), there.sum()), (case, there, values))
            shades = np.linspace(0.35, 1.0, len(curves)) if len(curves) > 1 else [1.0]
            for shade, (case, there, values) in zip(shades, curves.values()):
                line = case.title if len(curves) > 1 else ""
                rank = np.exp(result["class_log_rank"].values[case.runs[0]][there])
                made.line(axis, rank, values, (panel.title, label, line), **looks[label], alpha=shade, markevery=7,
                          label=", ".join(filter(None, (label, line))))
    layout.legend(figure, axes)
    return made
