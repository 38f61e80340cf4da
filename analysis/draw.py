#!/usr/bin/env python3
"""Entry point of rarefact plot and rarefact report: draw.py PROGRAM plot KIND RESULT.h5... | PROGRAM report RESULT.h5..."""

import os
import sys
import traceback

DEBIAN = "/usr/bin/python3"

try:
    from rarefact import plot, program, report
except ModuleNotFoundError as missing:
    # The first Python on PATH may be the user's own, but Debian's packages are only for Debian's Python.
    if sys.prefix != "/usr" and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    print(f"error: the Python package {missing.name} is missing (Debian: apt-get install python3-h5py python3-numpy python3-matplotlib)",
          file=sys.stderr)
    sys.exit(3)

COMMANDS = {"plot": plot.main, "report": report.main}


class Visible:
    """A stream in which characters that could control a terminal are escaped."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write("".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text))

    def __getattr__(self, name):
        return getattr(self.stream, name)


if __name__ == "__main__":
    if sys.argv[2:3] not in ([name] for name in COMMANDS):
        sys.exit(__doc__)
    program.default = sys.argv[1]
    sys.stdout, sys.stderr = Visible(sys.stdout), Visible(sys.stderr)
    try:
        sys.exit(COMMANDS[sys.argv[2]](sys.argv[3:]))
    except Exception:  # an internal error: exit code 1 would mean something else
        traceback.print_exc()
        sys.exit(3)
