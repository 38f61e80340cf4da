"""A sweep in parts, by hand and with the variables of a Slurm job array: merged, it has the bytes of an undisturbed run."""

import os
import unittest

from project import needs_program, rarefact, scratch_folder

BAD_INPUT, DAMAGED = 2, 4
POINTS = 8
SWEEP = """name = "parts"
[classes]
spectrum = "power_law"
count = 20
exponent = 1.5
[run]
steps = 20
[[optimizer]]
rule = "gd"
step_size = 1.0
[[optimizer]]
rule = "muon"
step_size = 0.37
[sweep]
classes.exponent = [1.1, 1.3, 1.5, 1.7]
run.steps = [10, 20]
"""
SLURM = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP")


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        cls.folder = scratch_folder(cls.addClassCleanup)
        (cls.folder / "parts.toml").write_text(SWEEP)
        run = cls.rarefact("run", "undisturbed.h5")
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        cls.bytes = (cls.folder / "undisturbed.h5").read_bytes()

    @classmethod
    def rarefact(cls, command, output, *options, **environment):
        clean = {name: value for name, value in os.environ.items() if name not in SLURM}
        return rarefact(command, "parts.toml", "-o", output, *options, folder=cls.folder, env=clean | environment)

    def points(self, output):
        """Of rarefact status: points done and points missing; and what it says of the result."""
        run = self.rarefact("status", output)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = dict(line.split(maxsplit=1) for line in run.stdout.splitlines())
        self.assertEqual(lines["points"], str(POINTS))
        return int(lines["done"]), int(lines["missing"]), lines["result"]

    def merged(self, output):
        run = self.rarefact("merge", output)
        self.assertEqual(run.returncode, 0, run.stderr)
        return (self.folder / output).read_bytes()

    def test_parts_by_hand(self):
        """0/3, 1/3, 2/3 in any order and threads; merge refuses until the last is done, then writes the same bytes"""
        output = "hand.h5"
        self.assertEqual(self.points(output), (0, POINTS, "hand.h5 (not there yet)"))
        done = 0
        for part, size, jobs in ((2, 2, 1), (0, 3, 2), (1, 3, 1)):
            early = self.rarefact("merge", output)
            self.assertEqual(early.returncode, DAMAGED)
            self.assertIn(f"of {POINTS} points {POINTS - done} are missing", early.stderr)
            named = [line for line in early.stderr.splitlines() if line.startswith("  point ")]
            self.assertEqual(len(named), POINTS - done, early.stderr)
            self.assertFalse((self.folder / output).exists())
            run = self.rarefact("run", output, "--shard", f"{part}/3", "--jobs", str(jobs))
            self.assertEqual(run.returncode, 0, run.stderr)
            done += size
            self.assertEqual(self.points(output), (done, POINTS - done, "hand.h5 (not there yet)"))
        self.assertEqual(self.merged(output), self.bytes)
        self.assertEqual(self.points(output), (POINTS, 0, "hand.h5 (there)"))

    def test_parts_as_slurm_numbers_them(self):
        """arrays 0-2, 1-4 and 10-16 in steps of 3: every task its part"""
        for first, count, step in ((0, 3, 1), (1, 4, 1), (10, 3, 3)):
            output = f"slurm{first}.h5"
            for task in range(first, first + count * step, step):
                run = self.rarefact("run", output, "--shard", "slurm", **dict(zip(SLURM, map(str, (task, first, count, step)))))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn(f"shard {(task - first) // step}/{count}:", run.stderr)
            self.assertEqual(self.merged(output), self.bytes)

    def test_a_part_alone_computes_its_points_only_and_a_second_time_none(self):
        """the parts of a task and of --shard i/n are the same points"""
        store = self.folder / "alone.h5.points"
        self.rarefact("run", "alone.h5", "--shard", "1/3")
        names = sorted(path.name for path in store.glob("*.point"))
        self.assertEqual(len(names), 3)
        run = self.rarefact("run", "alone.h5", "--shard", "slurm", **dict(zip(SLURM, ("1", "0", "3", "1"))))
        self.assertIn("0 of them now", run.stderr)
        self.assertEqual(sorted(path.name for path in store.glob("*.point")), names)

    def test_what_is_not_a_part_is_refused(self):
        """missing or strange variables and parts out of range: exit code 2, the name of what is wrong, no file"""
        before = sorted(self.folder.iterdir())
        whole = dict(zip(SLURM, ("1", "0", "3", "1")))
        cases = [("slurm", whole | {"SLURM_ARRAY_TASK_ID": "seven"}, "SLURM_ARRAY_TASK_ID"),
                 ("slurm", whole | {"SLURM_ARRAY_TASK_ID": "3"}, "task 3")]
        for name in SLURM[:3]:
            cases.append(("slurm", {key: value for key, value in whole.items() if key != name}, name))
        cases += [(part, whole, part) for part in ("3/3", "-1/3", "1", "1/0", "")]
        for part, environment, said in cases:
            with self.subTest(part=part, said=said):
                run = self.rarefact("run", "refused.h5", "--shard", part, **environment)
                self.assertEqual(run.returncode, BAD_INPUT, run.stderr)
                self.assertIn("--shard", run.stderr)
                self.assertIn(said, run.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)


if __name__ == "__main__":
    unittest.main()
