#!/usr/bin/env python3
"""Times a sweep of small points as a NumPy user would write it, and the program on the same points with all defaults.

A case has 16 or 64 groups of 1,000 classes, which a NumPy user can only run as so many classes, or as many classes with
noisy embeddings (engine dense). Four optimizers, 200 steps. NumPy keeps the errors of every step and nothing else. Printed
are processor seconds of one core for each case, scaled to 1,000 points, and their ratio; the medians of alternating runs.

    tests/bench/compare_sweep.py build/release/rarefact
    tests/bench/compare_sweep.py build/release/rarefact --runs 5 --points 100

For a fair figure install libopenblas0-pthread: NumPy on Debian's reference BLAS is many times slower.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402

RULES = {"gd": 2.0, "signgd": 0.05, "adam": 0.1, "muon": 0.1}
STEPS = 200


def run(rule, p, query, answer):
    """Errors of every step of W from zero; query and answer have the embeddings as columns, or are None."""
    classes = len(p)
    target = np.eye(classes)
    w = np.zeros((classes, classes) if query is None else (len(answer), len(query)))
    m, v, errors = np.zeros_like(w), np.zeros_like(w), []
    for t in range(1, STEPS + 1):
        logits = w if query is None else answer.T @ w @ query
        e = np.exp(logits - logits.max(0))
        probability = e / e.sum(0)
        errors.append(1 - np.diag(probability))
        g = (probability - target) * p
        if query is not None:
            g = answer @ g @ query.T
        if rule == "gd":
            w = w - RULES[rule] * g
        elif rule == "signgd":
            w = w - RULES[rule] * np.sign(g)
        elif rule == "adam":
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g
            w = w - RULES[rule] * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        else:
            left, sigma, right = np.linalg.svd(g)
            kept = sigma > 1e-12 * sigma[0]
            w = w - RULES[rule] * left[:, kept] @ right[kept]
    return errors


def numpy_seconds(classes, noisy, points):
    rng = np.random.default_rng(1)
    sides = (None, None)
    if noisy:
        sides = [np.eye(classes) + 0.3 * rng.standard_normal((classes, classes)) / classes**0.5 for _ in range(2)]
    begin = time.process_time()
    for exponent in np.linspace(1.1, 3, points):
        p = np.arange(1, classes + 1) ** -exponent
        p /= p.sum()
        for rule in RULES:
            run(rule, p, *sides)
    return time.process_time() - begin


def experiment(classes, noisy, points):
    spectrum = (
        f'spectrum = "power_law"\ncount = {classes}\n'
        if noisy
        else f'spectrum = "grouped_power_law"\ngroups = {classes}\ngroup_size = 1000\n'
    )
    sides = '[embedding]\nkind = "noisy"\nsigma = 0.3\n' if noisy else ""
    rules = "".join(f'[[optimizer]]\nrule = "{rule}"\nstep_size = {size}\n' for rule, size in RULES.items())
    return (
        f'name = "small"\n[classes]\n{spectrum}exponent = 1.5\n{sides}[run]\nsteps = {STEPS}\nrecord = "log"\n{rules}'
        f'[sweep]\n"classes.exponent" = {{linspace = [1.1, 3.0, {points}]}}\n'
    )


def program_seconds(program, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/small.toml", "w", encoding="utf-8") as file:
            file.write(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, "run", f"{folder}/small.toml", "-o", f"{folder}/small.h5", "--progress", "none"],
            check=True,
            capture_output=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for classes, noisy in ((16, False), (64, False), (16, True), (64, True)):
        text = experiment(classes, noisy, options.points)
        times = [
            (numpy_seconds(classes, noisy, options.points), program_seconds(options.program, text))
            for _ in range(options.runs)
        ]
        theirs, ours = np.median(times, axis=0) * 1000 / options.points
        name = f"{classes} {'classes, noisy, dense' if noisy else 'groups'}"
        print(f"{name}: NumPy {theirs:.1f} s, program {ours:.1f} s, ratio {theirs / ours:.2f}")


if __name__ == "__main__":
    main()
