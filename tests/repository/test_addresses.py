"""Where memory lies changes no byte of a result: runs under an allocator that shifts every block by 16 bytes.

Eigen and the compiler treat the entries before a multiple of 32 bytes one by one and the others four at a time, so that a sum,
or an exponential, of memory that is not aligned would depend on its address.
"""

import unittest

from project import needs_program, preloaded, ran, scratch_folder

POWER = 'spectrum = "power_law"\ncount = {}\nexponent = 0.5\n'
GROUPS = 'spectrum = "grouped_power_law"\ngroups = 7\ngroup_size = 6\nexponent = 1\n'
RULES = {
    "gd": "step_size = 0.5",
    "ngd": "step_size = 0.01",
    "adam": "step_size = 0.01",
    "signgd": "step_size = 0.01",
    "tra_signgd": "step_size = 0.01",
    "muon": "step_size = 0.1",
    "formula": 'step_size = 0.1\nstate.m = "0.9*m + G"\ndirection = "m/(abs(m) + 0.01) + 0.1*exp(-abs(W))*polar(G)"',
}

# Name: classes, the keys of [run], the rules, and other tables.
CASES = {
    "dense": (POWER.format(39), 'engine = "dense"', RULES, '[embedding]\nkind = "gaussian"\ndimension = 29\n'),
    "identity": (POWER.format(39), 'engine = "dense"', RULES, ""),
    "single": (POWER.format(39), 'arithmetic = "single"', ["gd", "muon"], '[embedding]\nkind = "gaussian"\ndimension = 29\n'),
    "columns": (POWER.format(39), "push = true", ["gd", "ngd", "adam", "signgd"], ""),
    "symmetric": (GROUPS, 'engine = "symmetric"\nalignment = true', RULES, "[data]\nlabel_noise = 0.1\n"),
    "digits": (GROUPS, 'digits = "on"\nrho_epsilon = 0.1', ["gd", "muon"], ""),
    "curvature": (GROUPS, "curvature = true", ["gd", "adam", "muon", "newton"], ""),
    "quadrature": (POWER.format("1e9"), "", ["gd", "adam", "muon"], ""),
    "answers": (POWER.format(39), "", ["gd", "adam", "muon"], '[answers]\nlaw = "modulo"\ncount = 5\n'),
    "modes": (POWER.format(39), "", ["gd", "muon"], '[model]\nloss = "least_squares"\n'),
    "squares": (POWER.format(39), 'engine = "dense"', ["gd", "adam", "muon"],
                '[model]\nloss = "least_squares"\n[data]\nmode = "minibatch"\nbatch = 5\nquery_noise = 0.1\n'),
    "samples": (POWER.format(39), "", ["gd", "adam", "muon"], '[data]\nmode = "minibatch"\nbatch = 5\n'),
    "embedded samples": (POWER.format(39), "", ["gd", "adam", "muon"],
                         '[data]\nmode = "minibatch"\nbatch = 5\n[embedding]\nkind = "gaussian"\ndimension = 29\n'),
    "leaps": (POWER.format(39), 'steps = 1000000000000\nrecord = "log"', ["gd", "momentum", "ngd"], ""),
}


def experiment(name):
    classes, run, rules, other = CASES[name]
    run += "" if "steps" in run else "\nsteps = 12"
    text = f'name = "{name}"\n[classes]\n{classes}[run]\n{run}\n{other}'
    for rule in rules:
        text += f'[[optimizer]]\nrule = "{rule}"\n{RULES.get(rule, "step_size = 0.01")}\n'
    return text


class Addresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        cls.folder = scratch_folder(cls.addClassCleanup)
        cls.environment = preloaded("shifted_malloc.cpp", cls.folder)

    def result(self, name, shift):
        """The bytes of the result where every block begins so many bytes after a multiple of 64."""
        file, output = self.folder / f"{name}.toml", self.folder / f"{name} {shift}.h5"
        file.write_text(experiment(name))
        run = ran("run", file, "-o", output, "--jobs", "2", "--progress", "none", env=self.environment | {"RAREFACT_SHIFT": str(shift)})
        self.assertNotIn("LD_PRELOAD", run.stderr)
        return output.read_bytes()

    def test_results(self):
        """The bytes of a result do not depend on where memory lies"""
        for name in CASES:
            with self.subTest(name):
                self.assertTrue(self.result(name, 0) == self.result(name, 16), "depends on addresses")


if __name__ == "__main__":
    unittest.main()
