#!/usr/bin/env python3
"""Draws every figure that result files have the numbers for.

    analysis/figures.py results/starter.h5 -o figures

Writes figures/<name of the result>_<kind>.pdf, .svg, .png and .csv. The scripts of the single kinds have more options.
"""

import argparse
import pathlib
import sys

import kinds
import rarefact
import style


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result files of rarefact run")
    parser.add_argument("-o", "--output", default="figures", help="the folder; default: figures")
    parser.add_argument("--width", type=style.width, help=f"{', '.join(style.WIDTHS)} or inches; default: by the number of panels")
    options = parser.parse_args()
    code, drawn = 0, 0
    for path in options.result:
        try:
            result = rarefact.open(path)
        except rarefact.NotAResult as error:
            style.say(f"error: {error}")
            code = 4
            continue
        style.say_incomplete(result)
        for kind, drawing, said in kinds.drawings(result, options.width, options.width):
            for line in said.splitlines():
                style.say(f"{path}: {kind.name}: {line}")
            for written in drawing.save(pathlib.Path(options.output) / f"{pathlib.Path(path).stem}_{kind.name}"):
                print(written)
            drawn += 1
    if not drawn:
        style.say("error: nothing that could be drawn")
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
