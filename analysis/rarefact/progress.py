"""Showing the progress of a run: a moving line on a terminal, a bar in a notebook, otherwise nothing."""

from __future__ import annotations

import html
import shutil
import sys
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]

WIDTH = 24  # of the bar, in characters


def fraction(now: Event) -> tuple[float, str]:
    """The finished fraction, 0 to 1, of an event "progress" (a dict), and a text for it."""
    if "points" in now:
        words = f"{now['done']} of {now['points']} points"
        if now.get("running"):
            words += f", {now['running']} running"
        if (left := now.get("seconds_left")) is not None:
            words += f", {left:.0f} s left" if left < 120 else f", {left / 60:.0f} min left"
        return now["done"] / max(now["points"], 1), words
    steps = now.get("all", {now["optimizer"]: now["step"]})
    words = f"{', '.join(f'{name} {step}' for name, step in steps.items())} of {now['steps']} steps"
    return min(sum(steps.values()) / max(len(steps) * now["steps"], 1), 1), words


def line(now: Event) -> str:
    """The event as text: [######..................] 3 of 12 points, 2 running, 8 s left"""
    part, words = fraction(now)
    filled = int(part * WIDTH)
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {words}"


class Terminal:
    """A line of stderr that is overwritten, and erased at the end."""

    shown = False

    def show(self, now: Event) -> None:
        self.shown = True
        columns = shutil.get_terminal_size().columns
        print(f"\r{line(now)[:columns - 1]}\x1b[K", end="", file=sys.stderr, flush=True)

    def close(self, _: str) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Notebook:
    """A bar below the cell; at the end a closing text."""

    def __init__(self) -> None:
        self.handle: Any = None

    def display(self, plain: str, page: str) -> None:
        from IPython.display import display
        data = {"text/plain": plain, "text/html": page}
        if self.handle is None:
            self.handle = display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)

    def show(self, now: Event) -> None:
        part, words = fraction(now)
        self.display(line(now), f"<progress value=\"{part:.4f}\"></progress> {html.escape(words)}")

    def close(self, words: str) -> None:
        self.display(words, html.escape(words))


class Quiet:
    """Prints nothing; calls the user's function, if given, with each event."""

    def __init__(self, show: Callable[[Event], object] = lambda now: None) -> None:
        self.show = show

    def close(self, _: str) -> None:
        pass


def bar(progress: bool | Callable[[Event], object]) -> Terminal | Notebook | Quiet:
    """The object that shows the progress: `progress` is True, False, or a function of the event."""
    if callable(progress) or not progress:
        return Quiet(progress) if progress else Quiet()
    shell = sys.modules.get("IPython")
    if shell and hasattr(shell.get_ipython(), "kernel"):
        return Notebook()
    return Terminal() if sys.stderr.isatty() else Quiet()
