"""What --dry-run says of memory is what a run takes, over the catalogues: at most 1.3 times too low and 2 times too high."""

import json
import os
import unittest

from project import PROGRAM, needs_program, ran, scratch_folder, some

# Less than this is mostly the program itself.
LEAST = 60e6
FEW = 'classes = [1, "last"]\n'
OFF = 'spectral_metrics = "off"\n'


def power_law(count):
    return f'spectrum = "power_law"\ncount = {count}\nexponent = 1.2\n'


def groups(count):
    return f'spectrum = "grouped_power_law"\ngroups = {count}\ngroup_size = 10\nexponent = 1.3\n'


def gaussian(dimension):
    return f'kind = "gaussian"\ndimension = {dimension}\n'


def experiment(classes, rule="gd", run="", embedding='kind = "identity"\n', data="", steps=1):
    return (f'name = "memory"\n[classes]\n{classes}[embedding]\n{embedding}[data]\n{data}[run]\nsteps = {steps}\n{run}'
            f'[[optimizer]]\nrule = "{rule}"\nstep_size = 0.1\n')


ADAM = 'direction = "ema(G, 0.9)/(sqrt(ema(G**2, 0.999)) + 1e-8) + 0.1*norm(G)*sign(G)"\n'
SQUARES = '[model]\nloss = "least_squares"\n'
ZIPF = '[answers]\nlaw = "zipf"\norder = "shift"\n'

CASES = {
    "columns": experiment(power_law(1000000), run='engine = "columns"\n' + FEW),
    "columns of adam": experiment(power_law(1000000), "adam", 'engine = "columns"\n' + FEW),
    "columns of samples": experiment(power_law(1000000), run='engine = "columns"\n' + FEW,
                                     data='mode = "minibatch"\nbatch = 1000\n'),
    "columns of a formula": experiment(power_law(1000000), "formula", 'engine = "columns"\n' + FEW) + ADAM,
    "a row for every class": experiment(power_law(200000), "gd", 'engine = "columns"\nclasses = "all"\n', steps=20),
    "predictions at every step": experiment(power_law(300000), run='engine = "columns"\n' + FEW, steps=40),
    "least squares, predictions": experiment(power_law(500000), run=FEW, steps=2) + SQUARES,
    "singular values of columns": experiment(groups(1200), "adam", 'engine = "columns"\nspectral_metrics = "on"\n' + FEW, steps=2),
    "singular values of samples": experiment(power_law(1600), "adam", 'engine = "columns"\nspectral_metrics = "on"\n' + FEW,
                                             data='mode = "minibatch"\nbatch = 2000\n', steps=4),
    "symmetric": experiment(groups(2500), "momentum", 'engine = "symmetric"\n' + OFF + FEW),
    "symmetric, polar factor": experiment(groups(800), "muon", 'engine = "symmetric"\n' + OFF + FEW),
    "nodes": experiment(power_law("1e15"), "muon", 'engine = "quadrature"\nnodes = 1024\n' + FEW,
                        'kind = "equicorrelated"\nrho = 0.3\n'),
    "nodes, interpolated": experiment(power_law(80000), "muon", 'engine = "quadrature"\nnodes = 64\nclasses = "all"\n'),
    "dense": experiment(power_law(2000), "adam", 'engine = "dense"\n' + OFF + FEW),
    "dense, a formula": experiment(power_law(2000), "formula", 'engine = "dense"\n' + OFF + FEW) + ADAM,
    "dense, polar factor": experiment(power_law(800), "muon", 'engine = "dense"\n' + OFF + FEW),
    "dense, Gaussian": experiment(power_law(4000), "gd", 'engine = "dense"\n' + OFF + FEW, gaussian(400)),
    "dense, alignment": experiment(power_law(800), "gd", 'engine = "dense"\nalignment = true\n' + OFF + FEW),
    "symmetric, alignment": experiment(groups(700), "gd", 'engine = "symmetric"\nalignment = true\n' + OFF + FEW),
    "samples, a row for every class": experiment(power_law(200000), "gd", 'engine = "columns"\nclasses = "all"\n',
                                                 data='mode = "minibatch"\nbatch = 1000\n', steps=20),
    "dense, mixed": experiment(power_law(1200), "gd", 'engine = "dense"\n' + OFF + FEW,
                               'kind = "toeplitz"\nrho = 0.5\n'),
    "many answers, columns": experiment(power_law(1400), run='engine = "columns"\n' + FEW, data=ZIPF),
    "many answers, symmetric": experiment(power_law(700), "muon", 'engine = "symmetric"\n' + OFF + FEW, data=ZIPF),
    "dense, task gradient": experiment(power_law(2500), "tra_signgd", 'engine = "dense"\n' + OFF + FEW, gaussian(100)),
}


class Memory(unittest.TestCase):
    def setUp(self):
        needs_program()
        self.folder = scratch_folder(self.addCleanup)

    def write(self, text, name):
        path = self.folder / f"{name.replace(' ', '_').replace(',', '')}.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def peak(self, text, name):
        """Bytes of resident memory that a run of one thread comes to."""
        file = self.write(text, name)
        words = ["run", str(file), "-o", str(file.with_suffix(".h5")), "--jobs", "1", "--progress", "none"]
        quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        _, status, usage = os.wait4(os.posix_spawn(PROGRAM, [PROGRAM, *words], os.environ, file_actions=quiet), 0)
        self.assertEqual(status, 0, name)
        return usage.ru_maxrss * 1024

    def planned(self, text, name):
        words = [self.write(text, name), "-o", self.folder / "other.h5", "--dry-run", "--json", "--jobs", "1"]
        return json.loads(ran("run", *words).stdout)["memory_bytes"]

    def test_plan_is_what_runs_take(self):
        for name, text in some(CASES.items()):
            with self.subTest(name):
                measured, planned = self.peak(text, name), self.planned(text, name)
                self.assertGreater(measured, LEAST)
                self.assertLess(planned, 2 * measured)
                self.assertGreater(planned, measured / 1.3)

    def test_singular_values_of_a_rectangular_memory_need_no_matrix_of_all_classes(self):
        text = experiment(power_law(4000), run='engine = "dense"\nspectral_metrics = "on"\n' + FEW,
                          embedding=gaussian(16))
        self.assertLess(self.peak(text, "rectangular"), 8 * 4000**2)
        self.assertLess(self.planned(text, "rectangular"), 8 * 4000**2)

    def test_sweep_takes_what_is_planned(self):
        text = experiment(groups(4)) + '[sweep]\n"classes.exponent" = {linspace = [0.5, 2, 60]}\nseed = {range = [1, 51]}\n'
        measured, planned = self.peak(text, "sweep"), self.planned(text, "sweep")
        self.assertLess(planned, 3 * measured)
        self.assertGreater(planned, measured / 1.3)


if __name__ == "__main__":
    unittest.main()
