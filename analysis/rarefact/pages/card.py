"""A result in a notebook: its problem, engines, a small picture, notes."""

import contextlib
import io

import numpy as np

from ..errors import Error
from ..figures import kinds, runs
from ..figures.style import SYMBOLS, fixed_text, number
from . import html, sweep

NARROW, WIDE = 3.9, 6.75  # inches, of the picture


USUAL = {"data.mode": "population", "data.recovered": "kept", "data.label_noise": 0.0}


def problem(result):
    """Classes, embeddings, data and steps in a line, with the symbols of the glossary; swept keys with their values."""
    said, kinds_of = [], {side: entries.get("kind") for side, entries in result.experiment.get("embedding", {}).items() if isinstance(entries, dict)}
    for table in ("classes", "data"):
        for name, value in result.experiment.get(table, {}).items():
            if f"{table}.{name}" not in result.params and value != USUAL.get(f"{table}.{name}") and isinstance(value, (str, int, float)):
                said.append(fixed_text(f"{table}.{name}", number(value)))
        if table == "classes" and "embedding.kind" not in result.params:
            sides = {"": next(iter(kinds_of.values()))} if len(set(kinds_of.values())) == 1 else kinds_of
            said += [f"{side} embeddings: {kind}".strip() for side, kind in sides.items()]
    said.append(f"{result.coords['step'][-1]} steps")
    for key, swept in result.params.items():
        values = list(dict.fromkeys(swept))
        few = ", ".join(map(number, values)) if len(values) <= 4 else f"{number(values[0])} to {number(values[-1])} ({len(values)} values)"
        said.append(f"{SYMBOLS.get(key, key)}: {few}")
    return "; ".join(said)


def notes(result):
    """What runs have to say, each text once."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        runs.say_incomplete(result)
    lines = [line.removeprefix(f"{result.path}: ") for line in said.getvalue().splitlines()]
    details = result.array("status_detail").values if "status_detail" in result else np.array([])
    return list(dict.fromkeys([*lines, *filter(None, map(str, details.flat))]))


def picture(result):
    """The first figure that shows the result; empty without the program, which lays out its numbers."""
    try:
        for kind, made, _, _ in kinds.drawings(result, NARROW, WIDE):
            return html.figure(made, kind.caption, f"card{kind.name}")
    except Error:
        pass
    return ""


def card(result):
    """The HTML of a result, without a page around it."""
    warned = "".join(f"<li>{html.escaped(line)}</li>" for line in notes(result))
    return (f"<p><b>{html.escaped(result.title)}</b> ({html.escaped(result.path)})<br>{html.escaped(problem(result))}</p>"
            f"{sweep.computed(result)}{picture(result)}{f'<p>Notes:</p><ul>{warned}</ul>' if warned else ''}")
