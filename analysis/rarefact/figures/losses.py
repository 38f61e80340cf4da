"""Draws loss and excess loss against step, one curve for each optimizer; predictions dashed in black.

    rarefact plot losses results/starter.h5 -o figures/losses

Without label noise the least loss is 0, so both are equal and one panel is drawn. Up to three values of swept keys make
panels of their own.
"""

import numpy as np

from . import curves, options, runs


def parser():
    made = options.parser(__doc__, "losses")
    made.add_argument("--floor", type=float, default=1e-10, help="least loss on the axis; default: 1e-10")
    made.set_defaults(group="tail", label=None, at=None, over=None, below=None, sustained=False)
    return made


def draw(results, options):
    result = results[0]
    keys, cases = runs.cases(result, options, most=3)
    chosen = np.concatenate([case.runs for case in cases])
    loss, excess = (result.array(name).values[chosen] for name in ("loss", "excess_loss"))
    same = np.allclose(loss, excess, rtol=1e-6, atol=0, equal_nan=True)
    return curves.draw_cases(result, options, keys, cases, [(name, options.group) for name in (["loss"] if same else ["loss", "excess_loss"])])
