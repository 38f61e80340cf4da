"""Draws ϱ, the least p̂ of any class once the best one is retrieved, against K, with the published and the sharp exponents.

    rarefact plot rho results/paper/rho.h5 -o figures/rho

Left: up to K = 1e15, with the published powers of K (wang2025, Theorem 5.3) through the last point. Right: the local exponent
of ϱ in K where the published one is not sharp, over all of K: SignGD with rotated blocks, -0.3557.
ϱ is taken at the smallest admissible step size; its infimum over all larger ones is 0 for SignGD with rotated blocks.
"""

import numpy as np

from . import drawing, layout, options, runs, style

SHARP_COUPLED = -0.35573  # 1 - (least)/(largest margin of the blocks of wang2025), the limit K → ∞
PUBLISHED_COUPLED = -0.3


def parser():
    made = options.parser(__doc__, "rho", several=True)
    made.add_argument("--most", type=float, default=1e16, help="largest K of the left panel; default: 1e16")
    return made


def exponents(result, run, label):
    """(published, sharp) exponents of ϱ in K; None where there is none."""
    rule = style.rule_of(result, label)
    probability = result["class_probability"].values[run][result["class_count"].values[run] > 0]
    if rule == "gd":
        exact = probability.min() / probability.max() - 1
        return exact, exact
    if rule == "muon":
        return 0.0, 0.0
    if rule == "signgd" and runs.embedding_kind(result, run) == "block_rotation":
        return PUBLISHED_COUPLED, SHARP_COUPLED
    return (0.0, 0.0) if rule == "signgd" else (None, None)


def draw(results, options):
    drawn = []
    for result in results:
        if "rho_at_threshold" not in result or "classes.count" not in result.params:
            raise runs.Missing(f"{result.path}: no ϱ against K; set run.rho_epsilon and sweep classes.count")
        (case,) = runs.cases(result, options, given=["classes.count"])
        drawn.append((result, case.runs))

    figure, axes = layout.panels(options, 2, least=2.0, aspect=0.75)
    made = drawing.Drawing(figure, ["quantity", "optimizer", "kind"], "K", "value", options)
    left, right = axes
    left.set_xscale("log")
    left.set_yscale("log")
    right.set_xscale("log")
    for axis, what in ((left, "ϱ, least p̂ of any class"), (right, "local exponent of ϱ in K")):
        axis.set_xlabel("number of classes K")
        layout.upright(axis, what)
    ends = []
    for result, chosen in drawn:
        looks = style.optimizer_looks(result)
        bounds = {label: exponents(result, chosen[0], label) for label in looks}
        narrow = any(published != sharp for published, sharp in bounds.values())
        for place, label in enumerate(looks):
            counts, seeds = runs.along(result, chosen, "classes.count")
            values = result["rho_at_threshold"].values[seeds, place, -1]
            published, sharp = bounds[label]
            part = (counts <= options.most) & (values > 0).all(axis=0)
            made.line(left, counts[part], values[:, part], ("rho", label, "measured"), **looks[label], markevery=9, label=label)
            if published is not None and part.any():
                upper = counts[part][counts[part] >= np.sqrt(counts[part][-1])]
                made.line(left, upper, values[:, part].mean(axis=0)[-1] * (upper / upper[-1])**published, ("rho", label, "published slope"),
                             **style.PREDICTED, label="published exponent")
            if len(counts) < 2 or (narrow and published == sharp):
                continue
            slopes = np.diff(np.log(values)) / np.diff(np.log(counts))
            middles = (np.log10(counts[1:]) + np.log10(counts[:-1])) / 2
            ends += [middles[0], middles[-1]]
            made.line(right, middles, slopes, ("local exponent against log10 K", label, "measured"), **looks[label], markevery=14)
            for bound, kind, look in ((published, "published", style.PREDICTED), (sharp, "sharp", {**style.PREDICTED, "linestyle": ":"})):
                if bound is not None and (kind == "published" or sharp != published):
                    made.line(right, middles[[0, -1]], [bound] * 2, ("local exponent against log10 K", label, kind), **look,
                                 label=f"{kind} exponent")
    ticks = [power for power in (1, 2, 3, 5, 10, 20, 50, 100, 250) if ends and min(ends) <= power <= 1.1 * max(ends)]
    right.set_xticks(ticks, labels=[f"$10^{{{power}}}$" for power in ticks])
    right.minorticks_off()
    layout.legend(figure, axes)
    return made
