"""What the figures share: widths of conferences, one colour, dash and marker for each optimizer, files that are written.

Every figure script has `parser()`, its options, and `draw(results, options)`, which returns a Drawing or raises Missing.
"""

import argparse
import csv
import pathlib
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

from ..result import NotAResult, Result  # noqa: E402

# Inches. Conferences of one column have no column width.
WIDTHS = {"icml-column": 3.25, "icml-text": 6.75, "neurips-text": 5.5, "iclr-text": 5.5, "jmlr-text": 6.0}

# Okabe and Ito's colours, each with a dash and a marker of its own, so that grey prints can be read.
LOOKS = {
    "blue": ("#0072B2", "-", "o"), "vermilion": ("#D55E00", (0, (5, 1.5)), "s"), "green": ("#009E73", (0, (5, 1.5, 1, 1.5)), "D"),
    "sky": ("#56B4E9", (0, (2, 1)), "^"), "orange": ("#E69F00", (0, (8, 2)), "v"), "purple": ("#CC79A7", (0, (3, 1, 1, 1, 1, 1)), "P"),
    "black": ("#000000", (0, (1, 1)), "X"), "yellow": ("#F0E442", (0, (8, 1.5, 2, 1.5)), "*"),
}
RULES = {"muon": "blue", "gd": "vermilion", "adam": "green", "signgd": "sky", "ngd": "orange", "tra_signgd": "black",
         "momentum": "yellow", "newton": "purple"}
# For further optimizers of a rule that is there already, such as Muon with another polar factor.
SPARE = ["purple", "black", "green", "orange", "sky", "vermilion", "blue", "yellow"]
SYMBOLS = {"classes.exponent": "s", "classes.count": "K", "classes.groups": "M", "classes.group_size": "C",
           "data.label_noise": "α", "run.steps": "T", "run.rho_epsilon": "ε"}
BY_VALUE = {"embedding.kind", "run.engine", "classes.spectrum"}
AFTER_OTHERS = {"fewer than 3 digits", "fitted", "predicted", "published exponent", "sharp exponent", "derived exponent", "one fact a dimension"}
PREDICTED = {"color": "black", "linewidth": 0.8, "linestyle": (0, (4, 2)), "zorder": 3}

plt.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 7, "axes.titlesize": 7.5, "axes.labelsize": 7.5, "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5, "legend.fontsize": 6.5, "legend.title_fontsize": 6.5, "legend.frameon": False, "lines.linewidth": 1.2,
    "lines.markersize": 3.4, "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4, "axes.grid": True, "grid.linewidth": 0.4, "grid.alpha": 0.3, "axes.axisbelow": True,
    "pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "rarefact", "mathtext.fontset": "dejavusans",
})


LEAST_DIGITS = 3  # a number with fewer is none


class Missing(Exception):
    """What a figure needs is not in the file; the text is one line."""


def optimizer_looks(result):
    """Label -> colour, dash and marker. A rule's first optimizer has the rule's own; the others take free ones."""
    taken, looks = {}, {}
    for label in result.coords["optimizer"]:
        taken.setdefault(RULES.get(rule_of(result, label)), label)
    free = [name for name in SPARE if name not in taken] + SPARE
    for label in result.coords["optimizer"]:
        name = next((name for name, owner in taken.items() if name and owner == label), None) or free.pop(0)
        looks[label] = dict(zip(("color", "linestyle", "marker"), LOOKS[name]))
    return looks


def ranks_looks(ranks):
    """Rank -> colour from dark (head) to light (tail), equally spaced, and marker."""
    colours = plt.get_cmap("cividis")(np.linspace(0.0, 0.88, len(ranks)))
    return {rank: {"color": colour, "marker": marker} for rank, colour, marker in zip(ranks, colours, "osD^vP<>X*" * len(ranks))}


def number(value, digits=3):
    """A number for a label: 0.25, 1500, 3×10¹²; a text as it is."""
    if isinstance(value, str):
        return value
    if abs(value) < 1e5 and float(value).is_integer():
        return str(int(value))
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    if not exponent:
        return mantissa
    power = rf"$10^{{{int(exponent)}}}$"
    return power if mantissa == "1" else f"{mantissa}×{power}"


