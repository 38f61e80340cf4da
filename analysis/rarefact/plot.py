"""Draws figures: the kinds, each with options of its own, and `all` that a result file has the numbers for.

    rarefact plot all results/starter.h5 -o figures

Writes figures/<name of the result>_<kind>.pdf, .svg, .png and .csv. rarefact plot KIND --help says more of a kind.
"""

import argparse
import pathlib

from .figures import kinds, style
from .result import NotAResult, Result


def draw_all(words):
    parser = argparse.ArgumentParser(prog="rarefact plot all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result files of rarefact run")
    parser.add_argument("-o", "--output", default="figures", help="the folder; default: figures")
    parser.add_argument("--width", type=style.width, help=f"{', '.join(style.WIDTHS)} or inches; default: by the number of panels")
    options = parser.parse_args(words)
    code, drawn = 0, 0
    for path in options.result:
        try:
            result = Result(path)
        except NotAResult as error:
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


def main(words):
    """The exit code of `rarefact plot` with these words."""
    scripts = {kind.name: kind.script for kind in kinds.KINDS}
    name = words[0] if words else ""
    if name == "all":
        return draw_all(words[1:])
    if name not in scripts:
        style.say(f"error: there is no kind of figure \"{name}\"; there are all, {', '.join(sorted(scripts))}")
        return 2
    return style.main(words[1:], scripts[name].parser(), scripts[name].draw)
