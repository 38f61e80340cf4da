"""Reads the report of rarefact verify and draws the curves of a check."""

import dataclasses

import h5py
import matplotlib
import matplotlib.colors
import numpy as np

from ..result import NotAResult, open_whole, read
from . import drawing, layout, style


@dataclasses.dataclass(frozen=True)
class Check:
    id: str
    texts: dict        # title, statement, source, verdict, rule, note ...
    findings: list     # dicts: quantity, measured, low, high, published, sharp, verdict, rule, right_digits
    curves: list       # (title, x label, x, [(label, y)])


@dataclasses.dataclass(frozen=True)
class Report:
    path: str
    attributes: dict
    checks: list


def read_check(identity, group):
    table = {name: read(data).tolist() for name, data in group["findings"].items()} if "findings" in group else {}
    rows = [dict(zip(table, cells)) for cells in zip(*table.values())]
    curves = []
    for name in sorted((name for name in group if name.startswith("curve_")), key=lambda name: int(name[6:])):
        curve = group[name]
        lines = [(curve[y].attrs["long_name"], curve[y][...])
                 for y in sorted((y for y in curve if y.startswith("y_")), key=lambda y: int(y[2:]))]
        curves.append((curve.attrs["title"], curve["x"].attrs["long_name"], curve["x"][...], lines))
    return Check(identity, dict(group.attrs), rows, curves)


def open_report(path):
    """The report in `path`; NotAResult where there is none."""
    try:
        with open_whole(path) as file:
            checks = [read_check(f"{source}/{name}", group) for source, part in file.items() if isinstance(part, h5py.Group)
                      for name, group in part.items() if "verdict" in group.attrs]
            attributes = dict(file.attrs)
    except KeyError:
        raise NotAResult(f"{path}: neither a result nor a report of rarefact") from None
    if not checks:
        raise NotAResult(f"{path}: neither a result nor a report of rarefact")
    return Report(str(path), attributes, checks)


def wide_range(values):
    """Whether a logarithmic axis suits them."""
    shown = values[np.isfinite(values)]
    return len(shown) > 0 and shown.min() > 0 and shown.max() > 30 * shown.min()


# What is drawn over a map: polygonal lines over the numbers in its labels, and names at places.
LINES = {"paquette2026/phases": [([0.5, 0.5], [0, 1]), ([1, 1], [0, 2]), ([0.5, 1.6], [1, 2.1])]}
NAMES = {"paquette2026/phases": [(0.25, 1.2, "SignGD"), (0.72, 0.88, "first SignGD,\nlater Muon"), (1.5, 0.6, "Muon"), (1.2, 1.9, "equal")]}


def below(axis):
    """The legend, never on the data."""
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncol=1, handlelength=3)


def draw_map(made, axis, check, title, label, y, lines):
    """Numbers around 1 over two axes: the x of the curves goes up, what their labels say to the right. Black where they are 1."""
    name = lines[0][0].partition(" = ")[0]
    x, values = np.array([float(text.partition(" = ")[2]) for text, _ in lines]), np.array([each for _, each in lines])
    most = max(values.max(), 1 / values.min())
    image = axis.pcolormesh(x, y, values.T, shading="nearest", cmap=matplotlib.colormaps["PuOr"], rasterized=True,
                            norm=matplotlib.colors.LogNorm(1 / most, most))
    for text, row in lines:
        for at, value in zip(y, row):
            made.note(title, text, at, value)
    axis.contour(x, y, values.T, levels=[1], colors="black", linewidths=1)
    axis.plot([], [], color="black", linewidth=1, label="1")
    for at, (across, up) in enumerate(LINES.get(check, [])):
        axis.plot(across, up, color="black", linewidth=0.9, linestyle=(0, (4, 2)), label="_" * (at > 0) + "derived")
    for across, up, text in NAMES.get(check, []):
        axis.text(across, up, text, ha="center", va="center", fontsize=6.5, clip_on=True)
    below(axis)
    axis.set(xlim=(x.min(), x.max()), ylim=(y.min(), y.max()), xlabel=name)
    layout.upright(axis, label)
    axis.figure.colorbar(image, ax=axis, fraction=0.06, pad=0.02)


@style.styled()
def draw_curves(check, options):
    """All curves of a check, a panel each; one of more lines than there are looks is a map."""
    figure, axes = layout.panels(options, len(check.curves), least=2.2, aspect=0.95)
    made = drawing.Drawing(figure, ["curve", "line"], "x", "y")
    for axis, (title, x_label, x, lines) in zip(axes, check.curves):
        if len(lines) > len(style.LOOKS):
            layout.title(axis, title)
            draw_map(made, axis, check.id, title, x_label, x, lines)
            continue
        if wide_range(x) and x.max() > 1e40 * x.min():
            x, x_label = np.log10(x), f"log₁₀ {x_label}"  # more decades than a logarithmic axis has ticks for
        elif wide_range(x):
            axis.set_xscale("log")
        if wide_range(np.concatenate([y for _, y in lines])):
            axis.set_yscale("log")
        for (label, y), (colour, dash, marker) in zip(lines, list(style.LOOKS.values()) * len(lines)):
            made.line(axis, x, y, (title, label), color=colour, linestyle=dash, marker=marker, markevery=8, label=label,
                         markersize=2.8)
        layout.title(axis, title)
        axis.set_xlabel(x_label)
        if len(lines) > 1:
            below(axis)
    return made