def chosen_runs(result, where):
    """The runs whose swept keys have the values of `where`, a list of KEY=VALUE."""
    runs = np.ones(len(result.coords["run"]), bool)
    for text in where:
        key, _, wanted = text.partition("=")
        if key not in result.params:
            raise Missing(f"{result.path}: --where {text}: {key} is not swept; swept are {', '.join(result.params) or 'no keys'}")
        values = result.params[key]
        same = np.array([str(value) == wanted or (not isinstance(value, str) and _close(value, wanted)) for value in values])
        if not same.any():
            raise Missing(f"{result.path}: --where {text}: {key} has the values {', '.join(dict.fromkeys(map(str, values)))}")
        runs &= same
    if not runs.any():
        raise Missing(f"{result.path}: --where: no run has all of these values")
    return np.flatnonzero(runs)


def _close(value, text):
    try:
        return abs(value - float(text)) <= 1e-9 * abs(value)
    except ValueError:
        return False


def one_run(result, options):
    """The run to draw, by --where the first of several; the others are named on stderr."""
    runs = chosen_runs(result, options.where)
    if len(runs) > 1:
        say(f"{result.path}: drawn is run {runs[0]} of {len(runs)} ({run_text(result, runs[0])}); others by --where KEY=VALUE")
    return runs[0]


def run_text(result, run):
    return ", ".join(f"{key} = {value}" for key, value in ((key, values[run]) for key, values in result.params.items()))


def varying(result, runs, given=()):
    """The swept keys that tell the runs apart, without those that follow from `given` and the ones before; step sizes last."""
    keys, names = [], [()] * len(runs)
    for key in given:
        names = [(*name, result.params[key][run]) for name, run in zip(names, runs)]
    for key in sorted(result.params, key=lambda key: (key.startswith("optimizer."), key)):
        more = [(*name, result.params[key][run]) for name, run in zip(names, runs)]
        if key not in given and len(set(more)) > len(set(names)):
            keys.append(key)
            names = more
    return keys


def case_text(result, run, keys):
    """s = 1.5, T = 257: the values of those swept keys, in the symbols of the README."""
    values = {key: number(result.params[key][run]) for key in keys}
    return ", ".join(value if key in BY_VALUE else f"{SYMBOLS.get(key, key)} = {value}" for key, value in values.items())


def say(text):
    print(text, file=sys.stderr)


def say_incomplete(result):
    """A line for each kind of trouble; what is there is drawn."""
    troubles = {}
    for run, label, status, step in result.incomplete:
        troubles.setdefault((label, status), []).append((run, step))
    for (label, status), places in troubles.items():
        run, step = places[0]
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        ends = {"diverged": f"diverged after step {step}; drawn as far as it goes",
                "digits_lost": f"fewer than 3 digits are left from step {step} on, which are grey"}
        say(f"{result.path}: run {run}{more}, {label}: {ends.get(status, f'{status}; drawn as far as it goes')}")


def digits_of(result, name):
    """The digits that rounding leaves of a variable, over run, optimizer and step; NaN where they were not measured."""
    known = next((each for each in (f"{name}_digits", "digits") if each in result), None)
    return result[known].values if known else np.full_like(result["loss"].values, np.nan)


