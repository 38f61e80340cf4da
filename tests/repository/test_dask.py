"""experiments/cluster/dask_sweep.py on a LocalCluster that listens on loopback: killed and continued."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from project import PROGRAM, ROOT, needs_program, packages, rarefact, scratch_folder, stored_points

with packages():
    import distributed  # noqa: F401
    import h5py  # noqa: F401

SWEEP = """name = "spread"
[classes]
spectrum = "grouped_power_law"
groups = 24
group_size = 1000
[run]
steps = 400
digits = "off"
[[optimizer]]
rule = "muon"
step_size = 0.37
[sweep]
classes.exponent = {linspace = [1, 2, 4]}
seed = [1, 2, 3]
"""


class Dask(unittest.TestCase):
    def setUp(self):
        needs_program()
        self.folder = scratch_folder(self.addCleanup)
        (self.folder / "spread.toml").write_text(SWEEP, encoding="utf-8")

    def start(self, *words):
        return subprocess.Popen([sys.executable, "-B", ROOT / "experiments/cluster/dask_sweep.py", "spread.toml", "-o", "spread.h5",
                                 "--program", PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"PYTHONPATH": str(ROOT / "analysis"), "HOME": str(self.folder)}, start_new_session=True)

    def running(self):
        """The programs that compute in this test's folder."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cwd"):
            try:
                found += [path.parent] if os.readlink(path) == str(self.folder) and b"rarefact" in (path.parent / "comm").read_bytes() else []
            except OSError:  # it has ended meanwhile
                pass
        return found

    def test_it_is_killed_and_goes_on(self):
        """kill -9 in the middle: no program is left; the same command computes the other points; the bytes are those of a local run"""
        rarefact("run", "spread.toml", "-o", "local.h5", "--set", "run.steps=300", folder=self.folder, check=True)
        process = self.start("--set", "run.steps=300")
        first = process.stdout.readline()
        self.assertRegex(first, r"^1 of 12 tasks; at least \d+ of 12 points$", process.stderr.read() if not first else "")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        for _ in range(500):
            if not self.running():
                break
            time.sleep(0.01)
        self.assertEqual(self.running(), [])
        kept = stored_points(self.folder / "spread.h5.points")
        self.assertTrue(0 < len(kept) < 12, len(kept))
        out, err = self.start("--set", "run.steps=300").communicate(timeout=120)
        self.assertEqual(re.findall(r"^result: .*|^12 of 12 tasks.*", out, re.MULTILINE),
                         ["12 of 12 tasks; at least 12 of 12 points", f"result: {self.folder}/spread.h5"], err)
        self.assertEqual((self.folder / "spread.h5").read_bytes(), (self.folder / "local.h5").read_bytes())

    def test_a_mistake_is_one_line(self):
        """of the experiment, before a task begins"""
        process = self.start("--set", "run.stepz=3")
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(err, r"^error: .*run.stepz.*\n$")


if __name__ == "__main__":
    unittest.main()
