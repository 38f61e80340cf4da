#!/usr/bin/env python3
"""Entry point of rarefact plot and rarefact report: draw.py plot KIND RESULT.h5... | report RESULT.h5..."""

import sys

try:
    from rarefact import plot, report
except ModuleNotFoundError as missing:
    print(f"error: the Python package {missing.name} is missing (Debian: apt-get install python3-h5py python3-numpy python3-matplotlib)",
          file=sys.stderr)
    sys.exit(69)  # then the program tries another Python

COMMANDS = {"plot": plot.main, "report": report.main}

if __name__ == "__main__":
    if sys.argv[1:2] not in ([name] for name in COMMANDS):
        sys.exit(__doc__)
    sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:]))
