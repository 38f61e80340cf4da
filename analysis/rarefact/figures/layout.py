"""The layout of a figure: panels, titles that fit, the legend below, step axes."""

import matplotlib.ticker
import numpy as np
from matplotlib.font_manager import FontProperties

from ..errors import Error
from .drawing import Figure
from .style import WIDTHS, fixed_text, mathematics, ten_to

TIGHT = 0.83  # panels that are this much narrower than they would like to be still share a row
LOWEST = 1.0  # inches; titles and labels of a panel need as much, however narrow it is
TIGHTEST, TALLEST = 0.8, 8.5  # the same in figures that would else be higher than a page, in inches
LAST_IN_LEGEND = {"fewer than 3 digits", "fitted", "predicted"}


def panels(options, count, least=1.5, aspect=0.85, most=None, **axes):
    """A figure of the requested width with `count` axes, each about `least` inches wide or more and `aspect` times as high, at most
    `most` in a row: in one row if they can be, else in rows as full as can be. Its title is what the options select."""
    wide = options.width or WIDTHS["icml-column" if count == 1 else "icml-text"]

    def shape(tight):
        """(rows, columns, height) with the fewest rows, but never rows of 2 and 1."""
        for rows in range(1, count + 1):
            columns = -(-count // rows)
            if columns == 1 or columns <= min(most or count, wide / (tight * least)) and 3 * (rows * columns - count) < count:
                return rows, columns, rows * (max(min(wide / columns, 3.6) * aspect, LOWEST) + 0.15)

    rows, columns, height = shape(TIGHT)
    if height > TALLEST:
        rows, columns, height = shape(TIGHTEST)
        height = max(min(height, TALLEST), 0.75 * height)
    figure = Figure(figsize=(wide, height))
    figure.aspect = aspect
    grid = figure.subplots(rows, columns, squeeze=False, **axes)
    figure.set_layout_engine("constrained", h_pad=0.03, w_pad=0.03)
    if chosen := ", ".join(fixed_text(*text.partition("=")[::2]) for text in getattr(options, "where", [])):
        chosen = wrapped(figure, chosen, wide - 0.2)
        figure.suptitle("", fontsize=7.5).set(**mathematics(chosen))
        figure.set_size_inches(wide, height + 0.16 * (1 + chosen.count("\n")))
    for unused in grid.flat[count:]:
        unused.remove()
    if axes.get("sharex"):
        for column in range(columns):  # the lowest axis of a column may not be in the last row
            grid.flat[[place for place in range(count) if place % columns == column][-1]].tick_params(labelbottom=True)
    return figure, list(grid.flat[:count])


def columns_of(axis):
    return axis.get_subplotspec().get_gridspec().ncols


def first_in_row(axis):
    return axis.get_subplotspec().is_first_col()


def lowest(axis, axes):
    """True if no other axis is below this one."""
    return axes.index(axis) + columns_of(axis) >= len(axes)


def wrapped(figure, text, inches):
    """Breaks the text at blanks (not at non-breaking ones) into lines of at most this length, where possible."""
    letters, renderer = FontProperties(size=7.5), figure.canvas.get_renderer()
    out = [""]
    for line in text.split("\n"):
        for word in line.split(" "):
            longer = f"{out[-1]} {word}".lstrip()
            if out[-1] and renderer.get_text_width_height_descent(longer, letters, False)[0] > inches * figure.dpi:
                out.append(word)
            else:
                out[-1] = longer
        out.append("")
    return "\n".join(filter(None, out))


def title(axis, text):
    """The title of a panel, in as many lines as its width needs."""
    numbered = 1 if len(axis.get_shared_y_axes().get_siblings(axis)) > 1 else columns_of(axis)  # panels with numbers to their left
    inches = (axis.figure.get_size_inches()[0] - 0.6 * numbered) / columns_of(axis)
    axis.title.set(**mathematics(wrapped(axis.figure, text, inches)))


def upright(axis, text):
    """The label of a vertical axis, in as many lines as its height needs."""
    inches = axis.figure.get_size_inches()[1] / axis.get_subplotspec().get_gridspec().nrows - 0.35
    axis.yaxis.label.set(**mathematics(wrapped(axis.figure, text, inches)))


def across(axis, text):
    """The label of a horizontal axis, in as many lines as its width needs."""
    axis.xaxis.label.set(**mathematics(wrapped(axis.figure, text, axis.figure.get_size_inches()[0] / columns_of(axis) - 0.3)))


def legend(figure, heading=None):
    """One legend for all axes, without repetitions, below them; none if nothing has a label."""
    kept = {label.removeprefix(" "): handle for axis in figure.axes for handle, label in zip(*axis.get_legend_handles_labels()) if label}
    kept = dict(sorted(kept.items(), key=lambda pair: (pair[0].endswith(" seeds"), pair[0] in LAST_IN_LEGEND)))
    if not kept:
        return
    columns, inches = len(kept), figure.get_size_inches()
    while True:
        shown = figure.legend(kept.values(), [f" {label}" for label in kept], loc="lower center", title=heading, ncol=columns, handlelength=3.2,
                              columnspacing=1.2, borderaxespad=0.1)
        for text in shown.get_texts():
            text.set_text(text.get_text()[1:])
        box = shown.get_window_extent(figure.canvas.get_renderer())
        if columns == 1 or box.width <= figure.bbox.width:
            break
        shown.remove()
        columns -= 1
    figure.room = box.height / figure.dpi + 0.04
    higher(figure, figure.room)


def higher(figure, inches):
    """Adds to the height and leaves room for the legend."""
    wide, high = figure.get_size_inches()
    high += inches
    figure.set_size_inches(wide, high)
    figure.get_layout_engine().set(rect=(0, figure.room / high, 1, 1 - figure.room / high))


def grow(figure):
    """Makes the figure higher where titles and labels have squashed its panels."""
    figure.get_layout_engine().execute(figure)
    wide, high = figure.get_size_inches()
    axes = [axis for axis in figure.axes if hasattr(axis, "get_subplotspec")]
    lack = max(max(0.8 * figure.aspect * min(box.width * wide, 3), figure.lowest) - box.height * high
               for box in (axis.get_position() for axis in axes))
    if lack > 0:
        higher(figure, lack * axes[0].get_subplotspec().get_gridspec().nrows)


class LogNumbers(matplotlib.ticker.Formatter):
    """Tick labels of a logarithmic axis: 1, 10, 100, or 10⁻⁸, 10⁻⁴ on a wide one; minor ticks are labelled if there are few labels."""

    plain, shown = True, {1}

    def set_locs(self, locs):
        low, high = np.sort(self.axis.get_view_interval())
        self.plain, decades = low >= 5e-4 and high < 2e5, np.log10(high / low)
        self.shown = {1} if decades > 2 else {1, 2, 5} if decades > 0.8 else {1, 2, 3, 4, 6, 8}

    def __call__(self, x, pos=None):
        if not np.isfinite(x):  # matplotlib tries a tick above the largest double
            return ""
        power = int(np.floor(np.log10(x) + 1e-9))
        digit = round(x / 10.0**power)
        return "" if digit not in self.shown else f"{x:g}" if self.plain else f"{digit}×"[2 * (digit == 1):] + ten_to(power)


def log_numbers(axis):
    axis.set_major_formatter(LogNumbers())
    axis.set_minor_formatter(LogNumbers())


def logarithmic(axis, names):
    """Makes the "x", the "y" or both, "xy", logarithmic."""
    for name in names:
        axis.set(**{f"{name}scale": "log"})
        log_numbers(getattr(axis, f"{name}axis"))


def step_axis(axis, steps, log=False):
    """A step axis: linear for short runs, unless `log`, else logarithmic without step 0."""
    if log or steps[-1] > 100:
        logarithmic(axis, "x")
        axis.set_xlim(max(steps[steps > 0][0] * 0.8, 0.8), steps[-1] * 1.25)
    axis.set_xlabel("step")


def scaled(figure, options):
    """Applies --log and --ylim to all axes."""
    for axis in figure.axes:
        for name in "xy" if options.log else "":
            wanted, lines = name in options.log, [line for line in axis.lines if line.get_transform() == axis.transData]
            if wanted == (getattr(axis, f"get_{name}scale")() == "log"):
                continue
            values = np.concatenate([getattr(line, f"get_{name}data")() for line in lines]).astype(float)
            values = values[np.isfinite(values) & (values > 0 if wanted else True)]
            if wanted and len(values):
                logarithmic(axis, name)
            elif not wanted:
                axis.set(**{f"{name}scale": "linear"})
            if len(values):
                low, high = values.min(), values.max()
                room = (low / 1.5, high * 1.5) if wanted else (low - 0.04 * (high - low or 1), high + 0.04 * (high - low or 1))
                axis.set(**{f"{name}lim": room})
        if options.ylim:
            if axis.get_yscale() == "log" and options.ylim[0] <= 0:
                raise Error(f"--ylim: got {options.ylim[0]:g} on a logarithmic axis; expected positive numbers, or also --log none")
            axis.set_ylim(*options.ylim)


def markers_of(line):
    """The places of the markers of a line, in fractions of its axes."""
    places, chosen = (line.axes.transData - line.axes.transAxes).transform(line.get_xydata()), line.get_markevery()
    return places if chosen is None else places[chosen]


def unhide(figure):
    """Where curves coincide, as at 0 and 1: solid lines go below dashed ones, and the markers that are drawn later become rings around
    the others."""
    for axis in figure.axes:
        lines = [line for line in axis.lines if line.get_marker() not in ("", "None", None, "x") and len(line.get_xdata())]
        for line in lines:
            line.set_zorder(line.get_zorder() - 0.1 * (line.get_linestyle() == "-"))
        lines.sort(key=lambda line: line.get_zorder())
        places = [markers_of(line) for line in lines]
        for at, line in enumerate(lines):
            if not len(places[at]):
                continue
            hidden = 0
            for other in places[:at]:
                near = [np.any((np.abs(other - place) < (0.02, 0.04)).all(axis=1)) for place in places[at]] if len(other) else [False]
                hidden += np.mean(near) > 0.2
            if hidden:
                line.set(markersize=line.get_markersize() + 2.2 * min(hidden, 3), markerfacecolor="none", markeredgewidth=0.9)
