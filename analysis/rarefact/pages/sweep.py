"""The tables of a result: steps to an error below 0.1, the last step, and how the numbers were computed."""

import shlex

import numpy as np

from ..figures import runs
from .html import escaped, folded, interval, number, table

MOST_ROWS = 60
BELOW = 0.1
MEAN = "Runs that differ only in the seed are one row: their mean ± half the 95 % interval, Student's t with n − 1 degrees of freedom."


def names(result, case, keys):
    return [number(result.params[key][case.runs[0]]) for key in keys]


def steps_text(found, last):
    """A cell of steps, from the numbers of its seeds: inf if a run ends before the threshold, NaN if its numbers do."""
    if np.isfinite(found).all():
        return interval(*runs.over_seeds(found))
    if np.isfinite(found).any():
        return f"{np.isfinite(found).sum()}/{len(found)} reached"
    return f"> {last}" if np.isinf(found).all() else "–"


def cut_table(header, rows, above=()):
    rest = f"<p class=\"dim\">{MOST_ROWS} of {len(rows)} rows; rarefact table shows others.</p>\n" if len(rows) > MOST_ROWS else ""
    return table(header, rows[:MOST_ROWS], above) + rest


def last_steps(result):
    """run x optimizer: the last step with a finite loss."""
    finite = np.isfinite(result.array("loss").values)
    steps = result.coords["step"]
    return steps[len(steps) - 1 - np.flip(finite, 2).argmax(axis=2)]


def thresholds(result, file):
    """Tables of steps to an error below 0.1, for the rarest classes and, if that differs, for every class."""
    keys, cases = runs.all_cases(result)
    labels, last, parts, told = list(result.coords["optimizer"]), last_steps(result), [], None
    for group, what in (("tail", "the rarest classes"), ("max", "every class")):
        found = runs.first_below(result, runs.of_class(result, "error", group), BELOW)
        said = np.full_like(found, np.nan)
        if "error_predicted" in result:
            course = runs.of_class(result, "error_predicted", group)
            said = runs.first_below(result, course, BELOW)
            ends = np.isfinite(course) == np.isfinite(result.array("loss").values)  # steps that it does not reach do not count
            said[np.isinf(said) & ~ends.all(axis=2)] = np.nan
        if told is not None and np.array_equal(told, found, equal_nan=True):
            parts.append("<p class=\"dim\">Every class has an error below 0.1 at these same steps.</p>\n")
            continue
        told = found
        predicted = [place for place in range(len(labels)) if not np.isnan(said[:, place]).all()]
        columns = [(place, each) for place in range(len(labels)) for each in ([found, said] if place in predicted else [found])]
        rows = [[*names(result, case, keys), *(steps_text(each[case.runs, place], last[case.runs, place].max()) for place, each in columns)]
                for case in cases]
        header, above = [*keys, *labels], ()
        if predicted:
            header = [*keys, *("measured" if each is found else "predicted" for _, each in columns)]
            above = [*(("", 1) for _ in keys), *((label, 2 if place in predicted else 1) for place, label in enumerate(labels))]
        parts.append(f"<h3>Steps until {what} {'have' if group == 'tail' else 'has'} an error below {BELOW:g}</h3>\n"
                     + cut_table(header, rows, above))
        by = ["--rows", ",".join(keys)] if keys else []
        words = ["rarefact", "table", file, *by, "--columns", "optimizer", "--value", "error", "--class", group, "--below", f"{BELOW:g}"]
        parts.append(f"<p class=\"dim\"><code>{escaped(shlex.join(words))}</code></p>\n")
    return "".join(parts)


def spread_text(values):
    """The number, or the range from the least to the largest."""
    values = values[np.isfinite(values)]
    if not len(values):
        return ""
    low, high = number(values.min()), number(values.max())
    return low if low == high else f"{low} to {high}"


def step_size_text(result, chosen, place):
    """η of the runs, and whether a search ended at the edge of its range."""
    edges = result.array("step_size_edge").values[chosen, place] if "step_size_edge" in result else np.zeros(len(chosen))
    edge = {-1: ", the least tried", 1: ", the largest tried"}
    return spread_text(result.array("step_size").values[chosen, place]) + next((edge[int(each)] for each in edges if each), "")


def last_step(result):
    """A row for each case and optimizer: losses and errors with their predictions, and the step size."""
    keys, cases = runs.all_cases(result)
    name = runs.of_classes(result)
    shown = [("loss", "tail", "loss [nat]" if name == "error" else "loss"), (name, "head", f"{name}, head"), (name, "tail", f"{name}, tail")]
    columns, header = [], [*keys, "optimizer"]
    for name, group, text in shown:
        columns.append(runs.last(runs.of_class(result, name, group)))
        header.append(text)
        predicted = f"{name}_predicted"
        if predicted in result and np.isfinite(result.array(predicted).values).any():
            columns.append(runs.last(runs.of_class(result, predicted, group)))
            header.append("predicted")
    rows, last = [], last_steps(result)
    several = len(np.unique(last)) > 1
    for case in cases:
        for place, label in enumerate(result.coords["optimizer"]):
            rows.append([*names(result, case, keys), label, *(interval(*runs.over_seeds(each[case.runs, place])) for each in columns),
                         step_size_text(result, case.runs, place) if "step_size" in result else "",
                         *([spread_text(last[case.runs, place].astype(float))] if several else [])])
    header += ["step size η", *(["last step"] if several else [])]
    shown = cut_table(header, rows)
    return f"<h3>At the last step</h3>\n{shown}" if len(rows) <= 12 else folded("At the last step", shown)


def error_text(errors):
    worst = np.max(errors)
    return "exact" if worst == 0 else f"{worst:.1g}" if np.isfinite(worst) else "nothing certified"


def computed(result):
    """How the numbers were computed: engine, reason, certified error, digits that rounding leaves, status of the runs."""
    every = len(result.coords["run"])
    engines, reasons, statuses = (result.array(name).values for name in ("engine", "engine_reason", "status"))
    digits = np.fmin.reduce(runs.digits_of(result, runs.of_classes(result)), axis=2)
    groups = {}
    for place, label in enumerate(result.coords["optimizer"]):
        for run in range(every):
            of = label, engines[run, place], reasons[run, place], statuses[run, place]
            groups.setdefault(of, (place, []))[1].append(run)
    rows = [[label, engine, reason, error_text(result.array("quadrature_error").values[chosen, place]),
             f"{left:.1f}" if np.isfinite(left := np.fmin.reduce(digits[chosen, place])) else "not measured", status,
             f"{len(chosen)} of {every}"] for (label, engine, reason, status), (place, chosen) in groups.items()]
    return table(["optimizer", "engine", "why", "certified relative error", "digits, least", "status", "runs"], rows)
