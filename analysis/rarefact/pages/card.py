"""A result in a notebook: its problem, engines, a small picture, notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import Error
from ..figures import kinds, runs
from ..figures.style import SYMBOLS, fixed_text, number
from ..result import Result
from . import html, sweep

SHOWN = ("model", "classes", "embedding", "answers", "init", "target", "data")
# What is not said: the defaults.
USUAL = {"model.loss": "softmax", "model.measurement": "vector", "init.kind": "zero", "answers.rounded": True, "data.mode": "population",
         "data.recovered": "kept", "data.label_noise": 0, "data.noise_answers": "uniform", "data.sampling_exponent": 1, "data.answer_noise": 0,
         "data.query_noise": 0, "data.query_scale": 1}


def entries(table: dict[str, Any], name: str) -> Iterator[tuple[str, Any]]:
    """(key with dots, value) of a table of the experiment; the embedding of queries and answers only once if both are alike."""
    if name == "embedding" and "query" in table and table["query"] == table.get("answer"):
        table = {key: value for key, value in table.items() if key not in ("query", "answer")} | table["query"]
    for key, value in table.items():
        if isinstance(value, dict):
            yield from entries(value, f"{name}.{key}")
        elif isinstance(value, (str, int, float)) and value != USUAL.get(f"{name}.{key}"):
            yield f"{name}.{key}", value


def problem(result: Result) -> str:
    """Loss, classes, embeddings, start, data and steps in a line, with the symbols of the glossary; swept keys with their values."""
    said = [fixed_text(key, number(value)) for name in SHOWN for key, value in entries(result.experiment.get(name, {}), name)
            if key not in result.params]
    said.append(f"{result.coords['step'][-1]} steps")
    for key, swept in result.params.items():
        values = list(dict.fromkeys(swept))
        few = ", ".join(map(number, values)) if len(values) <= 4 else f"{number(values[0])} to {number(values[-1])} ({len(values)} values)"
        said.append(f"{SYMBOLS.get(key, key)}: {few}")
    return "; ".join(said)


def notes(result: Result) -> list[str]:
    """The notes of the runs, each text once."""
    details = result.array("status_detail").values if "status_detail" in result else np.array([])
    return list(dict.fromkeys([*runs.incomplete(result), *filter(None, map(str, details.flat))]))


def picture(result: Result) -> str:
    """The first figure that shows the result; empty without the program, which lays out its numbers."""
    try:
        for kind, made, _, _ in kinds.drawings(result, html.NARROW, html.WIDE):
            return html.figure(made, kind.caption, f"card{kind.name}")
    except Error:
        pass
    return ""


def card(result: Result) -> str:
    """The HTML of a result, without a page around it."""
    warned = "".join(f"<li>{html.escaped(line)}</li>" for line in notes(result))
    return (f"<p><b>{html.escaped(result.title)}</b> ({html.escaped(result.path)})<br>{html.escaped(problem(result))}</p>"
            f"{sweep.computed(result)}{picture(result)}{f'<p>Notes:</p><ul>{warned}</ul>' if warned else ''}")
