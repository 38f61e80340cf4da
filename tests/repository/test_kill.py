"""Runs that are killed at random moments, stopped by signals and by time, and resumed: never a byte is lost."""

import random
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from project import ALL, PROGRAM, SEED, needs_program, ran, scratch_folder, thorough

KILLS = 12 if ALL else 3
STOPPED_EARLY = 75

# Points of different length, each of them some milliseconds; most leave digits and the effect of Adam's ε to the others.
SWEEP = """name = "killed"
[classes]
spectrum = "grouped_power_law"
groups = 12
group_size = 1000
[run]
steps = 100
spectral_metrics = "off"
[[optimizer]]
rule = "adam"
step_size = 0.1
[[optimizer]]
rule = "muon"
step_size = 0.37
[sweep]
classes.exponent = {linspace = [1, 2, 6]}
run.steps = [50, 100, 150]
seed = [1, 2]
"""

# One point that takes hours.
LONG = """name = "long"
[classes]
spectrum = "grouped_power_law"
groups = 24
group_size = 1000
exponent = 1.5
[run]
steps = 100000000
record = "log"
[[optimizer]]
rule = "muon"
step_size = 0.37
"""


class Kills(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        cls.folder = scratch_folder(cls.addClassCleanup)
        (cls.folder / "sweep.toml").write_text(SWEEP)
        start = time.monotonic()
        cls.finish(cls.folder / "undisturbed.h5", "--jobs", "1")
        cls.seconds = time.monotonic() - start
        cls.bytes = (cls.folder / "undisturbed.h5").read_bytes()

    @classmethod
    def words(cls, name, output, *options, experiment="sweep.toml"):
        return [name, str(cls.folder / experiment), "-o", str(output), *options]

    @classmethod
    def start(cls, output, *options, experiment="sweep.toml"):
        return subprocess.Popen([PROGRAM, *cls.words("run", output, *options, experiment=experiment)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    @classmethod
    def finish(cls, output, *options):
        return ran(*cls.words("run", output, *options))

    def status(self, output):
        run = ran(*self.words("status", output))
        return {words[0]: int(words[1]) for words in map(str.split, run.stdout.splitlines()) if words[0] != "result"}

    def test_killed_at_random_moments(self):
        """kill -9 again and again, each time resumed: nothing finished is lost, and the bytes are the same"""
        moments = random.Random(SEED)
        output = self.folder / "killed.h5"
        done = killed = 0
        with self.subTest(seed=SEED):
            for attempt in range(20 * KILLS):
                run = self.start(output, "--jobs", str(1 + attempt % 2))
                try:
                    # Long enough now and then to come to the merge.
                    run.wait(timeout=moments.uniform(0, 2.5 * self.seconds / KILLS))
                except subprocess.TimeoutExpired:
                    run.kill()
                run.communicate()
                self.assertIn(run.returncode, (0, -signal.SIGKILL))
                now = self.status(output)
                self.assertGreaterEqual(now["done"], done)
                self.assertEqual((now["damaged"], now["failed"]), (0, 0))
                done = now["done"]
                killed += run.returncode != 0
                if run.returncode == 0:
                    self.assertEqual(output.read_bytes(), self.bytes)
                    self.assertFalse(Path(f"{output}.points").exists())
                    output.unlink()
                    done = 0
                if killed >= KILLS:
                    break
            self.assertGreaterEqual(killed, KILLS)
            self.finish(output)
            self.assertEqual(output.read_bytes(), self.bytes)
            ran("check", output)

    def test_stopped_by_signals(self):
        """SIGTERM and SIGINT end with 75 and say how to go on; the next run does"""
        for number in (signal.SIGTERM, signal.SIGINT):
            output = self.folder / f"signal{number}.h5"
            stopped = 0
            for _ in range(50):
                run = self.start(output, "--jobs", "2")
                time.sleep(self.seconds / 4)
                run.send_signal(number)
                _, err = run.communicate(timeout=30)
                if run.returncode == 0:
                    break
                # A signal that comes before the program listens ends it as it ends any other.
                if run.returncode == -number:
                    continue
                self.assertEqual(run.returncode, STOPPED_EARLY, err)
                self.assertIn(f"stopped ({signal.Signals(number).name})", err)
                self.assertIn("the same command continues", err)
                self.assertFalse(output.exists())
                stopped += 1
            self.assertGreaterEqual(stopped, 1)
            self.finish(output)
            self.assertEqual(output.read_bytes(), self.bytes)

    def test_two_at_once(self):
        """two runs of one sweep compute no point twice, also where a third is killed, and the bytes are the same"""
        for killed in (False, True):
            output = self.folder / f"shared{killed}.h5"
            # A single shard, which says how many points it computed.
            runs = [self.start(output, "--jobs", "1", "--shard", "0/1") for _ in range(3 if killed else 2)]
            if killed:
                time.sleep(0.3 * self.seconds)
                runs[-1].kill()
                runs.pop().communicate()
            said = [run.communicate(timeout=120)[1] for run in runs]
            computed = sum(int(re.search(r"(\d+) of them now", text)[1]) for text in said)
            (self.assertLessEqual if killed else self.assertEqual)(computed, 36, said)
            self.assertEqual(self.status(output)["done"], 36)
            self.finish(output)
            self.assertEqual(output.read_bytes(), self.bytes)

    def test_two_that_join_at_once(self):
        """each of two runs that end together writes or finds the result, whoever takes the points away"""
        for attempt in range(KILLS):
            output = self.folder / f"joined{attempt}.h5"
            runs = [self.start(output, "--jobs", "1") for _ in range(2)]
            said = [run.communicate(timeout=120)[1] for run in runs]
            self.assertEqual([run.returncode for run in runs], [0, 0], said)
            self.assertEqual(output.read_bytes(), self.bytes)
            self.finish(output)
            self.assertFalse(Path(f"{output}.points").exists())

    @thorough
    def test_killed_within_a_point(self):
        """kill -9 within one long point: it goes on from its checkpoint, to the same bytes"""
        experiment = self.folder / "one.toml"

        def whole_run(steps):
            experiment.write_text(LONG.replace("steps = 100000000", f"steps = {steps}"))
            start = time.monotonic()
            run = self.start(whole, "--jobs", "1", experiment="one.toml")
            _, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, err)
            return time.monotonic() - start

        whole, output = self.folder / "one.h5", self.folder / "one_killed.h5"
        # Some seconds, on whatever machine and under whatever sanitizer.
        steps, seconds = 1000, 4.0
        while (taken := whole_run(steps)) < seconds / 2:
            steps = int(steps * min(20, seconds / taken))
            whole.unlink()
        moments = random.Random(SEED)
        resumed = 0
        with self.subTest(seed=SEED):
            for _ in range(60):
                run = self.start(output, "--jobs", "1", "--checkpoint", "1s", experiment="one.toml")
                try:
                    _, err = run.communicate(timeout=moments.uniform(1.1, 2.2))
                except subprocess.TimeoutExpired:
                    run.kill()
                    _, err = run.communicate()
                resumed += "continuing from the checkpoint" in err
                self.assertNotIn("warning", err)
                if run.returncode == 0:
                    break
            self.assertEqual(run.returncode, 0, err)
            self.assertGreaterEqual(resumed, 1)
            self.assertEqual(output.read_bytes(), whole.read_bytes())
            self.assertFalse(Path(f"{output}.points").exists())


if __name__ == "__main__":
    unittest.main()
