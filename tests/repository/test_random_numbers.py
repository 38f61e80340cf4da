"""The recipe of docs/engines.md, "Random numbers", draws what the program draws: trainings are replayed from it."""

import bisect
import collections
import itertools
import math
import sys
import unittest

from project import ROOT, needs_program, packages, ran, scratch_folder

sys.path.insert(0, str(ROOT / "analysis"))
with packages():
    import numpy as np
    import rarefact as package

SEED, STEPS, STEP_SIZE, DRAWS = 7, 3, 4.0, 25
POWER_LAW = [k**-1.3 for k in range(1, 6)]
# Pairs by the numbers of query and answer, both by frequency.
COUNTS = {(0, 0): 40, (0, 2): 9, (1, 1): 20, (1, 0): 11, (2, 1): 7, (2, 2): 6, (2, 3): 5, (3, 3): 8, (4, 0): 1}


def hashed(name):
    """FNV-1a of 64 bits."""
    value = 0xcbf29ce484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value


def numbers(stream, step, index):
    """u_1 to u_4 of a draw. NumPy's Philox advances the counter before each block."""
    counter = (index + (step << 64) + (2 << 128) - 1) % 2**256
    words = np.random.Philox(counter=counter, key=SEED + (hashed(stream) << 64)).random_raw(4)
    return [((int(word) >> 12) + 0.5) * 2.0**-52 for word in words]


def chosen(weights, u):
    """The place in a list of weights by cumulative probability, and where u lies within it, 0 to 1."""
    mass = [part / math.fsum(weights) for part in itertools.accumulate(weights)]
    place = min(bisect.bisect_right(mass, u), len(mass) - 1)
    before = mass[place - 1] if place else 0
    return place, (u - before) / (mass[place] - before)


class Law:
    """Queries with probabilities, in groups of equal ones for the identity; the answers of each and their shares; which are right."""

    def __init__(self, probability, shares, group_sizes=None):
        self.probability = [p / math.fsum(probability) for p in probability]
        self.shares, self.groups = shares, group_sizes
        self.answers = 1 + max(answer for of_query in shares for answer in of_query)
        self.right = [{k for k, share in of_query.items() if share == max(of_query.values())} for of_query in shares]

    def answer(self, query, u):
        answers = sorted(self.shares[query])
        return answers[chosen([self.shares[query][answer] for answer in answers], u)[0]]

    def draw(self, u, noise, by_frequency):
        """A pair, by the recipe."""
        if self.groups and not by_frequency:
            begins = [0, *itertools.accumulate(self.groups)]
            group, _ = chosen([size * self.probability[begin] for begin, size in zip(begins, self.groups)], u[0])
            query = begins[group] + int(u[1] * self.groups[group])
        else:
            query, _ = chosen(self.probability, u[0])
        if u[2] >= noise:
            return query, self.answer(query, u[1])
        if not by_frequency:
            return query, int(u[3] * self.answers)
        return query, self.answer(*chosen(self.probability, u[3]))


