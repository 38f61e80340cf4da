"""experiments/cluster/Snakefile, run by a real Snakemake where there is one (Debian package snakemake, 700 MB with all it needs)."""

import os
import shutil
import subprocess
import unittest

from project import PROGRAM, ROOT, needs_program, rarefact, scratch_folder

EXPERIMENT = str(ROOT / "experiments/figures/quadrature_nodes.toml")


class Snakefile(unittest.TestCase):
    def setUp(self):
        needs_program()
        if shutil.which("snakemake") is None:
            self.skipTest("snakemake is missing (Debian package snakemake)")
        self.folder = scratch_folder(self.addCleanup)

    def snakemake(self, *arguments):
        return subprocess.run(
            ["snakemake", "--snakefile", ROOT / "experiments/cluster/Snakefile", "--cores", "2", *arguments,
             "--config", f"rarefact={PROGRAM}", f"experiment={EXPERIMENT}", "output=swept.h5", "parts=3",
             "options=--set run.steps=20"],
            cwd=self.folder, env=os.environ | {"HOME": str(self.folder)}, capture_output=True, text=True,
        )

    def test_it_writes_the_bytes_of_a_local_run(self):
        """three parts and the merge; asked again, there is nothing to do; a lost result is computed again"""
        rarefact("run", EXPERIMENT, "-o", self.folder / "local.h5", "--set", "run.steps=20", check=True)
        run = self.snakemake()
        self.assertEqual(run.returncode, 0, run.stderr)
        expected = (self.folder / "local.h5").read_bytes()
        self.assertEqual((self.folder / "swept.h5").read_bytes(), expected)
        self.assertIn("Nothing to be done", self.snakemake().stderr)

        (self.folder / "swept.h5").unlink()
        (self.folder / "swept.h5.parts/1_of_3").unlink()
        # The points went when they were joined, though parts count as done: merge says what is missing, and writes nothing.
        run = self.snakemake("--force", "merge")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("points missing", run.stderr)
        self.assertFalse((self.folder / "swept.h5").exists())
        run = self.snakemake("--forceall")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.folder / "swept.h5").read_bytes(), expected)


if __name__ == "__main__":
    unittest.main()
