"""The tables of a result: steps to an error below 0.1, the last step, and how the numbers were computed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..figures import runs
from ..result import Result
from .html import escaped, folded, number, table

MOST_ROWS = 60
BELOW = 0.1
MEAN = "Runs that differ only in the seed are one row: their mean ± half the 95 % interval, Student's t with n − 1 degrees of freedom."


def cut_table(header: Sequence[str], rows: Sequence[Sequence[Any]], above: Sequence[tuple[str, int]] = ()) -> str:
    rest = f"<p class=\"dim\">{MOST_ROWS} of {len(rows)} rows; rarefact table shows others.</p>\n" if len(rows) > MOST_ROWS else ""
    return table(header, rows[:MOST_ROWS], above) + rest


def thresholds(result: Result, file: str) -> str:
    """Tables of steps to an error below 0.1, for the rarest classes and, if that differs, for every class."""
    keys, cases = runs.all_cases(result)
    labels, parts, told = list(result.coords["optimizer"]), [], None
    part = " of run.classes" if isinstance(runs.experiment_value(result, 0, "run.classes"), list) else ""
    for group, what in (("tail", f"the rarest classes{part}"), ("max", f"every class{part}")):
        found = runs.answers(result, runs.with_prediction(result, "error"), [*keys, "optimizer"], class_=group, below=BELOW)
        found = {place: [cell.text or "–" for cell in cells] for place, cells in found.items()}
        if found == told:
            parts.append(f"<p class=\"dim\">Every class{part} has an error below 0.1 at these same steps.</p>\n")
            continue
        told = found
        predicted = [label for label in labels if any(cells[1:] not in ([], ["–"]) for place, cells in found.items() if place[-1] == label)]
        rows = [[*case.place, *(cell for label in labels for cell in found[*case.place, label][:1 + (label in predicted)])] for case in cases]
        header, above = [*keys, *labels], list[tuple[str, int]]()
        if predicted:
            header = [*keys, *(word for label in labels for word in ["measured", "predicted"][:1 + (label in predicted)])]
            above = [*(("", 1) for _ in keys), *((label, 1 + (label in predicted)) for label in labels)]
        parts.append(f"<h3>Steps until {what} {'have' if group == 'tail' else 'has'} an error below {BELOW:g}</h3>\n"
                     + cut_table(header, rows, above))
        by = ["--rows", ",".join(keys)] if keys else []
        words = ["rarefact", "table", file, *by, "--columns", "optimizer", "--value", "error", "--class", group, "--below", f"{BELOW:g}"]
        parts.append(f"<p class=\"dim\"><code>{escaped(shlex.join(words))}</code></p>\n")
    return "".join(parts)


def last_step(result: Result) -> str:
    """A row for each case and optimizer: losses and errors with their predictions, and the step size."""
    (keys, cases), of_classes = runs.all_cases(result), runs.of_classes(result)
    columns, header = [], [*keys, "optimizer"]
    for name, group, head in (("loss", None, "loss [nat]" if of_classes == "error" else "loss"), (of_classes, "head", f"{of_classes}, head"),
                              (of_classes, "tail", f"{of_classes}, tail"), ("step_size", None, "step size η")):
        found = runs.answers(result, runs.with_prediction(result, name), [*keys, "optimizer"], class_=group)
        shown = [0, 1] if any(np.isfinite(cells[-1].mean) for cells in found.values() if len(cells) > 1) else [0]
        columns += [{place: cells[at].text or "–" for place, cells in found.items()} for at in shown]
        header += [head, "predicted"][:len(shown)]
    rows = [[*case.place, label, *(column[*case.place, label] for column in columns)] for case in cases for label in result.coords["optimizer"]]
    text = cut_table(header, rows)
    return f"<h3>At the last step</h3>\n{text}" if len(rows) <= 12 else folded("At the last step", text)


def error_text(errors: Any) -> str:
    worst = float(np.max(errors))
    return "exact" if worst == 0 else f"{worst:.1g}" if np.isfinite(worst) else "not estimated"


def computed(result: Result) -> str:
    """The computation of the numbers: engine, reason, estimated error, digits that rounding leaves, status of the runs."""
    every = len(result.coords["run"])
    engines, reasons, statuses = (result.array(name).values for name in ("engine", "engine_reason", "status"))
    known = runs.digits_of(result, runs.of_classes(result))
    digits = np.fmin.reduce(result.array(known).values, axis=2) if known else np.full(statuses.shape, np.nan)
    groups: dict[tuple[str, ...], tuple[int, list[int]]] = {}
    for place, label in enumerate(result.coords["optimizer"]):
        for run in range(every):
            of = label, engines[run, place], reasons[run, place], statuses[run, place]
            groups.setdefault(of, (place, []))[1].append(run)
    rows = [[label, engine, reason, error_text(result.array("quadrature_error").values[chosen, place]),
             f"{left:.1f}" if np.isfinite(left := np.fmin.reduce(digits[chosen, place])) else "not measured", status,
             f"{len(chosen)} of {every}"] for (label, engine, reason, status), (place, chosen) in groups.items()]
    return table(["optimizer", "engine", "why", "estimated relative error", "digits, least", "status", "runs"], rows)
