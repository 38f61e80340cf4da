#!/usr/bin/env python3
"""Times the Muon step on a class spectrum as a NumPy user would write it: the yardstick of Rarefact's own benchmark.

Classes of equal count form a group, so the K x K run is carried by two arrays: `own` (M), the entry a class has with
itself, and `other` (M x M), the entry a class of group i has with a different class of group j. msgn is taken part by
part: the contrasts within a group give a sign, the trivial part an M x M singular value decomposition.

    tests/bench/compare_numpy.py                         # the King James words of data/, M = 526
    tests/bench/compare_numpy.py --table counts.tsv --column n --steps 30

For a fair figure install libopenblas0-pthread: NumPy on Debian's reference BLAS is many times slower.
"""

import argparse
import time
from pathlib import Path

import numpy as np

TABLE = Path(__file__).resolve().parents[2] / "data" / "kjv_words.tsv"


def read_groups(table, column):
    """(n, p): classes per group and probability of one class of it, most likely first."""
    with open(table, encoding="utf-8") as file:
        index = file.readline().rstrip("\n").split("\t").index(column)
        counts = np.array([float(line.split("\t")[index]) for line in file])
    values, sizes = np.unique(counts, return_counts=True)
    return sizes[::-1].astype(float), values[::-1] / counts.sum()


def residual(own, other, n, p):
    """Gradient of the loss at logits (own, other), and the loss in nats. No label noise.

    1 - p_hat is the sum of the wrong answers' probabilities and the diagonal is minus the sum of its column, so both
    keep their relative accuracy when they are tiny.
    """
    wrong_answers = np.tile(n[:, None], (1, len(n))) - np.eye(len(n))
    with np.errstate(divide="ignore"):
        log_weight = np.log(wrong_answers)  # -inf where a group of one class has no other class
    gap = other - own[None, :]
    exponent = gap + log_weight
    largest = exponent.max(axis=0)
    log_odds = np.log(np.exp(exponent - largest).sum(axis=0)) + largest
    class_loss = np.logaddexp(0, log_odds)
    gradient_other = p * np.exp(gap - class_loss)
    gradient_own = -(wrong_answers * gradient_other).sum(axis=0)
    return gradient_own, gradient_other, (n * p * class_loss).sum()


def polar_factor(own, other, n):
    """msgn of the matrix (own, other). The residual has one null direction, 1, which msgn sends to zero."""
    root = np.sqrt(n)
    contrast = own - np.diag(other)
    trivial = np.diag(contrast) + np.outer(root, root) * other
    left, _, right = np.linalg.svd(trivial)
    rank = len(n) - 1
    sign = np.sign(contrast)
    polar_other = (left[:, :rank] @ right[:rank] - np.diag(sign)) / np.outer(root, root)
    return sign + np.diag(polar_other), polar_other


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", type=Path, default=TABLE, help="tab-separated table with a header line")
    parser.add_argument("--column", default="count", help="its column of counts (default: count)")
    parser.add_argument("--steps", type=int, default=31, help="steps to take; the first is not timed (default: 31)")
    parser.add_argument("--step-size", type=float, default=1.0, help="eta (default: 1)")
    options = parser.parse_args()
    if options.steps < 2:
        parser.error("--steps must be at least 2: the first is not timed")

    n, p = read_groups(options.table, options.column)
    own, other = np.zeros(len(n)), np.zeros((len(n), len(n)))
    milliseconds = []
    for _ in range(options.steps):
        start = time.perf_counter()
        gradient_own, gradient_other, loss = residual(own, other, n, p)
        direction_own, direction_other = polar_factor(gradient_own, gradient_other, n)
        own -= options.step_size * direction_own
        other -= options.step_size * direction_other
        milliseconds.append(1e3 * (time.perf_counter() - start))
    print(f"NumPy {np.__version__}: Muon by singular value decomposition, M = {len(n)} groups, K = {n.sum():.0f}")
    print(f"median of {options.steps - 1} steps: {np.median(milliseconds[1:]):.1f} ms a step")
    print(f"loss before the last step: {loss:.6g} nats")


if __name__ == "__main__":
    main()
