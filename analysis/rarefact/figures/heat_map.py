"""Draws a value of a sweep as a heat map over two swept keys, one panel for each optimizer; the numbers stand in the cells.

    rarefact plot heat_map results/imbalance_by_embedding.h5 --rows embedding.kind --columns classes.exponent --value error --below 0.1

A cell is the value at the last step or at --at, or the first recorded step with a value below --below; cells that do not
get there are hatched. Runs that differ in the seed alone are averaged. Without --rows and --columns the first two swept keys.
"""

import matplotlib.colors
import matplotlib.ticker
import numpy as np

from . import style


def parser():
    made = style.parser(__doc__, default="heat_map")
    made.add_argument("--rows", help="swept key or optimizer")
    made.add_argument("--columns", help="swept key or optimizer")
    made.add_argument("--value", default="loss", help="the variable; default: loss")
    made.add_argument("--at", type=int, help="a recorded step; default: the last one")
    made.add_argument("--below", type=float, help="show the first step with a value below this")
    made.add_argument("--class", dest="group", default="tail", help="of a variable of classes: tail (default), head, or an index")
    return made


def places(result, runs, key):
    """The values of an axis, in their order."""
    if key == "optimizer":
        return list(result.coords["optimizer"])
    values = list(dict.fromkeys(result.params[key][runs]))
    return values if any(isinstance(value, str) for value in values) else sorted(values)


def trajectory(result, options, run, optimizer):
    """The variable of a run and optimizer over the steps, of one class."""
    array = result[options.value]
    values = array.values[run, optimizer]
    if "class_group" in array.dims:
        there = np.flatnonzero(result["class_count"].values[run] > 0)
        index = {"head": 0, "tail": -1}.get(options.group, options.group)
        try:
            return values[:, there[int(index)]]
        except (ValueError, IndexError):
            raise style.Missing(f"--class {options.group}: expected head, tail or an index below {len(there)}") from None
    return values


def cell(result, options, run, optimizer):
    """The number of a run and optimizer; infinite where a threshold is not reached, NaN where there is none."""
    values = trajectory(result, options, run, optimizer)
    steps = result.coords["step"]
    if options.below is not None:
        reached = np.flatnonzero(values < options.below)
        return float(steps[reached[0]]) if len(reached) else np.inf if np.isfinite(values).any() else np.nan
    if options.at is None:
        finite = values[np.isfinite(values)]
        return finite[-1] if len(finite) else np.nan
    if options.at not in steps:
        raise style.Missing(f"{result.path}: --at {options.at}: step {options.at} is not recorded; the last one is {steps[-1]}")
    return values[list(steps).index(options.at)]


def table(result, options, rows, columns, panel):
    """The numbers of a panel: the mean over seeds of each cell."""
    runs = style.chosen_runs(result, options.where)
    labels = list(result.coords["optimizer"])
    found = {}
    for run in runs:
        for place, label in enumerate(labels):
            if panel in (None, label):
                names = tuple(label if key == "optimizer" else result.params[key][run] for key in (rows, columns))
                found.setdefault(names, []).append(cell(result, options, run, place))
    return found


def compact(value):
    """At most five characters or so, as wide as a cell: 12.3, 400, 4e-3, 2e-12."""
    text = f"{value:.3g}"
    if len(text) <= 5:
        return text
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def axes_of(result, options, runs):
    given = [key for key in (options.rows, options.columns) if key and key != "optimizer"]
    for key in given:
        if key not in result.params:
            raise style.Missing(f"{result.path}: {key} is not swept; swept are {', '.join(result.params) or 'no keys'}")
    # Texts, such as kinds of embeddings, have their room on the left.
    free = sorted((key for key in style.varying(result, runs, given) if key != "seed"),
                  key=lambda key: not isinstance(result.params[key][0], str))
    rows = options.rows or (free.pop(0) if free else "optimizer")
    columns = options.columns or (free.pop(0) if free else "optimizer")
    if rows == columns:
        raise style.Missing(f"{result.path}: a heat map needs two axes; swept are {', '.join(result.params) or 'no keys'}")
    for key in free:
        raise style.Missing(f"{result.path}: {key} varies, too; fix it by --where {key}={result.params[key][runs[0]]}")
    return rows, columns


def draw(results, options):
    result = results[0]
    runs = style.chosen_runs(result, options.where)
    rows, columns = axes_of(result, options, runs)
    across, down = places(result, runs, columns), places(result, runs, rows)
    shown = [None] if "optimizer" in (rows, columns) else list(result.coords["optimizer"])
    grids = {}
    for panel in shown:
        found = table(result, options, rows, columns, panel)
        grids[panel] = np.array([[np.mean(found.get((row, column), [np.nan])) for column in across] for row in down])

    finite = np.concatenate([grid[np.isfinite(grid)] for grid in grids.values()])
    if not len(finite):
        raise style.Missing(f"{result.path}: {options.value} has no finite number here")
    log = finite.min() > 0 and finite.max() > 20 * finite.min()
    scale = matplotlib.colors.LogNorm if log else matplotlib.colors.Normalize
    norm = scale(max(finite.min(), finite.max() * 1e-12) if log else finite.min(), finite.max())
    colours = style.plt.get_cmap("cividis_r")

    # Room for the numbers of a row of cells.
    figure, axes = style.panels(options, len(shown), least=0.75 + 0.28 * len(across), aspect=0.2 + 0.6 * len(down) / max(len(across), 4),
                                sharex=True, sharey=True)
    drawing = style.Drawing(figure, ["optimizer", rows], columns, options.value)
    for axis, (panel, grid) in zip(axes, grids.items()):
        image = axis.pcolormesh(np.where(np.isfinite(grid), grid, np.nan), cmap=colours, norm=norm, edgecolors="white", linewidth=0.5)
        for (row, column), value in np.ndenumerate(grid):
            drawing.rows.append((panel or "", down[row], across[column], value))
            if np.isinf(value):
                axis.fill_between([column, column + 1], row, row + 1, facecolor="0.92", hatch="////", edgecolor="0.75", linewidth=0)
            dark = np.isfinite(value) and norm(value) > 0.55
            text = f">{result.coords['step'][-1]}" if np.isinf(value) else "–" if np.isnan(value) else compact(value)
            axis.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=6, color="white" if dark else "black")
        axis.set_title(panel or "")
        axis.set_xticks(np.arange(len(across)) + 0.5, labels=[style.number(value) for value in across])
        axis.set_yticks(np.arange(len(down)) + 0.5, labels=[style.number(value) for value in down])
        axis.tick_params(length=0)
        if any(isinstance(value, str) for value in across):
            axis.tick_params(axis="x", labelrotation=90)
        if axis.get_subplotspec().is_first_col() and rows not in style.BY_VALUE | {"optimizer"}:
            axis.set_ylabel(rows)
        axis.grid(False)
        axis.set_ylim(len(down), 0)
        if axes.index(axis) + axis.get_subplotspec().get_gridspec().ncols >= len(axes):  # there is none below
            axis.set_xlabel("" if columns in style.BY_VALUE | {"optimizer"} else columns)
    what = f"first step with {options.value} < {options.below:g}" if options.below is not None else result[options.value].long_name
    units = "" if options.below is not None or result[options.value].units == "1" else f" [{result[options.value].units}]"
    of = f", {options.group}" if "class_group" in result[options.value].dims else ""
    bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02, aspect=30)
    if log and 1e-3 < norm.vmin and norm.vmax < 1e5:
        bar.ax.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
        bar.ax.yaxis.set_major_formatter("{x:g}")
        bar.ax.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    bar.set_label(what + of + units)
    return drawing
