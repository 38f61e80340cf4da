"""What is wrong with the layout of a drawn figure: labels that overlap or stick out, legends on axes, axes without a label."""


def overlap(one, other, slack=1.0):
    """Whether two boxes share more than `slack` pixels each way."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return across > slack and down > slack


def shown_labels(axis, renderer):
    """(text, box) of the tick labels and axis labels that are drawn."""
    found = []
    for one, bounds in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim())):
        low, high = min(bounds), max(bounds)
        for tick in one.get_major_ticks() + one.get_minor_ticks():
            if low <= tick.get_loc() <= high and tick.label1.get_visible() and tick.label1.get_text():
                found.append(tick.label1)
        if one.label.get_text():
            found.append(one.label)
    if axis.get_title():
        found.append(axis.title)
    found += [text for text in axis.texts if text.get_text()]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in found]


def layout_problems(figure):
    """Sentences; none for a sound figure."""
    figure.canvas.draw()
    renderer, problems = figure.canvas.get_renderer(), []
    bounds = figure.bbox
    boxes = [box for axis in figure.axes for box in shown_labels(axis, renderer)]
    frames = [axis.get_window_extent(renderer) for axis in figure.axes]
    legends = [legend.get_window_extent(renderer) for legend in figure.legends]
    legends += [axis.get_legend().get_window_extent(renderer) for axis in figure.axes if axis.get_legend()]
    for place, (text, box) in enumerate(boxes):
        if box.x0 < -1 or box.y0 < -1 or box.x1 > bounds.x1 + 1 or box.y1 > bounds.y1 + 1:
            problems.append(f"{text!r} sticks out of the figure")
        problems += [f"{text!r} overlaps {other!r}" for other, more in boxes[place + 1:] if overlap(box, more)]
        problems += [f"{text!r} is under a legend" for legend in legends if overlap(box, legend)]
    for legend in legends:
        problems += ["a legend stands on an axis" for frame in frames if overlap(legend, frame)]
        if legend.x0 < -1 or legend.x1 > bounds.x1 + 1 or legend.y0 < -1:
            problems.append("a legend sticks out of the figure")
    for axis in figure.axes:
        least = min((text.get_fontsize() for text in axis.get_xticklabels() + [axis.xaxis.label, axis.yaxis.label]), default=9)
        if least < 5.5:
            problems.append(f"letters of {least} points are too small to print")
    return problems