class Drawing:
    """A figure and the numbers in it: `line` plots and notes, so that the CSV is what is seen."""

    def __init__(self, figure, names, x, y):
        self.figure, self.header, self.rows = figure, [*names, x, y], []

    def line(self, axis, x, y, names, digits=None, **look):
        """Draws the finite points (the positive ones on a log axis); returns whether there are any. From the first one on that
        has fewer than 3 `digits` they are grey."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        shown = np.isfinite(x) & np.isfinite(y)
        self.rows += [(*names, *point) for point in zip(x[shown], y[shown])]
        for values, scale in ((x, axis.get_xscale()), (y, axis.get_yscale())):
            if scale == "log":  # beyond these bounds matplotlib's ticks overflow
                shown &= (values > 1e-250) & (values < 1e250)
        if not shown.any():
            return False
        if "markevery" in look and not isinstance(look["markevery"], (list, tuple)):
            look["markevery"] = spread(x[shown], look["markevery"], axis.get_xscale() != "linear")
        lost = np.flatnonzero(np.asarray(digits)[shown] < LEAST_DIGITS) if digits is not None else []
        end = lost[0] if len(lost) else len(x[shown])
        if "markevery" in look:
            look["markevery"] = [place for place in look["markevery"] if place < end]
        axis.plot(x[shown][:end], y[shown][:end], **look)
        if end < len(x[shown]):
            grey = {"color": "0.75", "label": "fewer than 3 digits", "zorder": 0, "marker": None, "markevery": None, "linestyle": "-"}
            axis.plot(x[shown][max(end - 1, 0):], y[shown][max(end - 1, 0):], **(look | grey))
        return True

    def settle(self):
        """Fixes the layout, rounded: the solver's last bits depend on where things are in memory, and would show in the files."""
        self.figure.canvas.draw()
        self.figure.set_layout_engine("none")
        for axis in self.figure.axes:
            axis.set_position([round(bound, 6) for bound in axis.get_position().bounds])

    def save(self, output):
        """output.pdf, .svg and .png, or the one that output names, and the CSV; the paths."""
        output = pathlib.Path(output)
        single = output.suffix in {".pdf", ".svg", ".png"}
        stem = output.with_suffix("") if single else output
        stem.parent.mkdir(parents=True, exist_ok=True)
        # No date and no version in the files: the same numbers give the same bytes.
        plain = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}
        paths = []
        self.settle()
        for kind in [output.suffix[1:]] if single else ["pdf", "svg", "png"]:
            paths.append(stem.parent / f"{stem.name}.{kind}")
            smaller = {"pil_kwargs": {"optimize": True}} if kind == "png" else {}
            self.figure.savefig(paths[-1], dpi=180, metadata=plain[kind], **smaller)
        paths.append(stem.parent / f"{stem.name}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.header)
            writer.writerows([plain_number(cell) for cell in row] for row in self.rows)
        plt.close(self.figure)
        return paths


def experiment_value(result, run, key):
    """A key's value in a run: the swept one, else that of the file."""
    if key in result.params:
        return result.params[key][run]
    value = result.experiment
    for name in key.split("."):
        value = value.get(name, {}) if isinstance(value, dict) else {}
    return None if value == {} else value


def rule_of(result, label):
    """The update rule of an optimizer; where it is swept, that of the first run."""
    swept = result.params.get(f"optimizer.{label}.rule")
    if swept is not None:
        return swept[0]
    return {table.get("name", table.get("rule")): table.get("rule") for table in result.experiment["optimizer"]}.get(label)


def embedding_kind(result, run):
    """The kind of the queries' embeddings."""
    return experiment_value(result, run, "embedding.kind") or experiment_value(result, run, "embedding.query.kind") or ""


def last(values):
    """The last finite value; runs of a sweep end at different steps."""
    finite = values[np.isfinite(values)]
    return finite[-1] if len(finite) else np.nan


def plain_number(cell):
    """17 digits where they are needed, and whole numbers without a point."""
    if isinstance(cell, (float, np.floating)):
        return int(cell) if abs(cell) < 1e15 and float(cell).is_integer() else repr(float(cell))
    return cell


def spread(x, count, log):
    """Indices of about `count` points, evenly spread over the axis."""
    if len(x) <= count:
        return list(range(len(x)))
    place = np.log(np.maximum(x, 0.5)) if log else x
    return sorted({int(np.argmin(np.abs(place - target))) for target in np.linspace(place.min(), place.max(), count)})


def panels(options, count, least=1.5, aspect=0.85, rows=None, **axes):
    """A figure as wide as asked with `count` axes, at least `least` inches each, `aspect` times as high."""
    wide = options.width or WIDTHS["icml-column" if count == 1 else "icml-text"]
    columns = min(count, max(1, int(wide / least))) if rows is None else -(-count // rows)
    rows = -(-count // columns)
    columns = -(-count // rows)
    height = rows * (min(wide / columns, 3.6) * aspect + 0.15)
    figure, grid = plt.subplots(rows, columns, figsize=(wide, height), squeeze=False, **axes)
    figure.set_layout_engine("constrained", h_pad=0.03, w_pad=0.03)
    for unused in grid.flat[count:]:
        unused.remove()
    if axes.get("sharex"):
        for column in range(columns):  # the lowest axis of a column may not be in the last row
            grid.flat[[place for place in range(count) if place % columns == column][-1]].tick_params(labelbottom=True)
    return figure, list(grid.flat[:count])


def legend_below(figure, handles, labels, title=None):
    """One legend for the figure, without repetitions, in room of its own below the axes."""
    kept = dict(sorted(((label, handle) for label, handle in zip(labels, handles) if label), key=lambda pair: pair[0] in AFTER_OTHERS))
    if not kept:
        return
    columns, inches = len(kept), figure.get_size_inches()
    while True:
        legend = figure.legend(kept.values(), kept.keys(), loc="lower center", title=title, ncol=columns, handlelength=3.2,
                               columnspacing=1.2, borderaxespad=0.1)
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if columns == 1 or box.width <= figure.bbox.width:
            break
        legend.remove()
        columns -= 1
    room = box.height / figure.dpi + 0.04
    figure.set_size_inches(inches[0], inches[1] + room)
    figure.get_layout_engine().set(rect=(0, room / (inches[1] + room), 1, inches[1] / (inches[1] + room)))


def legend_of(figure, axes):
    """legend_below for what the axes show; none where nothing has a label."""
    pairs = [pair for axis in axes for pair in zip(*axis.get_legend_handles_labels())]
    legend_below(figure, [handle for handle, _ in pairs], [label for _, label in pairs])


def step_axis(axis, steps):
    """Linear for short runs, else logarithmic, without step 0."""
    if steps[-1] > 100:
        axis.set_xscale("log")
        axis.set_xlim(max(steps[steps > 0][0] * 0.8, 0.8), steps[-1] * 1.25)
    axis.set_xlabel("step")


def parser(doc, several=False, default="figure"):
    made = argparse.ArgumentParser(prog=f"rarefact plot {default}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if several:
        made.add_argument("result", nargs="+", help="result files of rarefact run")
    else:
        made.add_argument("result", nargs=1, help="a result file of rarefact run")
    made.add_argument("-o", "--output", default=f"figures/{default}",
                      help="the figure; without .pdf, .svg or .png all three are written; the numbers beside it as .csv")
    made.add_argument("--width", type=width,
                      help=f"{', '.join(WIDTHS)} or inches; default: icml-column for one panel, icml-text for more")
    made.add_argument("--where", action="append", default=[], metavar="KEY=VALUE", help="only runs with this value of a swept key")
    return made


def width(text):
    if text in WIDTHS:
        return WIDTHS[text]
    try:
        inches = float(text)
    except ValueError:
        inches = 0
    if not 1 <= inches <= 40:
        raise argparse.ArgumentTypeError(f"got {text}; expected {', '.join(WIDTHS)} or a number of inches from 1 to 40")
    return inches


def main(words, made, draw):
    """Reads the files, draws, writes, prints the paths. Exit code 4 if a file had to be left out, 2 if there is nothing to draw."""
    options, results, code = made.parse_args(words), [], 0
    for path in options.result:
        try:
            results.append(Result(path))
            say_incomplete(results[-1])
        except NotAResult as error:
            say(f"error: {error}")
            code = 4
    if not results:
        return 2
    try:
        for path in draw(results, options).save(options.output):
            print(path)
    except (Missing, NotAResult) as error:
        say(f"error: {error}")
        return 2
    except OSError as error:
        say(f"error: {error}")
        return 3
    return code
