"""Reads the report of rarefact verify and draws the curves of a check."""

import dataclasses

import h5py
import numpy as np

from ..errors import NotAResult
from ..result import open_whole, read
from . import drawing, layout, runs, style


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
    """The report in `path`. Raises NotAResult if it is not a report."""
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
    """True if the numbers need a logarithmic axis."""
    shown = values[np.isfinite(values)]
    return len(shown) > 0 and shown.min() > 0 and shown.max() > 30 * shown.min()


def below(axis):
    """The legend, below the data."""
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncol=1, handlelength=3)


@style.styled()
def draw_curves(check, options):
    """All curves of a check, a panel each."""
    figure, axes = layout.panels(options, len(check.curves), least=2.2, aspect=0.95)
    made = drawing.Drawing(figure, ["curve", "line"], "x", "y")
    for axis, (title, x_label, x, lines) in zip(axes, check.curves):
        if wide_range(x) and x.max() > 1e40 * x.min():
            x, x_label = np.log10(x), f"log₁₀ {x_label}"  # too many decades for the ticks of a logarithmic axis
        elif wide_range(x):
            layout.logarithmic(axis, "x")
        if wide_range(np.concatenate([y for _, y in lines])):
            layout.logarithmic(axis, "y")
        many = len(lines) > len(style.LOOKS)
        for place, ((label, y), look) in enumerate(zip(lines, style.looks(len(lines)))):
            made.line(axis, [runs.Course(x, y)], (title, label), **look, markevery=8, label="" if many and place % 4 else label, markersize=2.8)
        layout.title(axis, title)
        layout.across(axis, x_label)
        if len(lines) > 1:
            below(axis)
        else:
            layout.upright(axis, lines[0][0])
    return made
