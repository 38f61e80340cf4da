"""Draws the error of class groups (for least squares their coefficient) against step, from head (dark) to tail (light), one panel per optimizer.

    rarefact plot class_errors results/kjv_words.h5 -o figures/kjv_words

Markers are measured, dashed lines predicted; without a prediction a thin line joins the markers. Up to three values of
swept keys make panels of their own.
"""

import functools

import numpy as np

from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "class_errors")
    made.add_argument("--curves", type=int, default=6, help="class groups drawn, evenly spread in log rank; default: 6")
    made.add_argument("--floor", type=float, default=1e-8, help="least error on the axis; default: 1e-8")
    return made


GROUPED = {"two_level", "grouped_power_law", "dyadic"}  # frequencies whose groups have equally likely classes, with no rank among them


def group_text(group, count):
    """group 1 (most frequent), group 2 ... group 6 (rarest)"""
    return f"group {group + 1}" + {0: " (most frequent)", count - 1: " (rarest)"}.get(group, "")


def draw(results, options):
    result = results[0]
    runs.require_steps(result, result.coords["step"])
    (keys, cases), labels = runs.cases(result, options, most=3), runs.labels(result, options.where)
    shown_as = runs.names(result, options)
    name = runs.of_classes(result)
    names, known, error = runs.with_prediction(result, name, options), runs.digits_of(result, name), result.array(name).values
    left = runs.courses(result, [known], keys, "step", options) if known else {}
    found = functools.cache(lambda group: runs.courses(result, names, keys, "step", options, class_=group))
    grouped = runs.experiment_value(result, 0, "classes.spectrum") in GROUPED
    predicts = False
    shown = np.concatenate([case.runs for case in cases])
    steps = result.coords["step"][: 1 + max(np.flatnonzero(np.isfinite(error[shown]).any(axis=(0, 1, 3))), default=0)]
    runs.require_steps(result, steps)
    least = np.nanmin(np.where(error[shown] > 0, error[shown], np.nan))

    panels = [(case, label) for case in cases for label in labels]
    figure, axes = layout.panels(options, len(panels), least=1.3, aspect=1.15, most=len(labels) if len(cases) > 1 else None,
                                 sharex=True, sharey=True)
    made = drawing.Drawing(figure, ["case", "optimizer", "class rank", "kind"], "step", name)
    for axis, (case, label) in zip(axes, panels):
        layout.logarithmic(axis, "y")
        axis.set_ylim(max(options.floor, least / 2), 2)
        layout.step_axis(axis, steps)
        rank = np.exp(result.array("class_log_rank").values[case.runs[0]][result.array("class_count").values[case.runs[0]] > 0])
        groups = sorted(drawing.spread(rank, max(options.curves, 1), True), key=lambda group: rank[group])
        looks = style.ranks_looks(groups)
        for order, group in enumerate(groups):
            measured, *said = found(group)[*case.place, label]
            exists = any(np.isfinite(course.y).any() for courses in said for course in courses)
            predicts |= exists
            about = (case.title, label, f"{rank[group]:.6g}")
            made.line(axis, measured, (*about, "measured"), digits=left.get((*case.place, label), [None])[0], **looks[group],
                      zorder=2, markevery=max(4, 36 // len(groups)), phase=order / len(groups), linestyle="none" if exists else "-", linewidth=0.7,
                      label=group_text(group, len(rank)) if grouped else style.number(np.floor(rank[group] + 1e-6), 6))
            if exists:
                made.line(axis, said[0], (*about, "predicted"), color=looks[group]["color"], linestyle=(0, (4, 1.5)), linewidth=1.0,
                          markevery=[], zorder=1)
        layout.title(axis, ", ".join(filter(None, (shown_as[label], case.title))))
        if not layout.lowest(axis, axes):
            axis.set_xlabel("")
        if layout.first_in_row(axis):
            layout.upright(axis, "error, 1 − p̂(right)" if name == "error" else "coefficient")
    if predicts:
        axes[-1].plot([], [], color="black", linestyle=(0, (4, 1.5)), linewidth=1.0, label="predicted")
    layout.legend(figure, heading="class group" if grouped else "class rank")
    return made
