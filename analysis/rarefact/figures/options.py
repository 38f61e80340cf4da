"""Options that all figures share, on the command line and in notebooks, and one-line messages for mistakes."""

from __future__ import annotations

import argparse
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import in_python, nearest
from .runs import Missing
from .style import WIDTHS


TWO = "expected two numbers, the lower first: 1e-6,1"


class Parser(argparse.ArgumentParser):
    """Raises Missing where argparse would print the usage and exit."""

    def error(self, message: str) -> typing.NoReturn:
        raise Missing(f"{self.prog}: {message.removeprefix('argument ')}")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        options, unknown = self.parse_known_args(words)
        ends = getattr(options, "ylim", None) or [0, 1]
        if len(ends) != 2 or ends[0] >= ends[1]:
            self.error(f"--ylim: got {','.join(f'{end:g}' for end in ends)}; {TWO}")
        if unknown:
            word = unknown[0].partition("=")[0]
            if not word.startswith("-"):
                self.error(f"{word} is one file too many")
            known = [option for option in self._option_string_actions if option.startswith("--") and option != "--help"]
            self.error(f"there is no option {word}{nearest(word, known) or '; there are ' + ', '.join(known)}")
        return options


def parser(doc: str | None, kind: str, several: bool = False, curves: bool = True) -> Parser:
    """A parser with the options of all kinds; `curves`: the kind has axes of numbers, and runs that differ in the seed are bands."""
    made = Parser(prog=f"rarefact plot {kind}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter,
                  allow_abbrev=False)
    files = "result files of rarefact run" if several else "a result file of rarefact run"
    made.add_argument("result", nargs="+" if several else 1, help=files)
    made.add_argument("-o", "--output", default=f"figures/{kind}",
                      help="the figure; without .pdf, .svg or .png all three are written; the numbers beside it as .csv")
    made.add_argument("--width", type=width,
                      help=f"{', '.join(WIDTHS)} or inches; default: icml-column for one panel, icml-text for more")
    made.add_argument("--where", action="append", default=[], metavar="KEY=VALUE",
                      help="only runs with this value of a swept key, or optimizer=LABEL")
    made.add_argument("--names", action="append", default=[], metavar="NAMES",
                      help="names of optimizers: papers (GD, SignGD, Adam, Muon; the default), labels (those of the experiment) or "
                           "LABEL=TEXT, which may be repeated")
    if curves:
        made.add_argument("--log", choices=["x", "y", "xy", "none"], help="the logarithmic axes; default: by the numbers")
        made.add_argument("--ylim", type=numbers, action="extend", metavar="LOW,HIGH", help="the ends of the vertical axes; default: by the numbers")
        made.add_argument("--runs", choices=["mean", "thin"], default="mean",
                          help="runs that differ only in the seed: their mean with its 95 %% interval (Student), or each as a thin line; "
                               "default: mean")
    return made


def numbers(text: str) -> list[float]:
    try:
        return list(map(float, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text}; {TWO}") from None


def moment_options(made: Parser) -> None:
    made.add_argument("--at", metavar="STEP", help="the value at a recorded step; default: the last one")
    made.add_argument("--over", choices=["max", "min"], help="the largest or least value along the run")
    made.add_argument("--below", type=float, help="the first step with a value below this")
    made.add_argument("--sustained", action="store_true", help="the first step from which on all values stay below")


def class_option(made: Parser) -> None:
    made.add_argument("--label", metavar="TEXT", help="the words for the value, on its axis or colour bar")
    made.add_argument("--class", dest="group", default="tail", metavar="CLASS",
                      help="for a variable over classes: tail (the rarest; default), head, min or max over its rows, an index from 0, "
                      "or rank:1-100, the mean over the classes of these ranks; for a variable over bands, one of them")


def width(text: str) -> float:
    if text in WIDTHS:
        return WIDTHS[text]
    try:
        inches = float(text)
    except ValueError:
        inches = 0
    if not 1 <= inches <= 40:
        raise argparse.ArgumentTypeError(f"got {text}; expected {', '.join(WIDTHS)} or a number of inches from 1 to 40")
    return inches


def python_type(action: argparse.Action) -> Any:
    """What a notebook gives for an option; None where that is its default."""
    known: dict[Any, Any] = {width: float | str, numbers: tuple[float, float], None: int | str if action.metavar in ("STEP", "CLASS") else str}
    kind: Any = bool if action.nargs == 0 else typing.Literal[tuple(action.choices)] if action.choices else known.get(action.type, action.type)
    if isinstance(action, argparse._AppendAction) and action.type is None:  # of those with values for names a dict, too
        kind = Mapping[str, Any] | list[str] | str if action.default == [] else list[str] | str
    return kind | None if action.default is None else kind


def named(made: Parser) -> dict[str, tuple[Any, Any, str]]:
    """The options by their names in Python, each with its default, its type and what it means."""
    found = {}
    for action in made._actions:
        if action.option_strings and (name := action.option_strings[-1].lstrip("-").replace("-", "_")) not in ("help", "output"):
            means = f"one of {', '.join(action.choices)}; {action.help}" if action.choices else action.help or ""
            of_python = {"class": "class_", "from": "from_"}.get(name, name)
            found[of_python] = action.default, python_type(action), in_python(means.replace("%%", "%"))
    return found
