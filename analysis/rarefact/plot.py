"""Draws figures: the kinds, each with its options, or `all` kinds for which a result file has the numbers.

    rarefact plot all results/starter.h5 -o figures

Writes figures/<name of the result>_<kind>.pdf, .svg, .png and .csv. rarefact plot KIND --help explains a kind.

In a notebook every kind is a function of a result or its path, with the options of the command:

    rarefact.plot.curves("results/starter.h5", value=["error", "gap"], where={"seed": 1})   # a matplotlib figure
    rarefact.plot.heat_map(result, below=0.1, output="figures/steps.pdf")                   # and the files
"""

from __future__ import annotations

import argparse
import inspect
import pathlib
from collections.abc import Callable
from typing import Any

import matplotlib.figure

from . import tables
from .errors import Error, PathLike, for_shell, nearest
from .figures import kinds, options, style
from .figures.runs import Missing, opened_all, say, say_incomplete
from .result import Result

KINDS = {kind.name: kind for kind in kinds.KINDS}


def opened(result: Any) -> Result:
    """The Result itself, or the one at a path or at the path of an object; says which of its runs are incomplete."""
    path = getattr(result, "path", result)
    if not isinstance(path, (str, pathlib.Path)):
        raise Missing(f"got {type(result).__name__}; expected a result or the path of its file")
    found = result if isinstance(result, Result) else Result(path)
    say_incomplete(found)
    return found


def function(kind: kinds.Kind) -> Callable[..., matplotlib.figure.Figure]:
    """kind.draw as a function for notebooks."""
    def draw(result: Any, output: PathLike | None = None, **named: Any) -> matplotlib.figure.Figure:
        several = isinstance(result, (list, tuple))
        results, parser = [opened(item) for item in (result if several else [result])], kind.script.parser()
        chosen = parser.parse([*tables.options(**named), "--", *(item.path for item in results)])
        made = kind.draw(results, chosen)
        made.settle()
        if output is not None:
            made.save(output)
        return made.figure

    named = options.named(kind.script.parser())
    draw.__name__, draw.__qualname__ = kind.name, f"plot.{kind.name}"
    about = {"result": "a Result, the path of its file, or a list of them",
             "output": "a file, such as figures/mine.pdf; without .pdf, .svg or .png all three are written; the numbers beside it as .csv",
             **{name: meaning for name, (_, _, meaning) in named.items()}}
    draw.__doc__ = "\n".join([kind.script.__doc__ or "", "Returns the matplotlib figure.", "",
                              *(f"{name:{max(map(len, about))}}  {meaning}" for name, meaning in about.items())])
    signature = inspect.signature(draw)
    vars(draw)["__signature__"] = signature.replace(parameters=[*list(signature.parameters.values())[:2], *(
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (default, kind, _) in named.items())])
    return draw


heat_map, curves, class_errors, losses, threshold, gap = map(function, kinds.KINDS)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"unknown kind of figure {name}{nearest(name, KINDS) or '; the kinds are ' + ', '.join(KINDS)}")


def __dir__() -> list[str]:
    return list(KINDS)


def draw_all(words: list[str]) -> int:
    parser = options.Parser(prog="rarefact plot all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result files of rarefact run")
    parser.add_argument("-o", "--output", default="figures", help="the folder; default: figures")
    parser.add_argument("--width", type=options.width, help=f"{', '.join(style.WIDTHS)} or inches; default: by the number of panels")
    chosen = parser.parse(words)
    results, _, code = opened_all(chosen.result, opened)
    drawn = 0
    for result in results:
        for kind, made, more, said in kinds.drawings(result, chosen.width, chosen.width):
            where = [text for text in more if "=" in text]
            for line in [*said.splitlines(), *([f"only {', '.join(where)} is drawn; choose others by --where KEY=VALUE"] if where else [])]:
                say(f"{result.path}: {kind.name}: {line}")
            for written in made.save(pathlib.Path(chosen.output) / f"{pathlib.Path(result.path).stem}_{kind.name}"):
                print(written)
            drawn += 1
    if results and not drawn:
        raise Missing("nothing that could be drawn")
    return code


def draw_one(kind: kinds.Kind, words: list[str]) -> int:
    chosen = kind.script.parser().parse(words)
    results, _, code = opened_all(chosen.result, opened)
    for path in kind.draw(results, chosen).save(chosen.output) if results else []:
        print(path)
    return code


@for_shell()
def main(words: list[str]) -> int:
    """Runs `rarefact plot` with these words. Returns the exit code: 0, or 2 if there is nothing to draw, 3 if a file is missing, 4 if it
    is not a result."""
    name = words[0] if words else ""
    try:
        if name == "all":
            return draw_all(words[1:])
        if name not in KINDS:
            known = ["all", *sorted(KINDS)]
            raise Missing(f"unknown kind of figure \"{name}\"; the kinds are {', '.join(known)}{nearest(name, known)}")
        return draw_one(KINDS[name], words[1:])
    except (Error, OSError) as error:
        say(f"error: {error}")
        return getattr(error, "code", 3)
