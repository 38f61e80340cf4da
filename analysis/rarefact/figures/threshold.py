"""Draws the first step at which a class has an error below a threshold, against the rank of the class.

    rarefact plot threshold results/kjv_words.h5 --below 0.1 -o figures/threshold

Classes that are not learned by the last step (with seeds: not in every run) are crosses on the line at the top; in the CSV they have
no step, and their kind says in how many runs, "not reached (3 of 7)". Up to four values of swept keys make panels.
"""

import re

import numpy as np

from . import drawing, layout, options, runs


def parser():
    made = options.parser(__doc__, "threshold")
    made.add_argument("--below", type=float, default=0.1, help="the threshold of the error; default: 0.1")
    made.add_argument("--sustained", action="store_true", help="the first step from which on all errors stay below")
    return made


def not_reached(courses, at):
    """What the CSV says about a class without a step: in how many runs its error stays above the threshold, or that they diverged."""
    texts = [course.text[at] for course in courses]
    lacking = [text for text, course in zip(texts, courses) if np.isnan(course.y[at])]
    found = re.fullmatch(r"(\d+)/(\d+) reached", texts[0])
    if found and len(texts) == 1:
        return f"not reached ({int(found[2]) - int(found[1])} of {found[2]})"
    if not all(text.startswith(">") for text in lacking):
        return ", ".join(dict.fromkeys(lacking))
    [runs_of_one] = {course.count for course in courses}
    several = len(texts) * runs_of_one
    return f"not reached ({len(lacking) * runs_of_one} of {several})" if several > 1 else "not reached"


def draw(results, options):
    result = results[0]
    keys, cases = runs.cases(result, options, most=4)
    steps, looks, shown_as = result.coords["step"], runs.looks(result, options.where), runs.names(result, options)
    groups = len(result.coords["class_group"])
    if groups < 3 or len(steps) < 3:
        raise runs.Missing(f"{result.path}: needs three steps and three class groups; there are {len(steps)} and {groups}")
    first = runs.courses(result, ["error"], keys, "class", options, below=options.below, sustained=options.sustained)
    if not any(np.isfinite(course.y).any() for [courses] in first.values() for course in courses):
        raise runs.Missing(f"{result.path}: no class row has an error below {options.below:g}")
    figure, axes = layout.panels(options, len(cases), least=2.0, aspect=0.75, sharey=True)
    what = f"{'lasting' if options.sustained else 'first'} step with error\u00a0<\u00a0{options.below:g}"
    made = drawing.Drawing(figure, ["case", "optimizer", "kind"], "class rank", what)
    never = steps[-1] * 1.5
    for axis, case in zip(axes, cases):
        layout.logarithmic(axis, "xy")
        log_rank = result.array("class_log_rank").values[case.runs[0]]
        there = [group for group in np.argsort(log_rank) if result.array("class_count").values[case.runs[0], group] > 0]
        rank = np.array([float(f"{rank:.12g}") for rank in np.exp(log_rank[there])])
        lacking = False
        for order, (label, look) in enumerate(looks.items()):
            [courses] = first[*case.place, label]
            reached = [runs.Course(rank, course.y[there], course.half[there], course.count) for course in courses]
            made.line(axis, reached, (case.title, label, "reached"), **look, markevery=8, phase=order / len(looks), label=shown_as[label])
            missing = np.isnan([course.y for course in reached]).any(axis=0)
            lacking |= missing.any()
            crosses = rank[missing][drawing.spread(rank[missing], 12, True)] if missing.any() else []
            axis.plot(crosses, np.full(len(crosses), never), color=look["color"], marker="x", linestyle="none")
            for at in np.flatnonzero(missing):
                made.note(case.title, label, not_reached(courses, there[at]), rank[at])
        if lacking:
            axis.axhline(steps[-1], color="0.5", linewidth=0.6)
            axis.annotate("not reached", (0.02, never), xycoords=("axes fraction", "data"), va="center", color="0.35", fontsize=6.5)
            axis.set_ylim(top=never * 1.6)
        axis.set_xlabel("class rank")
        layout.title(axis, case.title)
        if layout.first_in_row(axis):
            layout.upright(axis, what)
    layout.legend(figure)
    return made
