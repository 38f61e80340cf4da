"""Writing outputs: a file is complete or absent, and only regular files are replaced."""

import contextlib
import os
import pathlib
import secrets


@contextlib.contextmanager
def said_of(path):
    """What the system refuses, as an OSError that names this path instead of numbers and temporary names."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        raise OSError(f"{path}: {error.strerror}") from None


def refuse(path):
    """Raises OSError, in one line with the name, if nothing may or can be written under this name."""
    path = pathlib.Path(path)
    if path.is_dir():
        raise OSError(f"{path} is a folder; expected the name of a file")
    if os.path.lexists(path) and not path.is_file():
        raise OSError(f"{path} is not a regular file")
    with said_of(path):
        if path.is_file() and path.open("rb").read(4) == b"\x89HDF":
            raise OSError(f"{path} holds an HDF5 file, which is not overwritten")


def write(path, data):
    """Writes the whole file or, if the program ends before, none. A link is replaced, not followed. Raises OSError."""
    refuse(path)
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
