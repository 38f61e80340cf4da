"""Exceptions. Each says in one line what went wrong and what to do."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import difflib
import importlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

PathLike = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True)
class Problem:
    """One mistake. Members that the program does not know are None; line and column of the file count from 1."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.message}" if self.file else self.message


for_python = contextvars.ContextVar("for_python", default=True)


@contextlib.contextmanager
def for_shell() -> Iterator[None]:
    """A context in which messages name the options of a command, not the arguments of Python."""
    token = for_python.set(False)
    try:
        yield
    finally:
        for_python.reset(token)


def in_python(text: str) -> str:
    """A message of the program without words of the command line: --jobs is jobs, --below 0.1 is below=0.1, rarefact list theorems is
    rarefact.list("theorems")."""
    if not for_python.get():
        return text
    text = re.sub(r"\nusage: .*", "", text, flags=re.DOTALL)
    text = re.sub(r"rarefact run \S.* computes them", "rarefact.run computes them", text).replace("standard input: error: ", "")
    text = re.sub(r"rarefact (list|explain) (theorems|sweep)\b", r'rarefact.\1("\2")', text).replace("rarefact plot ", "rarefact.plot.")
    text = re.sub(r"rarefact (run|merge|list|explain|info|check|verify)\b", r"rarefact.\1", text)
    text = text.replace("another output with -o", "another output=").replace("--reuse copies", "reuse= copies")

    def entry(found: re.Match[str]) -> str:
        """KEY=VALUE as a dict."""
        plain = re.fullmatch(r"[A-Z]+|true|false|[-+.0-9][-+.0-9e]*|[\[{\"'].*", found[3])
        return f'{found[1]}={{"{found[2]}": {found[3] if plain else json.dumps(found[3], ensure_ascii=False)}}}'

    def argument(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        name = {"class": "class_", "from": "from_"}.get(name, name)
        return f"{name}={found[2]}" if found[2] else name

    text = text.replace("--set: ", "override: ")
    text = re.sub(r"^--set ()(\S+?)=(.*)$", lambda found: entry(found).replace("=", "override=", 1), text)
    text = re.sub(r"--(where|set) ([\w.]+)=([^\s;:,]+)", entry, text).replace("} where={", ", ")
    return re.sub(r"(?<![\w-])--(?!array)([a-z]+(?:-[a-z]+)*)(?: ([A-Z]+|max|min|[0-9][^\s;:,]*)(?!\w))?", argument, text)


class Error(Exception):
    """A call that failed. `problems` lists all mistakes; key, line and hint are those of the first. `code` is the
    program's exit code: 1 a run failed, 2 bad input, 3 input or output, 4 damaged or incomplete, 75 stopped early."""

    code = 2

    def __init__(self, message: str, problems: Sequence[Problem] = (), code: int | None = None) -> None:
        message = in_python(message)
        super().__init__(message)
        self.problems = list(problems) or [Problem(message)]
        self.code = self.code if code is None else code

    @property
    def key(self) -> str | None:
        return self.problems[0].key

    @property
    def line(self) -> int | None:
        return self.problems[0].line

    @property
    def hint(self) -> str | None:
        return self.problems[0].hint


class NotAResult(Error):
    """The file is not a result of rarefact; the text is one line."""

    code = 4


class MissingPackage(Error, ModuleNotFoundError):
    """A Python package that the call needs is not installed; `name` is its name."""

    code = 3

    def __init__(self, package: str) -> None:
        super().__init__(f"the Python package {package} is missing "
                         f"(Debian: apt-get install python3-{package}; else: pip install {package})")
        self.name = package

    def __reduce__(self) -> tuple[type[MissingPackage], tuple[str]]:
        """Pickled by its name, as workers of Dask send it."""
        return type(self), (str(self.name),)


def nearest(word: str, words: Iterable[str]) -> str:
    """'; did you mean X?', or empty."""
    words = list(words)
    if word in ("accuracy", "acc", "top1") and "error" in words:
        return "; accuracy is 1-error"
    close = difflib.get_close_matches(word, words, 1)
    return f"; did you mean {close[0]}?" if close else ""


def bad_value(key: str, message: str, hint: str | None = None) -> Error:
    """An Error about one key of an experiment or one argument of a call."""
    message = f"{key}: {message}{f'; {hint}' if hint else ''}"
    return Error(message, [Problem(message, key=key, hint=hint)])


def word(item: Any) -> str:
    """The text of a path or word. Raises Error if the system would not accept it in a command."""
    text = os.fspath(item) if isinstance(item, os.PathLike) else item if isinstance(item, (str, bytes)) else str(item)
    if isinstance(text, bytes) or "\0" in text or any(0xd800 <= ord(c) < 0xdc80 or 0xdcff < ord(c) < 0xe000 for c in text):
        raise Error(f"got {text!a}; expected a string without NUL and half characters")
    return text


def path_of(result: Any) -> str:
    """The path of a result, or of its file, as word() gives it."""
    return word(getattr(result, "path", result))


def need(module: str) -> Any:
    """Imports a module when it is used, so that packages are needed only for the calls that use them."""
    try:
        return importlib.import_module(module, __package__)
    except MissingPackage:
        raise
    except ModuleNotFoundError as missing:
        raise MissingPackage((missing.name or module).partition(".")[0]) from None
