"""The kinds of figures, and which of them apply to a result. To add a kind, write a module here with parser() and
draw(results, options) -> Drawing, and add its row to KINDS."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
from collections.abc import Callable, Iterator
from typing import Any

from ..result import Result
from . import class_errors, curves, drawing, gap, heat_map, layout, losses, runs, style, threshold


@dataclasses.dataclass(frozen=True)
class Kind:
    script: Any
    caption: str
    applies: Callable[[Result], bool]
    words: Callable[[Result], list[str]] = lambda result: []  # options of the script
    wide: Callable[[Result], bool] = lambda result: False     # whether the panels need the width of a page

    @property
    def name(self) -> str:
        return self.script.__name__.rpartition(".")[2]

    def draw(self, results: list[Result], options: argparse.Namespace) -> drawing.Drawing:
        with style.styled():
            made = self.script.draw(results, options)
            if "log" in options:
                layout.scaled(made.figure, options)
                layout.unhide(made.figure)
            layout.grow(made.figure)
            return made


def recorded(result: Result) -> int:
    return len(result.coords["step"])


def gap_applies(result: Result) -> bool:
    """True if gaps can be drawn over steps or step sizes, with a panel for each kind of embeddings."""
    others = [key for key in runs.free_keys(result) if key != "embedding.kind"]
    return recorded(result) > 2 or (len(others) == 1 and others[0].endswith(".step_size"))


def small_sweep(result: Result) -> bool:
    """True if two free keys, or one and the optimizers, have few enough values for a map; of further keys only some values are drawn."""
    keys = runs.free_keys(result)
    return len(keys) + (len(result.coords["optimizer"]) > 1) >= 2 and bool(keys) and all(len(set(result.params[key])) <= 12 for key in keys)


def few_cases(result: Result) -> bool:
    """True if every case can have a panel of curves."""
    return 2 <= len(runs.all_cases(result)[1]) <= 3


def against(result: Result) -> list[str]:
    """The options of curves for a sweep over the number of steps, or with more cases of one swept number than panels."""
    keys = [key for key in runs.free_keys(result) if not isinstance(result.params[key][0], str)]
    if "run.steps" in result.params:
        return ["--value", "excess_loss", "--against", "run.steps", "--fit"]
    many = len(keys) == 1 and len(runs.all_cases(result)[1]) > 6 and "gap" in result
    return ["--value", "gap", "--over", "max", "--against", keys[0]] if many else []


KINDS = [
    Kind(heat_map, "The sweep as a heat map; hatched cells do not reach the threshold.", small_sweep, wide=lambda result: True),
    Kind(curves, "Error of the rarest classes against step; against a swept number the largest gap along each run, or the excess loss.",
         lambda result: recorded(result) > 2 and len(result.coords.get("class_group", [])) > 1, against,
         lambda result: few_cases(result) or bool(against(result))),
    Kind(class_errors, "Error of the classes against step, from head (dark) to tail (light).",
         lambda result: recorded(result) > 2, wide=few_cases),
    Kind(losses, "Loss against step.", lambda result: recorded(result) > 2, wide=few_cases),
    Kind(threshold, "First step with an error below 0.1 against the rank of the class.",
         lambda result: runs.learns(result) and len(result.coords.get("class_group", [])) > 2, wide=few_cases),
    Kind(gap, "Gap between the best and the worst class against the loss; learning goes from left to right.",
         gap_applies, wide=lambda result: "embedding.kind" in result.params),
]


def drawings(result: Result, width: float | None = None, wide: float | None = None,
             wanted: Callable[[Kind], bool] = lambda kind: True) -> Iterator[tuple[Kind, drawing.Drawing, list[str], str]]:
    """Yields (kind, drawing, words, messages) for every wanted kind that applies, drawn `width` inches wide, or `wide` if it needs that.
    If a sweep has more cases than a figure has room for, the first is drawn; the words select it."""
    for kind in KINDS:
        if not wanted(kind) or not kind.applies(result):
            continue
        inches = wide if kind.wide(result) else width
        words, said, size = kind.words(result), io.StringIO(), ["--width", str(inches)] if inches else []
        for attempt in range(2):
            try:
                with contextlib.redirect_stderr(said):
                    made = kind.draw([result], kind.script.parser().parse([*words, *size, result.path]))
            except runs.TooMany as several:
                words = [*words, *(word for text in several.where for word in ("--where", text))]
                continue
            except runs.Missing:
                break
            yield kind, made, words, said.getvalue().replace(f"{result.path}: ", "").strip()
            break
