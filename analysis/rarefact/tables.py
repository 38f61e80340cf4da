"""Tables of results by rarefact table, the one query of results: for pandas, figures and reports."""

from __future__ import annotations

import csv
import io
import typing
from collections.abc import Iterator, Mapping
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


def answers(result: Result, axes: list[str], values: list[str], *, at: Any = None, program: PathLike | None = None,
            **more: Any) -> tuple[list[str], list[str], dict[tuple[Any, ...], list[str]], str]:
    """The cells of rarefact table by these axes, with its other options: the names of the axes, the heads of the further columns, and
    a dict: values of the axes -> texts; then what the cells show, in words."""
    steps = [] if at is None else as_list(at)
    words = options(rows=",".join(axes) or None, value=values, at=",".join(map(str, steps)) if steps else None, **more)
    text = programs.text_of(["table", "--format", "csv", *words, "--", result.path], program=program)
    _, about, text = text.split("\n", 2)
    header, *lines = csv.reader(io.StringIO(text))
    length = len(axes or ["optimizer"])

    def place(text: str, key: str) -> Any:
        """A number, or the text on an axis that has texts."""
        texts = key == "optimizer" or getattr(result.params.get(key), "dtype", None) == object
        return text if texts else number(text)

    return header[:length], header[length:], {tuple(map(place, line, header[:length])): line[length:] for line in lines}, about.removeprefix("# ")


def number(text: str) -> int | float | str:
    """The text as a number if it is one."""
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


class Answer(typing.NamedTuple):
    """A cell: a number, the mean of `count` runs that differ only in the seed, with half of its 95 % interval (NaN for one run); else
    `mean` is NaN, and the text says why."""

    text: str
    mean: float
    half: float
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls


def averages(result: Result, axes: list[str], values: list[str], **more: Any) -> dict[tuple[Any, ...], list[Answer]]:
    """A dict: values of the axes -> an Answer for each value."""
    _, heads, cells, _ = answers(result, axes, values, **more)
    several, nan = len(heads) > len(values), float("nan")

    def answer(text: str, half: str = "", count: str = "1") -> Answer:
        mean = number(text)
        return Answer(text, nan if isinstance(mean, str) else mean, float(half) if half else nan, int(count))

    return {place: [answer(*texts[at:at + 3]) if several else answer(texts[at]) for at in range(0, len(texts), 3 if several else 1)]
            for place, texts in cells.items()}


def table(result: Result, *, rows: Any = None, columns: Any = None, value: Any = None, where: Mapping[str, Any] | None = None,
          class_: int | str | None = None, program: PathLike | None = None, **more: Any) -> pandas.DataFrame:
    """The table of rarefact table as a pandas.DataFrame; several axes, values or numbers per cell make a MultiIndex. A cell is a
    number, or a text such as >200; attrs["description"] is the comment that says what they show, and whether some are approximate (≈)."""
    pandas, across = need("pandas"), _axes(columns)
    down = _axes(rows) if rows or "optimizer" in across else ["optimizer"]
    heads: list[tuple[str, ...]]
    axes, texts, found, about = answers(result, [*down, *across], as_list(value or []), where=dict(as_dict(where or {}, "where")), class_=class_,
                                 program=program, **more)
    names, heads = ["value"], [(name,) for name in texts]
    if len(heads) > 1 and texts[1].endswith((" half_width", " low")):
        heads, names = [tuple(name.rpartition(" ")[::2]) for name in texts], ["value", "statistic"]
    if len({head[0] for head in heads}) == 1 and (across or len(heads) > 1):
        heads, names = [head[1:] for head in heads], names[1:]
    cells: dict[Any, list[Any]] = {}
    seen: list[dict[Any, int]] = [{} for _ in axes]
    for place, shown in found.items():
        for entry, order in zip(place, seen):
            order.setdefault(entry, len(order))
        cells[place[:len(down)], place[len(down):]] = [number(text) if text else float("nan") for text in shown]
    columns = sorted({column for _, column in cells}, key=lambda column: [order[entry] for entry, order in zip(column, seen[len(down):])])
    rows = list(dict.fromkeys(row for row, _ in cells))

    def index(places: list[Any], names: list[str]) -> Any:
        if len(names) > 1:
            return pandas.MultiIndex.from_tuples(places, names=names)
        return pandas.Index([place[0] for place in places], name=names[0]) if names else pandas.RangeIndex(len(places))

    blank = [float("nan")] * len(heads)
    frame = pandas.DataFrame([[entry for column in columns for entry in cells.get((row, column), blank)] for row in rows],
                             index(rows, axes[:len(down)]), index([column + head for column in columns for head in heads],
                                                                 axes[len(down):] + names))
    frame.attrs["description"] = about
    return frame
