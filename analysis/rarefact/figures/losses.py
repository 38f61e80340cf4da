"""Draws loss and excess loss against step, one curve for each optimizer; predictions dashed in black.

    rarefact plot losses results/starter.h5 -o figures/losses

Without label noise the least loss is 0, so that both are the same and one panel is drawn.
"""

import numpy as np

from . import style


def parser():
    made = style.parser(__doc__, default="losses")
    made.add_argument("--floor", type=float, default=1e-10, help="least loss on the axis; default: 1e-10")
    return made


def draw(results, options):
    result = results[0]
    run = style.one_run(result, options)
    steps, looks = result.coords["step"], style.optimizer_looks(result)
    if len(steps) < 3:
        raise style.Missing(f"{result.path}: {len(steps)} recorded steps are too few for a curve; record more (run.record)")
    loss, excess = (result[name].select(run=run).values for name in ("loss", "excess_loss"))
    same = np.allclose(loss, excess, rtol=1e-6, atol=0, equal_nan=True)
    shown = ["loss"] if same else ["loss", "excess_loss"]

    figure, axes = style.panels(options, len(shown), least=2.2, aspect=0.7)
    drawing = style.Drawing(figure, ["quantity", "optimizer", "kind"], "step", "value [nat]")
    for axis, name in zip(axes, shown):
        values = result[name].select(run=run)
        style.step_axis(axis, steps)
        axis.set_yscale("log" if np.nanmin(values.values) < 0.05 * np.nanmax(values.values) else "linear")
        for place, (label, look) in enumerate(looks.items()):
            drawing.line(axis, steps, values.values[place], (name, label, "measured"), digits=style.digits_of(result, name)[run, place], **look, markevery=10, label=label)
        predicted = f"{name}_predicted"
        if predicted in result:
            for place, label in enumerate(looks):
                drawing.line(axis, steps, result[predicted].select(run=run).values[place], (name, label, "predicted"),
                             **style.PREDICTED, label="predicted")
        if axis.get_yscale() == "log":
            axis.set_ylim(max(axis.get_ylim()[0], options.floor), 2 * np.nanmax(values.values))
        else:
            axis.set_ylim(bottom=0)
        axis.set_ylabel("loss L [nat]" if name == "loss" else "excess loss L − L* [nat]")
    handles, labels = axes[-1].get_legend_handles_labels()
    style.legend_below(figure, handles, labels)
    return drawing
