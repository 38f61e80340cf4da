"""Writing outputs: a file is complete or absent, and replaces only an earlier output of the same kind."""

from __future__ import annotations

import contextlib
import os
import pathlib
import secrets
from collections.abc import Iterator

from .errors import Error, PathLike


@contextlib.contextmanager
def said_of(path: PathLike) -> Iterator[None]:
    """Turns errors of the system into an OSError that names this path instead of numbers and temporary names."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        raise OSError(f"{path}: {error.strerror}") from None


def refuse(path: PathLike, start: bytes) -> None:
    """Raises Error, in one line with the name, unless the name is free or that of an empty file or of an output, which begins with `start`."""
    path = pathlib.Path(path)
    if path.is_dir():
        raise Error(f"{path} is a folder; expected the name of a file")
    if os.path.lexists(path) and not path.is_file():
        raise Error(f"{path} is not a regular file")
    with said_of(path):
        if path.is_file() and path.open("rb").read(len(start)) not in (b"", start):
            raise Error(f"{path} exists and is not an earlier output of this kind, so it is not overwritten")


def write(path: PathLike, data: bytes) -> None:
    """Writes the whole file or, if the program ends before, none. A link is replaced, not followed. Raises OSError."""
    path = pathlib.Path(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    with said_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("xb") as file:
                file.write(data)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
