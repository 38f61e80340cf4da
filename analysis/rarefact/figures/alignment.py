"""Draws what the updates lack in alignment with the polar factor of the population's gradient against the window of momentum, T = 1/(1-μ).

    rarefact plot alignment results/momentum_alignment.h5 -o figures/momentum_alignment

Each run is a point at the T of its swept momentum, with the mean of the recorded steps from 8 T on, where the average has forgotten its start.
Optimizers whose momentum is not swept, as polar-only, are level. Dashed: 1/(4s²), s² = (1-α)² B (2T-1)/(αK), of equally likely classes of
which all batches of a window hold 16 samples each. Needs run.alignment = true.
"""

import numpy as np

from . import drawing, layout, options, runs, style

FORGOTTEN = 8  # windows
OFTEN = 16     # samples of a class from which on the law of large numbers has come


def parser():
    return options.parser(__doc__, "alignment")


def momenta(result):
    """The swept momenta by label of their optimizer."""
    keys = {label: f"optimizer.{label}.momentum" for label in result.coords["optimizer"]}
    return {label: result.params[key] for label, key in keys.items() if key in result.params}


def settled(result, place, run, window):
    """1 less the mean alignment once the start is forgotten."""
    late = result.coords["step"] >= FORGOTTEN * window
    if not late.any():
        raise runs.Missing(f"{result.path}: no step from {FORGOTTEN * window:g} on is recorded, {FORGOTTEN} windows of {window:g}")
    return 1 - np.mean(result["alignment"].values[run, place, late])


def law(result, run, windows):
    """The closed form of equally likely classes, NaN where it does not hold."""
    noise, batch, count, spectrum = (runs.experiment_value(result, run, key) for key in
                                     ("data.label_noise", "data.batch", "classes.count", "classes.spectrum"))
    if not (noise and batch) or spectrum != "uniform":
        return np.full(len(windows), np.nan)
    pairs = batch * (2 * windows - 1)
    ratio = (1 - noise)**2 * pairs / (noise * count)
    return np.where((pairs >= OFTEN * count) & (ratio >= 1), 1 / (4 * ratio), np.nan)


def draw(results, options):
    result = results[0]
    if "alignment" not in result:
        raise runs.Missing(f"{result.path}: no variable alignment; run with run.alignment = true")
    swept = momenta(result)
    if not swept:
        raise runs.Missing(f"{result.path}: no momentum of an optimizer is swept")
    together = list(zip(*swept.values()))
    if len(set(together)) > len({each[0] for each in together}):
        raise runs.Missing(f"{result.path}: the momenta of {', '.join(swept)} are swept apart; give them one axis, \"KEY, KEY\" = [[...], ...]")
    keys = [f"optimizer.{label}.momentum" for label in swept]
    cases = runs.cases(result, options, most=4, given=keys)
    figure, axes = layout.panels(options, len(cases), least=2.0, aspect=0.7, sharey=True)
    made = drawing.Drawing(figure, ["case", "optimizer", "kind"], "T", "1 - alignment", options)
    for axis, case in zip(axes, cases):
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        windows, by_seed = runs.along(result, case.runs, keys[0])
        windows = 1 / (1 - windows)
        for place, (label, look) in enumerate(style.optimizer_looks(result).items()):
            own = [[1 / (1 - swept[label][run]) if label in swept else 1 for run in seed] for seed in by_seed]
            found = [[settled(result, place, run, each) for run, each in zip(*pair)] for pair in zip(by_seed, own)]
            made.line(axis, own if label in swept else windows, found, (case.title, label, "measured"), **look, markevery=8, label=label)
        made.line(axis, windows, law(result, case.runs[0], windows), (case.title, "", "predicted"), **style.PREDICTED, markevery=[],
                  label="predicted")
        axis.set_xlabel("window T = 1/(1−μ)")
        layout.title(axis, case.title)
        if layout.first_in_row(axis):
            layout.upright(axis, "1 − alignment")
    layout.legend(figure, axes)
    return made
