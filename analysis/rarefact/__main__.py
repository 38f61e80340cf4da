"""The program, as the command rarefact that pip installs and as python -m rarefact."""

import os
import sys

from . import program
from .errors import Error


def main() -> None:
    """Becomes the program that belongs to this package, with the words of the command line."""
    try:
        path = program.first(program.BY_PIP, *program.BESIDE)
    except Error as error:
        sys.exit(f"error: {error}")
    # It draws figures with the first python3, and only this one is sure to have the package.
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    os.execv(path, ["rarefact", *sys.argv[1:]])


if __name__ == "__main__":
    main()
