#!/usr/bin/env python3
"""Entry point of rarefact plot and rarefact report: draw.py plot KIND RESULT.h5... | report RESULT.h5..."""

import os
import sys
import traceback

DEBIAN = "/usr/bin/python3"

try:
    from rarefact import plot, report
except ModuleNotFoundError as missing:
    # The first Python on PATH may be the user's own, but Debian's packages are only for Debian's Python.
    if sys.prefix != "/usr" and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    print(f"error: the Python package {missing.name} is missing (Debian: apt-get install python3-h5py python3-numpy python3-matplotlib)",
          file=sys.stderr)
    sys.exit(3)

COMMANDS = {"plot": plot.main, "report": report.main}

if __name__ == "__main__":
    if sys.argv[1:2] not in ([name] for name in COMMANDS):
        sys.exit(__doc__)
    try:
        sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:]))
    except Exception:  # a mistake of ours: not one of the program's other exit codes
        traceback.print_exc()
        sys.exit(3)
