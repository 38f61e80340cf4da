"""Draws how many steps the tail takes for each step of the head against the exponent q of the first update.

    rarefact plot rule_zoo results/rule_zoo.h5 -o figures/rule_zoo

The first update of a rule pushes the margin of class l in proportion to p_l^q, q taken from the most frequent class and the rarest one. The
line is (p_1/p_K)^q. A point is a rule with one kind of embeddings; names are written where there is room, the CSV has all. Rules
with a first update of the wrong sign, and classes that do not get there, have no point. Needs run.push = true.
"""

import numpy as np

from . import drawing, layout, options, runs, style

# Of the kinds of embeddings, in the order of the file; open but for the first, as many points are the same.
MARKERS = [dict(color=color, marker=marker, fillstyle="none" if at else "full", markersize=2.6 + 1.4 * at)
           for at, (color, marker) in enumerate((("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "D"), ("#56B4E9", "^")))]


def parser():
    made = options.parser(__doc__, "rule_zoo", seeds=False)
    made.add_argument("--below", type=float, default=0.1, help="the threshold of the error; default: 0.1")
    return made


def exponents(result):
    """run, optimizer -> q, and the logarithm of p_1/p_K of the run."""
    if "push" not in result:
        raise runs.Missing(f"{result.path}: no variable push; run with run.push = true")
    p = result["class_probability"].values
    there = result["class_count"].values > 0
    first, last = there.argmax(axis=1), there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
    each = np.arange(len(p))
    spread = np.log(p[each, first] / p[each, last])
    push = result["push"].values[:, :, 0]
    ratio = push[each, :, first] / push[each, :, last]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(ratio > 0, np.log(ratio) / spread[:, None], np.nan), spread


def names(result):
    """run, optimizer -> the rule's name: the label, or what the formula of a single optimizer is swept over."""
    labels = list(result.coords["optimizer"])
    texts = [key for key, values in result.params.items() if key.startswith("optimizer.") and isinstance(values[0], str)]
    return lambda run, place: result.params[texts[0]][run] if len(labels) == 1 and texts else labels[place]


def write_names(axis, points):
    """Writes a name beside each point that has room for it, those far from others first."""
    figure = axis.figure
    figure.canvas.draw()
    renderer, frame = figure.canvas.get_renderer(), axis.get_window_extent()
    places = axis.transData.transform([(x, y) for x, y, _ in points])
    apart = [np.sort(np.hypot(*(places - place).T))[min(3, len(points) - 1)] for place in places]
    taken, done = [], set()
    for at in np.argsort(apart)[::-1]:
        x, y, name = points[at]
        if name in done:
            continue
        others = [place for place, (*_, other) in zip(places, points) if other != name]
        for offset, side, upright in (((4, 0), "left", "center"), ((-4, 0), "right", "center"), ((0, 4), "center", "bottom"),
                                      ((0, -4), "center", "top")):
            text = axis.annotate(name, (x, y), offset, textcoords="offset points", ha=side, va=upright, fontsize=5.5, color="0.25")
            text.set_in_layout(False)
            box = text.get_window_extent(renderer).padded(1.5)
            inside = frame.x0 < box.x0 and box.x1 < frame.x1 and frame.y0 < box.y0 and box.y1 < frame.y1
            if inside and not any(box.overlaps(other) for other in taken) and not any(box.contains(*place) for place in others):
                taken.append(box)
                done.add(name)
                break
            text.remove()


def draw(results, options):
    result = results[0]
    chosen = runs.chosen_runs(result, options.where)
    q, spread = exponents(result)
    error = [runs.first_below(result, runs.of_class(result, "error", group), options.below) for group in ("tail", "head")]
    with np.errstate(invalid="ignore"):
        ratio = np.where(np.isfinite(error[0]) & np.isfinite(error[1]), error[0] / error[1], np.nan)
    shown = np.isfinite(q) & np.isfinite(ratio)
    if not shown[chosen].any():
        raise runs.Missing(f"{result.path}: no rule with an error below {options.below:g} of the rarest and the most frequent class")
    name, kinds = names(result), {}
    for run in chosen:
        kinds.setdefault(str(runs.embedding_kind(result, run)), []).append(run)

    figure, (axis,) = layout.panels(options, 1, aspect=0.9)
    made = drawing.Drawing(figure, ["rule", "embedding"], "q", "steps of the tail over steps of the head")
    axis.set_yscale("log")
    points = []
    for (kind, same), look in zip(kinds.items(), MARKERS * len(kinds)):
        label = f"{kind} embeddings" if kind else None
        for run in same:
            for place in np.flatnonzero(shown[run]):
                made.line(axis, [q[run, place]], [ratio[run, place]], (name(run, place), kind), **look, linestyle="none",
                          label=label)
                points.append((q[run, place], ratio[run, place], name(run, place)))
    span = np.linspace(min(-0.1, *(x for x, _, _ in points)), max(0.1, *(x for x, _, _ in points)), 2)
    axis.plot(span, np.exp(span * spread[chosen[0]]), **style.PREDICTED, label="(p₁/p$_K$)$^q$")
    axis.set_xlabel("exponent q of the first update in p")
    axis.margins(x=0.2)
    layout.upright(axis, "steps of the tail over steps of the head")
    layout.legend(figure)
    write_names(axis, points)
    return made
