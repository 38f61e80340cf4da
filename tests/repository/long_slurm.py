"""experiments/cluster/array.sbatch on a real Slurm, which the test starts and stops (private_slurm.py)."""

import shlex
import time
import unittest
from pathlib import Path

from private_slurm import PrivateSlurm
from project import PROGRAM, ROOT, needs_program, ran, rarefact

SCRIPT = ROOT / "experiments/cluster/array.sbatch"
# Some seconds in all and no point more than some milliseconds: a point must fit into a task's time on a busy machine too.
SWEEP = """name = "array"
[classes]
spectrum = "grouped_power_law"
groups = 12
group_size = 1000
[run]
steps = 1000
spectral_metrics = "off"
[[optimizer]]
rule = "gd"
step_size = 1.0
[[optimizer]]
rule = "muon"
step_size = 0.37
[sweep]
classes.exponent = {linspace = [1, 2, 100]}
run.steps = [500, 1400]
"""
OPTIONS = ["--set", "sweep.run.steps=[1000, 1400]"]
POINTS = 200
DAMAGED = 4


class SlurmArray(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        cls.slurm = PrivateSlurm()
        cls.addClassCleanup(cls.slurm.stop)
        cls.slurm.start()
        cls.experiment = str(cls.slurm.folder / "sweep.toml")
        Path(cls.experiment).write_text(SWEEP)
        start = time.monotonic()
        ran("run", cls.experiment, "-o", cls.slurm.folder / "local.h5", *OPTIONS, "--jobs", "1")
        cls.seconds = time.monotonic() - start
        cls.bytes = (cls.slurm.folder / "local.h5").read_bytes()

    @classmethod
    def rarefact(cls, command, output, *more):
        return rarefact(command, cls.experiment, "-o", output, *OPTIONS, *more)

    def setUp(self):
        self.output = self.slurm.folder / f"{self._testMethodName}.h5"

    def submit_array(self, *arguments, options=OPTIONS, **environment):
        return self.slurm.submit(
            *arguments, SCRIPT, self.experiment, self.output, *options, env={"RAREFACT": PROGRAM} | environment
        )

    def submit_merge(self, job):
        command = shlex.join([PROGRAM, "merge", self.experiment, "-o", str(self.output), *OPTIONS])
        return self.slurm.submit(f"--dependency=afterok:{job}", "--wrap", command)

    def wait_for(self, job, tasks=None):
        """Until these tasks of the job have ended, or all of it."""
        deadline = time.monotonic() + 120
        while queue := self.slurm.queue(job):
            if tasks is not None and tasks.isdisjoint(queue):
                return
            if time.monotonic() > deadline:
                self.fail(f"{queue} after two minutes\n{self.said()}")
            time.sleep(0.2)

    def said(self):
        outputs = sorted(self.slurm.folder.glob("slurm-*.out"))
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in outputs) + self.slurm.logs()

    def assert_completed(self, job):
        for task in self.slurm.details(job):
            self.assertEqual((task["JobState"], task["ExitCode"]), ("COMPLETED", "0:0"), self.said())

    def status(self):
        lines = self.rarefact("status", self.output).stdout.splitlines()
        return {words[0]: int(words[1]) for words in map(str.split, lines) if words[0] != "result"}

    def test_an_array_and_its_merge_write_the_bytes_of_a_local_run(self):
        """three parts, the last one held back: merge names what is missing; then a dependent job merges"""
        job = self.submit_array("--array=0-2", "--hold")
        merge = self.submit_merge(job)
        for part in (0, 1):
            self.slurm.output("scontrol", "release", f"{job}_{part}")
        self.wait_for(job, {f"{job}_0", f"{job}_1"})

        # A third of the points, dealt out one by one, is with the part that waits.
        missing = POINTS // 3
        status = self.status()
        self.assertEqual((status["points"], status["missing"]), (POINTS, missing), self.said())
        self.assertEqual(status["done"] + status["failed"], POINTS - missing)
        early = self.rarefact("merge", self.output)
        self.assertEqual(early.returncode, DAMAGED, early.stderr)
        self.assertIn(f"{missing} of {POINTS} points missing", early.stderr)
        named = [line for line in early.stderr.splitlines() if line.startswith("  point ")]
        self.assertEqual(len(named), 20, early.stderr)
        self.assertIn(f"and {missing - 20} more", early.stderr)
        self.assertFalse(self.output.exists())
        self.assertEqual(self.slurm.queue(merge), {merge: "PENDING"})

        self.slurm.output("scontrol", "release", f"{job}_2")
        self.wait_for(job)
        self.wait_for(merge)
        self.assert_completed(job)
        self.assert_completed(merge)
        self.assertEqual(self.output.read_bytes(), self.bytes)
        self.assertEqual(self.status()["missing"], 0)

    def test_a_part_that_runs_out_of_time_queues_again_until_it_is_done(self):
        """--max-time too short for a part: it ends with 75, Slurm starts it again; the bytes are the same"""
        # A part is half of the points: about three times too much.
        seconds = max(1, int(self.seconds / 6))
        job = self.submit_array("--array=0-1", MAX_TIME=f"{seconds}s")
        merge = self.submit_merge(job)
        self.wait_for(job)
        self.wait_for(merge)
        self.assert_completed(job)
        restarts = [int(task["Restarts"]) for task in self.slurm.details(job)]
        self.assertEqual(len(restarts), 2)
        self.assertTrue(all(count >= 1 for count in restarts), restarts)
        self.assertEqual(self.output.read_bytes(), self.bytes)

    def test_a_part_that_never_fits_gives_up(self):
        """the number of requeues has an end; the job then fails with 75, and its merge is never started"""
        options = ["--set", "run.steps=1000000000", "--set", "run.record=log"]
        job = self.submit_array("--array=0-0", options=options, MAX_TIME="1s", MOST_REQUEUES="1")
        merge = self.submit_merge(job)
        self.wait_for(job)
        (task,) = self.slurm.details(job)
        self.assertEqual((task["JobState"], task["ExitCode"], task["Restarts"]), ("FAILED", "75:0", "1"), self.said())
        self.assertEqual(self.slurm.queue(merge), {merge: "PENDING"})
        self.slurm.output("scancel", merge)


if __name__ == "__main__":
    unittest.main()
