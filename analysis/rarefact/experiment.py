"""Experiments as dicts, and their conversion to the TOML that the program reads."""

from __future__ import annotations

import collections.abc
import json
import numbers
import os
import pathlib
import re
import tomllib

from collections.abc import Iterator, Mapping
from typing import Any

from .errors import Error, PathLike, Problem, bad_value, word

Experimental = Mapping[str, Any] | PathLike  # an experiment or the path of its file


class Experiment(dict[str, Any]):
    """A dict that remembers the folder of its file, where its relative paths start; so do its copies (copy, deepcopy, |), not {**e}."""

    def __init__(self, *pairs: Any, folder: str | None = None, **more: Any) -> None:
        super().__init__(*pairs, **more)
        self.folder = folder

    def copy(self) -> Experiment:
        return Experiment(self, folder=self.folder)

    __copy__ = copy

    def __or__(self, other: Mapping[str, Any]) -> Experiment:  # type: ignore[override]
        return Experiment(dict(self) | dict(other), folder=self.folder)


def load(path: PathLike) -> Experiment:
    """The experiment in a TOML file.

    path  the file; relative paths in the experiment start at its folder"""
    path = pathlib.Path(word(path))
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Error(f"{path}: no such file; rarefact.init() writes an experiment to start from", code=3) from None
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path}: {getattr(error, 'strerror', None) or 'not a text in UTF-8'}", code=3) from None
    try:
        return Experiment(tomllib.loads(text), folder=str(path.resolve().parent))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        line, column = map(int, place.groups()) if place else (None, None)
        problem = Problem(str(error)[:place.start()] if place else str(error), str(path), line, column)
        raise Error(str(problem), [problem]) from None


def linspace(first: float, last: float, count: int) -> dict[str, Any]:
    """An axis of numbers in equal steps, rounded to 15 digits.

    first  the first number
    last   the last number, included
    count  how many"""
    return {"linspace": [first, last, count]}


def logspace(first: float, last: float, count: int) -> dict[str, Any]:
    """An axis of numbers in equal ratios.

    first  the first number, not its exponent
    last   the last number, included
    count  how many"""
    return {"logspace": [first, last, count]}


def prepared(experiment: Experimental, axes: Mapping[Any, Any] | None = None) -> tuple[str, str | None, str | None, Any]:
    """Prepares an experiment (a path or dict) and further axes for the program. Returns its operand, the text for its standard input
    or None, the folder where relative paths start or None (the working folder), and the experiment's name or None if unknown."""
    if isinstance(experiment, (str, os.PathLike)):
        if not axes:
            return os.fspath(experiment), None, None, None
        experiment = load(experiment)
    if not isinstance(experiment, collections.abc.Mapping):
        raise bad_value("experiment", f"got {_kind(experiment)}; expected a dict or the path of a TOML file")
    folder = getattr(experiment, "folder", None)
    if axes:
        experiment = {**experiment, "sweep": {**as_dict(experiment.get("sweep", {}), "sweep"), **as_dict(axes, "axes")}}
    return "-", toml(experiment), folder, experiment.get("name")


def toml(experiment: Mapping[str, Any]) -> str:
    """The text of an experiment file. Exact numbers of any type (NumPy's, Fraction) keep their value; for other types an Error
    names the key.

    experiment  a dict"""
    plain: list[str] = []
    tables: list[str] = []
    for key, item in experiment.items():
        name = _name(key)
        rows = item if isinstance(item, (list, tuple)) and item and all(isinstance(row, collections.abc.Mapping) for row in item) else None
        if isinstance(item, collections.abc.Mapping) or rows:
            for row in rows or [item]:
                tables += [f"\n[[{name}]]" if rows else f"\n[{name}]", *lines(row, key)]
        else:
            plain.append(f"{name} = {value(item, key)}")
    return "\n".join([*plain, *tables]) + "\n"


def lines(row: Mapping[str, Any], key: str, families: tuple[str, ...] = ("param", "state", "let")) -> Iterator[str]:
    """The entries of a table. Members of a rule's families have a line each, so that errors in formulas can name it."""
    for name, item in row.items():
        if name in families and isinstance(item, collections.abc.Mapping) and item:
            yield from (f"{name}.{line}" for line in lines(item, f"{key}.{name}", ()))
        else:
            yield f"{_name(name)} = {value(item, f'{key}.{name}')}"


def value(item: Any, key: str, depth: int = 0) -> str:
    """A value as TOML; the key is for error messages."""
    if depth > 30:
        raise bad_value(key.partition(".")[0], "holds itself, or lists and dicts more than 30 deep")
    if hasattr(item, "to_numpy"):  # pandas, xarray
        item = item.to_numpy()
    if hasattr(item, "tolist"):  # NumPy and similar; a float32 is converted exactly
        item = item.tolist()
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, numbers.Integral) and -2**63 <= int(item) < 2**63:
        return str(int(item))
    if isinstance(item, numbers.Real):
        try:
            exact = float(item)
        except OverflowError:
            exact = None
        if exact != item and item == item:
            raise bad_value(key, f"{item} is no double; the nearest is {exact}")
        return repr(exact)
    if isinstance(item, (str, os.PathLike)):
        return _text(os.fspath(item), key)
    if isinstance(item, collections.abc.Mapping):
        return "{" + ", ".join(f"{_name(k)} = {value(v, f'{key}.{k}', depth + 1)}" for k, v in item.items()) + "}"
    if isinstance(item, (list, tuple, range)):
        return "[" + ", ".join(value(part, key, depth + 1) for part in item) + "]"
    raise bad_value(key, f"got {_kind(item)}; expected a number, a string, true or false, a list or a dict",
                    "leave the key out for its default" if item is None else None)


def as_dict(item: Any, key: str) -> Mapping[Any, Any]:
    if not isinstance(item, collections.abc.Mapping):
        raise bad_value(key, f"got {_kind(item)}; expected a dict")
    return item


def _kind(item: Any) -> str:
    return "None" if item is None else f"a {type(item).__name__}"


def _text(text: str, key: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise bad_value(key, f"{text!a} cannot be written in UTF-8") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _name(key: Any) -> str:
    key = ", ".join(key) if isinstance(key, tuple) else key  # keys of a sweep that move together
    if not isinstance(key, str):
        raise bad_value(repr(key), f"got {_kind(key)} as a key; expected a string")
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _text(key, key)
