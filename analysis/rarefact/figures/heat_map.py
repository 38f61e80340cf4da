"""Draws a value of a sweep as a heat map over two swept keys, one panel per optimizer, with the numbers in the cells.

    rarefact plot heat_map results/imbalance_by_embedding.h5 --rows embedding.kind --columns classes.exponent

A cell is the first recorded step with an error of the rarest classes below 0.1, if the sweep reaches it, otherwise the loss at the
last step. --value, --at and --below choose other values. Cells without a number, such as those that do not reach the threshold, are hatched. Runs that differ only
in the seed are averaged; 3/5 means that only 3 of 5 reach it. The default of --rows and --columns are the first two swept keys.
"""

import re

import matplotlib
import matplotlib.colors
import numpy as np

from .. import tables
from . import drawing, layout, options, runs, style


def parser():
    made = options.parser(__doc__, "heat_map", curves=False)
    made.add_argument("--rows", help="a swept key, or optimizer")
    made.add_argument("--columns", help="a swept key, or optimizer")
    made.add_argument("--value", help="the variable, or an expression as in claims; default: error if it reaches the threshold, else loss")
    options.moment_options(made)
    options.class_option(made)
    return made


def format_of(values, log):
    """The format of all numbers of a map: like 400, 12.3 or 0.123, depending on the largest; on a logarithmic scale like 4e-3 if some
    would otherwise have no digit."""
    most = abs(values).max()
    decimals = 0 if (values == np.round(values)).all() else max(0, 2 - int(np.floor(np.log10(most))))
    if most < 1e5 and decimals <= 4 and not (log and values.min() < 0.5 * 10.0**-decimals):
        return lambda value: f"{value:.{decimals}f}"
    return lambda value: re.sub(r"e([+-])0*(?=\d)", lambda sign: "e" + sign[1].strip("+"), f"{value:.0e}") if value else "0"


def axes_of(result, options, chosen):
    given = [key for key in (options.rows, options.columns) if key and key != "optimizer"]
    for key in given:
        runs.require_swept(result, key, "an axis")
    # Texts, such as kinds of embeddings, get room on the left.
    free = sorted(runs.free_keys(result, chosen, given), key=lambda key: not isinstance(result.params[key][0], str))
    rows = options.rows or (free.pop(0) if free else "optimizer")
    columns = options.columns or (free.pop(0) if free else "optimizer")
    if rows == columns:
        raise runs.Missing(f"{result.path}: a heat map needs two axes; swept are {', '.join(result.params) or 'no keys'}")
    if free:
        where = [f"{key}={result.params[key][chosen[0]]}" for key in free]
        raise runs.TooMany(f"{result.path}: {free[0]} varies, too; fix it by --where {where[0]}", where)
    return rows, columns


def value_and_threshold(result, options):
    """The variable, and the threshold or None."""
    if options.value is None and options.at is None and options.over is None and options.below is None and runs.learns(result):
        return "error", 0.1
    return options.value or ("loss" if options.below is None else "error"), options.below


def label_of(answer, written):
    """The text of a cell."""
    return written(answer.mean) if np.isfinite(answer.mean) else answer.text.removesuffix(" reached") or "–"


def draw(results, options):
    result = results[0]
    chosen = runs.chosen_runs(result, options.where)
    rows, columns = axes_of(result, options, chosen)
    value, below = value_and_threshold(result, options)
    labels, names = runs.labels(result, options.where), runs.names(result, options)
    down, across = ([*dict.fromkeys(map(runs.plain, result.params[key][chosen]))] if key != "optimizer" else labels for key in (rows, columns))
    down, across = (values if isinstance(values[0], str) else sorted(values) for values in (down, across))
    panels = {"": []} if "optimizer" in (rows, columns) else {label: [label] for label in labels}
    found = runs.answers(result, [value], [rows, columns, *(["optimizer"] if any(panels.values()) else [])], where=options.where,
                         class_=options.group, **runs.moment(options, below))
    none = tables.Answer("", np.nan, np.nan, 0)
    cells = {panel: [[found.get((row, column, *label), [none])[0] for column in across] for row in down] for panel, label in panels.items()}
    grids = {panel: np.array([[answer.mean for answer in line] for line in part], float) for panel, part in cells.items()}
    finite = np.concatenate([grid[np.isfinite(grid)] for grid in grids.values()])
    if not len(finite):
        raise runs.Missing(f"{result.path}: {value} {'has no finite number' if below is None else f'is never below {below:g}'} here")
    log = finite.min() > 0 and finite.max() > 20 * finite.min()
    written = format_of(finite, log)
    scale = matplotlib.colors.LogNorm if log else matplotlib.colors.Normalize
    norm = scale(max(finite.min(), finite.max() * 1e-12) if log else finite.min(), finite.max())

    # Room for the numbers of a row of cells.
    figure, axes = layout.panels(options, len(panels), least=0.75 + 0.28 * len(across), aspect=0.2 + 0.25 * len(down) / max(len(across), 4),
                                 sharex=True, sharey=True)
    figure.lowest = 0.16 * len(down)
    made = drawing.Drawing(figure, ["optimizer", rows], columns, value)
    for axis, (panel, grid) in zip(axes, grids.items()):
        image = axis.pcolormesh(np.where(np.isfinite(grid), grid, np.nan), cmap=matplotlib.colormaps["cividis_r"], norm=norm,
                                edgecolors="white", linewidth=0.5)
        for (row, column), mean in np.ndenumerate(grid):
            answer = cells[panel][row][column]
            made.note(panel, down[row], across[column], mean if np.isfinite(mean) else answer.text, answer.half if answer.count > 1 and np.isfinite(mean) else "")
            if not np.isfinite(mean) or "reached" in answer.text:
                axis.fill_between([column, column + 1], row, row + 1, facecolor="0.92", hatch="////", edgecolor="0.75", linewidth=0)
            axis.text(column + 0.5, row + 0.5, label_of(answer, written), ha="center", va="center", fontsize=6,
                      color="white" if np.isfinite(mean) and norm(mean) > 0.55 else "black")
        layout.title(axis, names.get(panel, panel))
        axis.set_xticks(np.arange(len(across)) + 0.5, labels=[names.get(place, style.number(place)) for place in across])
        axis.set_yticks(np.arange(len(down)) + 0.5, labels=[names.get(place, style.number(place)) for place in down])
        axis.tick_params(length=0)
        inches = figure.get_size_inches()[0] / layout.columns_of(axis) / len(across) - 0.2
        if any(isinstance(place, str) and 0.07 * len(place) > inches for place in across):
            axis.tick_params(axis="x", labelrotation=90)
        if layout.first_in_row(axis):
            layout.upright(axis, style.key_text(rows))
        axis.grid(False)
        axis.set_ylim(len(down), 0)
        if layout.lowest(axis, axes):
            layout.across(axis, style.key_text(columns))
    bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02, aspect=30)
    if log:
        layout.log_numbers(bar.ax.yaxis)
    bar.set_label(layout.wrapped(figure, runs.moment_text(result, value, options, below), figure.get_size_inches()[1] - 0.4))
    return made
