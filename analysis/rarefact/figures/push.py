"""Draws how far an update pushes the right logit of a class, for a unit step, against the rank of the class or its probability.

    rarefact plot push results/newton_schulz_accuracy.h5 -o figures/push
    rarefact plot push results/momentum_order.h5 --at 40 --against probability -o figures/momentum_push

Muon of theory, with the exact polar factor, pushes every class by 1; a few Newton-Schulz steps leave the tail behind. A panel for
each value of classes.exponent or of --panels; lines differ in the optimizer and in the other swept keys. Of fresh samples thin lines
are how likely the batch of the step, and any batch so far, has the class. Needs run.push = true.
"""

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "push")
    made.add_argument("--at", type=int, help="the recorded step whose update is shown; default: the first")
    made.add_argument("--optimizers", help="labels with commas between; default: all")
    made.add_argument("--against", choices=["rank", "probability"], default="rank", help="the abscissa; default: rank")
    made.add_argument("--panels", default="classes.exponent", help="swept key that makes the panels; default: classes.exponent")
    return made


def abscissas(result, run, against):
    return result["class_probability"].values[run] if against == "probability" else np.exp(result["class_log_rank"].values[run])


def draw_coverage(made, axis, result, run, step, x, panel):
    """1 - (1-p)^(B n) of the n = 1 batch of a step, and of the n = step + 1 so far."""
    if runs.experiment_value(result, run, "data.mode") != "minibatch":
        return
    p, batch = result["class_probability"].values[run][result["class_count"].values[run] > 0], runs.experiment_value(result, run, "data.batch")
    for name, batches in (("drawn in the step", 1), ("drawn so far", step + 1)):
        made.line(axis, x, -np.expm1(batch * batches * np.log1p(-p)), (panel, name, ""), color="0.35", linewidth=0.6,
                  linestyle="-", label="1 − (1−p)$^n$, n pairs in a step or in all so far")


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
    abscissa = {"rank": "class rank", "probability": "class probability p"}[options.against]
    made = drawing.Drawing(figure, ["panel", "optimizer", "line"], abscissa, "push", options)
    for axis, panel in zip(axes, panels):
        axis.set_xscale("log")
        layout.title(axis, panel.title)
        axis.set_xlabel(abscissa)
        axis.axhline(1.0, color="0.5", linewidth=0.6)
        if layout.first_in_row(axis):
            layout.upright(axis, "push, per unit step")
        first = panel.runs[0]
        there = result["class_count"].values[first] > 0
        draw_coverage(made, axis, result, first, steps[step], abscissas(result, first, options.against)[there], panel.title)
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
                x = abscissas(result, case.runs[0], options.against)[there]
                made.line(axis, x, values, (panel.title, label, line), **looks[label], alpha=shade, markevery=7,
                          label=", ".join(filter(None, (label, line))))
    layout.legend(figure, axes)
    return made
