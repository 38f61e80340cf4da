"""A figure together with its numbers, so that the CSV has exactly what is drawn."""

import csv
import io
import pathlib

import matplotlib.figure
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from .. import files
from ..errors import Error
from . import style

LEAST_DIGITS = 3  # numbers with fewer digits count as lost
# The first bytes of each format, and its metadata without date and version: the same numbers give the same bytes.
FORMATS = {".pdf": (b"%PDF-", {"CreationDate": None}), ".svg": (b"<?xml", {"Date": None}), ".png": (b"\x89PNG", {"Software": None})}


class Figure(matplotlib.figure.Figure):
    """Draws and saves in the style that was set when it was made, whatever a notebook has set since."""

    salt = "rarefact"  # makes the ids in an SVG reproducible
    # Height of a panel by its width, its least height, and inches below the panels for the legend.
    aspect, lowest, room = 0.0, 0.0, 0.0

    def __init__(self, **size):
        super().__init__(**size)
        FigureCanvasAgg(self)

    def draw(self, renderer):
        with style.styled(self.salt):
            super().draw(renderer)

    def savefig(self, *words, **named):
        with style.styled(self.salt):
            super().savefig(*words, **named)

    def _repr_png_(self):
        """For notebooks that have not set up matplotlib."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=144)
        return file.getvalue()


def plain_number(cell):
    """A number with up to 17 digits, as many as needed; whole numbers without a point."""
    if isinstance(cell, (float, np.floating)):
        return int(cell) if abs(cell) < 1e15 and float(cell).is_integer() else repr(float(cell))
    return cell


def spread(x, count, log, phase=0.0):
    """Indices of about `count` points, evenly spread over the axis; a phase from 0 to 1 shifts them by as much of their distance."""
    if len(x) <= count:
        return list(range(len(x)))
    place = np.log(np.maximum(x, np.min(x[x > 0]) / 2)) if log else x
    targets = np.linspace(place.min(), place.max(), count) + phase * (place.max() - place.min()) / (count - 1)
    return sorted({int(np.argmin(np.abs(place - target))) for target in targets if target <= place.max()})


class Drawing:
    """A figure and the rows of its CSV: names, x, y, half the interval over seeds, and the run if runs are drawn one by one."""

    def __init__(self, figure, names, x, y):
        self.figure, self.header, self.rows = figure, [*names, x, y, "half_interval", "run"], []

    def line(self, axis, courses, names, digits=None, **look):
        """Draws a course with its 95 % interval, or a thin line per seed. Only finite points are shown, and on a log axis only positive
        ones; they are grey from the first with fewer than 3 `digits` (also courses) on."""
        left = [None] * len(courses) if digits is None else [course.y for course in digits]
        if len(courses) > 1:
            thin = look | {"linewidth": 0.5, "alpha": 0.6, "marker": None, "markevery": None}
            if thin.get("linestyle") == "none":
                thin["linestyle"] = "-"
            for run, course in enumerate(courses):
                self._one(axis, course.x, course.y, names, left[run], run, **thin)
            axis.plot([], [], color="0.5", linewidth=0.5, label=f"each of {len(courses)} seeds")
            return
        [course] = courses
        several = course.count > 1
        self._one(axis, course.x, course.y, names, left[0], half=course.half if several else None, **look)
        if several:
            self._interval(axis, course.x, course.y, course.half, look)
            axis.fill_between([], [], [], color="0.75", linewidth=0, label=f"95 % interval of the mean of {course.count} seeds")

    def _interval(self, axis, x, mean, half, look):
        """A band around a curve, or bars at points with markers."""
        shown = np.isfinite(x) & np.isfinite(mean) & np.isfinite(half)
        if axis.get_yscale() == "log":
            shown &= mean > 1e-250
        x, mean, half = x[shown], mean[shown], half[shown]
        if "markevery" not in look:
            x, mean, half = x[half > 0], mean[half > 0], half[half > 0]
            axis.errorbar(x, mean, yerr=half, fmt="none", ecolor=look["color"], elinewidth=0.7, capsize=1.5)
            return
        low = mean - half
        if axis.get_yscale() == "log":  # an interval that reaches 0 or below is cut two decades down, not at the end of the axis
            low = np.maximum(low, mean / 100)
        axis.fill_between(x, low, mean + half, color=look["color"], alpha=0.2, linewidth=0, zorder=0.5)

    def _one(self, axis, x, y, names, digits, run="", half=None, phase=0.0, **look):
        shown = np.isfinite(x) & np.isfinite(y)
        halves = [""] * len(y) if half is None else half
        self.rows += [(*names, x[at], y[at], halves[at], run) for at in np.flatnonzero(shown)]
        for values, scale in ((x, axis.get_xscale()), (y, axis.get_yscale())):
            if scale == "log":  # beyond these bounds matplotlib's ticks overflow
                shown = shown & (values > 1e-250) & (values < 1e250)
        if not shown.any():
            return
        if look.get("markevery") is not None and not isinstance(look["markevery"], (list, tuple)):
            look["markevery"] = spread(x[shown], look["markevery"], axis.get_xscale() != "linear", phase)
        lost = np.flatnonzero(np.asarray(digits)[shown] < LEAST_DIGITS) if digits is not None else []
        end = lost[0] if len(lost) else len(x[shown])
        if look.get("markevery") is not None:
            look["markevery"] = [place for place in look["markevery"] if place < end]
        if look.get("label", "")[:1] in ("_", " "):
            look["label"] = f" {look['label']}"  # matplotlib hides labels that begin with _; the legend removes the blank
        axis.plot(x[shown][:end], y[shown][:end], **look)
        if end < len(x[shown]):
            grey = {"color": "0.75", "label": "fewer than 3 digits", "zorder": 0, "marker": None, "markevery": None, "linestyle": "-"}
            axis.plot(x[shown][max(end - 1, 0):], y[shown][max(end - 1, 0):], **(look | grey))

    def note(self, *row):
        """Adds a row to the CSV for something drawn by other means: names, x, y and, if known, half the interval."""
        self.rows.append((*row, *[""] * (len(self.header) - len(row))))

    def settle(self):
        """Fixes the layout with rounded positions: the last bits of the solver depend on memory addresses and would appear in the files."""
        self.figure.canvas.draw()
        self.figure.set_layout_engine("none")
        for axis in self.figure.axes:
            axis.set_position([round(bound, 6) for bound in axis.get_position().bounds])

    def save(self, output):
        """Writes output.pdf, .svg and .png, or the one that output names, and the CSV. Returns the paths."""
        if str(output).endswith("/") or pathlib.Path(output).is_dir():
            raise Error(f"{output} is a folder; expected the name of a figure")
        output = pathlib.Path(output)
        stem, kinds = (output.with_suffix(""), [output.suffix]) if output.suffix in FORMATS else (output, list(FORMATS))
        paths = [stem.parent / f"{stem.name}{kind}" for kind in [*kinds, ".csv"]]
        for path, start in zip(paths, [*(FORMATS[kind][0] for kind in kinds), f"{self.header[0]},".encode()]):
            files.refuse(path, start)
        self.settle()
        for kind, path in zip(kinds, paths):
            smaller, drawn = {"pil_kwargs": {"optimize": True}} if kind == ".png" else {}, io.BytesIO()
            self.figure.savefig(drawn, format=kind[1:], dpi=180, metadata=FORMATS[kind][1], **smaller)
            files.write(path, drawn.getvalue())
        kept = [at for at in range(len(self.header)) if at < len(self.header) - 2 or any(row[at] != "" for row in self.rows)]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([plain_number(row[at]) for at in kept] for row in [self.header, *self.rows])
        files.write(paths[-1], text.getvalue().encode())
        return paths
