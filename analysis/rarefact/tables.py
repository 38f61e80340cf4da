"""Tables of results by rarefact table, the one query of results: for pandas, figures and reports."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import program as programs
from .errors import bad_value, need
from .experiment import as_dict
from .experiment import value as as_toml

if TYPE_CHECKING:
    import pandas

    from .errors import PathLike
    from .result import Result


def as_list(item: Any) -> Any:
    item = item.tolist() if hasattr(item, "tolist") else item
    return item if isinstance(item, (list, tuple, range)) else [item]


def options(override: Mapping[str, Any] | None = None, **given: Any) -> list[str]:
    """Words of the command line: max_time="1h" is --max-time=1h, True is the bare option, None and False are omitted, a list gives
    the option several times, a dict each KEY=VALUE."""
    words = [f"--set={key}={as_toml(item, key)}" for key, item in as_dict(override or {}, "override").items()]
    for name, item in given.items():
        option = f"--{name.rstrip('_').replace('_', '-')}"
        if isinstance(item, dict):
            empty = next((key for key, items in item.items() if not as_list(items)), None)
            if empty is not None:
                raise bad_value(f"{name}: {empty}", "got an empty list; expected one value or several")
            item = [f"{key}={entry}" for key, entries in item.items() for entry in as_list(entries)]
        if item is not None and item is not False:
            words += [option] if item is True else [f"{option}={entry}" for entry in as_list(item)]
    return words


def _axes(names: Any) -> list[str]:
    return [part.strip() for name in as_list(names or []) for part in name.split(",")]


def answers(result: Result, *, rows: list[str], columns: Any = (), values: list[str], at: Any = None, program: PathLike | None = None,
            **more: Any) -> dict[str, Any]:
    """What `rarefact table --json` says of these axes and values, with its other options."""
    steps = [] if at is None else as_list(at)
    words = options(rows=",".join(rows) or None, columns=",".join(columns) or None, value=values,
                    at=",".join(map(str, steps)) if steps else None, **more)
    return programs.ask("table", *words, "--", result.path, program=program)


class Answer(typing.NamedTuple):
    """A cell: a number, the mean of `count` runs that differ only in the seed, with half of its 95 % interval (NaN for one run); else
    `mean` is NaN, and the text says why."""

    text: str
    mean: float
    half: float
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls


def averages(result: Result, axes: list[str], values: list[str], **more: Any) -> dict[tuple[Any, ...], list[Answer]]:
    """A dict: values of the axes -> an Answer for each value."""
    told, nan = answers(result, rows=axes, values=values, **more), float("nan")
    halves = told.get("half_width") or [[None] * len(values)] * len(told["runs"])

    def answer(text: str, mean: float | None, half: float | None, count: int) -> Answer:
        return Answer(text, nan if mean is None else mean, nan if half is None else half, count)

    return {tuple(place): list(map(answer, *cells)) for place, *cells in zip(told["row_heads"], told["text"], told["number"], halves, told["runs"])}


def table(result: Result, *, rows: Any = None, columns: Any = None, value: Any = None, where: Mapping[str, Any] | None = None,
          class_: int | str | None = None, program: PathLike | None = None, **more: Any) -> pandas.DataFrame:
    """The table of rarefact table as a pandas.DataFrame; several axes, values or numbers per cell make a MultiIndex. A cell is a
    number, or a text such as >200; attrs["description"] says what they show, and whether some are approximate (≈)."""
    pandas, nan = need("pandas"), float("nan")
    told = answers(result, rows=_axes(rows), columns=_axes(columns), values=as_list(value or []), where=dict(as_dict(where or {}, "where")),
                   class_=class_, program=program, **more)
    cells = [[text or nan if number is None else number for text, number in zip(*line)] for line in zip(told["text"], told["number"])]
    names, heads = told["column_keys"], told["column_heads"]
    if "half_width" in told or "low" in told:  # further numbers of each cell
        further = {name.replace("runs", "n"): told[name] for name in ("half_width", "low", "high", "runs") if name in told}
        for name in further.keys() - {"n"}:  # JSON has no infinity; a cell without a number has no interval
            further[name] = [[end if end is not None else nan if mean is None or n == 1 else math.inf for end, mean, n in zip(*line)]
                             for line in zip(further[name], told["number"], told["runs"])]
        cells = [[number for parts in zip(*line) for number in parts] for line in zip(cells, *further.values())]
        names, heads = [*names, "statistic"], [[*head, name] for head in heads for name in (told["average"], *further)]
    elif not names:
        names, heads = ["value"], [[told["value"]]]

    def index(places: list[Any], names: list[str]) -> Any:
        if len(names) > 1:
            return pandas.MultiIndex.from_tuples(map(tuple, places), names=names)
        return pandas.Index([place[0] for place in places], name=names[0]) if names else pandas.RangeIndex(len(places))

    frame = pandas.DataFrame(cells, index(told["row_heads"], told["row_keys"]), index(heads, names))
    frame.attrs["description"] = told["description"]
    return frame
