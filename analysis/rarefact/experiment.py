"""Experiments as dicts, and their conversion to the TOML that the program reads."""

import collections.abc
import json
import numbers
import os
import pathlib
import re
import tomllib

from .errors import Error, Problem, bad_value, word


class Experiment(dict):
    """A dict that remembers the folder of its file, where its relative paths start; so do its copies (copy, deepcopy, |), not {**e}."""

    def __init__(self, *pairs, folder=None, **more):
        super().__init__(*pairs, **more)
        self.folder = folder

    def copy(self):
        return Experiment(self, folder=self.folder)

    __copy__ = copy

    def __or__(self, other):
        return Experiment(dict(self) | other, folder=self.folder)


def load(path):
    """The experiment in a TOML file."""
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


def linspace(first, last, count):
    """An axis of `count` numbers from first to last, both included, in equal steps, rounded to 15 digits."""
    return {"linspace": [first, last, count]}


def logspace(first, last, count):
    """An axis of `count` numbers from first to last, both included, in equal ratios. first and last are values, not exponents."""
    return {"logspace": [first, last, count]}


def prepared(experiment, axes=None):
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


def toml(experiment):
    """The text of an experiment file. Exact numbers of any type (NumPy's, Fraction) keep their value; for other types an Error
    names the key."""
    plain, tables = [], []
    for key, item in experiment.items():
        name = _name(key)
        rows = item if isinstance(item, (list, tuple)) and item and all(isinstance(row, collections.abc.Mapping) for row in item) else None
        if isinstance(item, collections.abc.Mapping) or rows:
            for row in rows or [item]:
                tables += [f"\n[[{name}]]" if rows else f"\n[{name}]", *lines(row, key)]
        else:
            plain.append(f"{name} = {value(item, key)}")
    return "\n".join([*plain, *tables]) + "\n"


def lines(row, key, families=("param", "state", "let")):
    """The entries of a table. Members of a rule's families have a line each, so that errors in formulas can name it."""
    for name, item in row.items():
        if name in families and isinstance(item, collections.abc.Mapping) and item:
            yield from (f"{name}.{line}" for line in lines(item, f"{key}.{name}", ()))
        else:
            yield f"{_name(name)} = {value(item, f'{key}.{name}')}"


def value(item, key, depth=0):
    """A value as TOML; the key is for error messages."""
    if depth > 30:
        raise bad_value(key.partition(".")[0], "holds itself, or lists and dicts more than 30 deep")
    if hasattr(item, "to_numpy"):  # pandas, xarray
        item = item.to_numpy()
    if hasattr(item, "tolist"):  # NumPy and similar; a float32 is converted exactly
        item = item.tolist()
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, numbers.Integral) and -2**63 <= item < 2**63:
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
    raise bad_value(key, f"got {_kind(item)}; expected a number, a text, true or false, a list or a dict",
                    "leave the key out for its default" if item is None else None)


def as_dict(item, key):
    if not isinstance(item, collections.abc.Mapping):
        raise bad_value(key, f"got {_kind(item)}; expected a dict")
    return item


def _kind(item):
    return "None" if item is None else f"a {type(item).__name__}"


def _text(text, key):
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise bad_value(key, f"{text!a} cannot be written in UTF-8") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _name(key):
    key = ", ".join(key) if isinstance(key, tuple) else key  # keys of a sweep that move together
    if not isinstance(key, str):
        raise bad_value(repr(key), f"got {_kind(key)} as a key; expected a text")
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _text(key, key)