def laws():
    """The name, the lines of the experiment, and the law."""
    power_law = "[classes]\nspectrum = 'power_law'\ncount = 5\nexponent = 1.3\n"
    yield "identity", power_law, Law(POWER_LAW, [{l: 1.0} for l in range(5)], [1] * 5)
    yield ("groups", "[classes]\nspectrum = 'grouped_power_law'\ngroups = 3\ngroup_size = 4\nexponent = 1.5\n",
           Law([(1 + l // 4)**-1.5 for l in range(12)], [{l: 1.0} for l in range(12)], [4] * 3))
    yield ("right_set", power_law + "[answers]\nlaw = 'right_set'\nsize = 3\n",
           Law(POWER_LAW, [{3 * l + i: 1 / 3 for i in range(3)} for l in range(5)]))
    for within in (0, 0.7):
        yield (f"fan_in {within}", power_law + f"[answers]\nlaw = 'fan_in'\nfan_in = 3\nwithin = {within}\n",
               Law([p * j**-within / sum(i**-within for i in (1, 2, 3)) for p in POWER_LAW for j in (1, 2, 3)],
                   [{l // 3: 1.0} for l in range(15)]))
    yield ("modulo", power_law + "[answers]\nlaw = 'modulo'\ncount = 2\n", Law(POWER_LAW, [{l % 2: 1.0} for l in range(5)]))
    columns = [{k: n for (l, k), n in COUNTS.items() if l == query} for query in range(5)]
    yield ("counts", "[answers]\nlaw = 'counts'\npath = 'pairs.tsv'\n",
           Law([sum(column.values()) for column in columns],
               [{k: n / sum(column.values()) for k, n in column.items()} for column in columns]))


def errors_of(law, mode, noise, by_frequency):
    """The probability of wrong answers of each query after every step of gradient descent from W = 0."""
    w = np.zeros((law.answers, len(law.probability)))
    for t in range(STEPS + 1):
        p = np.exp(w) / np.exp(w).sum(axis=0)
        yield [sum(p[k, l] for k in range(law.answers) if k not in law.right[l]) for l in range(len(law.right))]
        gradient = np.zeros_like(w)
        for i in range(DRAWS):
            query, answer = law.draw(numbers(mode, t if mode == "minibatch" else 0, i), noise, by_frequency)
            gradient[:, query] += p[:, query] / DRAWS
            gradient[answer, query] -= 1 / DRAWS
        w -= STEP_SIZE * gradient


class RandomNumbers(unittest.TestCase):
    def test_trainings_are_replayed(self):
        """every law, minibatches and a dataset, without noise, with uniform noise and with noise by frequency: the error of every query"""
        needs_program()
        folder = scratch_folder(self.addCleanup)
        (folder / "pairs.tsv").write_text("query\tanswer\tcount\n" + "".join(f"q{l}\ta{k}\t{n}\n" for (l, k), n in COUNTS.items()))
        cases = itertools.product(laws(), ((0, "uniform"), (0.4, "uniform"), (0.4, "frequency")))
        modes = itertools.cycle(("minibatch", "dataset"))  # of three noises, so that every law and every noise has both
        for number, (((name, lines, law), (noise, answers)), mode) in enumerate(zip(cases, modes)):
            with self.subTest(f"{name}, {mode}, noise {noise} {answers}"):
                size = "batch" if mode == "minibatch" else "size"
                noisy = f"label_noise = {noise}\nnoise_answers = '{answers}'\n" if noise else ""
                (folder / "run.toml").write_text(
                    f"name = 'run'\nseed = {SEED}\n{lines}[data]\nmode = '{mode}'\n{size} = {DRAWS}\n{noisy}"
                    f"[run]\nsteps = {STEPS}\nclasses = 'all'\n[[optimizer]]\nrule = 'gd'\nstep_size = {STEP_SIZE}\n")
                ran("run", "run.toml", "-o", f"{number}.h5", "--progress", "none", folder=folder)
                result = package.open(folder / f"{number}.h5")
                found = result.array("error").values[0, 0]
                rows = result.array("class_probability").values[0]
                for step, expected in enumerate(errors_of(law, mode, noise, answers == "frequency")):
                    # Rows are in the order of their probabilities; equal ones in any.
                    seen, right = (sorted((round(float(p), 12), float(x)) for p, x in zip(*both))
                                   for both in ((rows, found[step]), (law.probability, expected)))
                    np.testing.assert_allclose(seen, right, rtol=1e-9)

    def test_octaves_are_replayed(self):
        """thirty million classes with p ∝ 1/k, with noise: the error of every query that is drawn at the first step, and of another"""
        needs_program()
        folder, classes, noise, step_size = scratch_folder(self.addCleanup), 30_000_000, 0.4, 400.0

        def harmonic(n):
            return math.fsum(1 / k for k in range(1, n + 1)) if n < 50 else math.log(n) + np.euler_gamma + 1 / (2 * n) - 1 / (12 * n * n)

        firsts = [2**j for j in range(classes.bit_length())]
        sizes = [min(2 * first - 1, classes) - first + 1 for first in firsts]
        masses = [harmonic(first + size - 1) - harmonic(first - 1) for first, size in zip(firsts, sizes)]
        drawn = {}
        for i in range(DRAWS):
            u = numbers("minibatch", 0, i)
            octave, _ = chosen(masses, u[0])
            for attempt in itertools.count(1):
                v = numbers("minibatch", 0, i + (attempt << 32))
                rank = firsts[octave] + int(v[0] * sizes[octave])
                if v[1] / firsts[octave] < 1 / rank:
                    break
            answer = rank if u[2] >= noise else 1 + int(u[3] * classes)
            drawn.setdefault(rank, collections.Counter())[answer] += 1
        other = next(rank for rank in range(1, 1000) if rank not in drawn)
        shown = sorted([*drawn, other])
        (folder / "octaves.toml").write_text(
            f"name = 'octaves'\nseed = {SEED}\n[classes]\nspectrum = 'power_law'\ncount = {classes}\nexponent = 1.0\n"
            f"[data]\nmode = 'minibatch'\nbatch = {DRAWS}\nlabel_noise = {noise}\n"
            f"[run]\nsteps = 1\nclasses = {shown}\n[[optimizer]]\nrule = 'gd'\nstep_size = {step_size}\n")
        ran("run", "octaves.toml", "-o", "octaves.h5", "--progress", "none", folder=folder)
        found = package.open(folder / "octaves.h5").array("error").values[0, 0, 1]
        for rank, error in zip(shown, found):
            # Answers that are not drawn have equal logits.
            grown = {answer: math.exp(step_size * count / DRAWS) for answer, count in drawn.get(rank, {}).items()}
            wrong = classes - 1 - len(grown.keys() - {rank}) + sum(part for answer, part in grown.items() if answer != rank)
            self.assertAlmostEqual(error / (wrong / (wrong + grown.get(rank, 1.0))), 1, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
