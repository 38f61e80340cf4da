"""Draws the loss of answers against how frequent they are: ten parts with equally many answers, one curve for each optimizer.

    rarefact plot answer_deciles results/kjv_bigrams.h5 -o figures/answer_deciles

Of a result with [answers]. Part 1 has the most frequent answers. A point is the mean loss of its answers by probability, at the last step or
at --at; answers of equal frequency have one loss, their mean, so that no part depends on their order. The grey line is ln K, the loss
of who knows nothing. Up to four values of swept keys make panels.
"""

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "answer_deciles")
    made.add_argument("--at", type=int, help="a recorded step; default: the last one")
    made.add_argument("--parts", type=int, default=10, help="how many parts; default: 10")
    return made


def by_part(count, probability, loss, parts):
    """... x answer_group -> ... x part. Answers that no query has are in no part."""
    asked = (count > 0) & (probability > 0)
    count, probability, loss = count[asked], probability[asked], loss[..., asked]
    # Probabilities that are equal but for rounding.
    starts = np.flatnonzero(np.append(True, np.abs(np.diff(probability)) > 1e-9 * probability[1:]))
    mass = np.add.reduceat(count * probability, starts)
    loss = np.add.reduceat(count * probability * loss, starts, axis=-1) / mass
    count = np.add.reduceat(count, starts)
    ends = np.cumsum(count)
    edges = np.linspace(0, ends[-1], parts + 1)[:, None]
    inside = np.clip(np.minimum(ends, edges[1:]) - np.maximum(ends - count, edges[:-1]), 0, None) * mass / count
    return loss @ (inside / inside.sum(axis=1, keepdims=True)).T


def draw(results, options):
    result = results[0]
    if "answer_loss" not in result:
        raise runs.Missing(f"{result.path}: no variable answer_loss; run with a law in [answers] that is not identity")
    if not 2 <= options.parts <= 1000:
        raise runs.Missing(f"--parts {options.parts}: expected 2 to 1000")
    steps = list(result.coords["step"])
    if options.at is not None and options.at not in steps:
        raise runs.Missing(f"{result.path}: --at {options.at}: step {options.at} is not recorded; the last one is {steps[-1]}")
    step = -1 if options.at is None else steps.index(options.at)
    cases = runs.cases(result, options, most=4)
    figure, axes = layout.panels(options, len(cases), least=2.0, aspect=0.75, sharey=True)
    part = {10: "decile"}.get(options.parts, "part")
    what = f"loss at step {steps[step]} [nat]"
    made = drawing.Drawing(figure, ["case", "optimizer"], f"{part} of the answers", what, options)
    count, probability, loss = (result[name].values for name in ("answer_group_count", "answer_group_probability", "answer_loss"))
    for axis, case in zip(axes, cases):
        axis.axhline(np.log(count[case.runs[0]].sum()), color="0.6", linewidth=0.8, label="ln K")
        values = np.stack([by_part(count[run], probability[run], loss[run, :, step], options.parts) for run in case.runs])
        for place, (label, look) in enumerate(style.optimizer_looks(result).items()):
            made.line(axis, np.arange(1, options.parts + 1), values[:, place], (case.title, label), **look, label=label, markevery=6)
        axis.set_ylim(bottom=0)
        axis.set_xlabel(f"{part} of the answers, most frequent first")
        layout.title(axis, case.title)
        if layout.first_in_row(axis):
            axis.set_ylabel(what)
    layout.legend(figure, axes)
    return made
