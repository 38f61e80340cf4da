"""The installed package: a program of somebody else finds it, runs an experiment and reads the result."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from project import ROOT

BUILD = Path(os.environ["RAREFACT_PROGRAM"]).parent


class Consumer(unittest.TestCase):
    def run_in(self, folder, *command):
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, f"{command}\n{run.stdout[-4000:]}{run.stderr[-4000:]}")
        return run.stdout

    def test_a_consumer_builds_and_runs(self):
        """find_package(rarefact) in a project of its own"""
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder) / "prefix"
            self.run_in(folder, "cmake", "--install", BUILD, "--prefix", prefix)
            headers = sorted(path.name for path in (prefix / "include" / "rarefact").iterdir())
            self.assertLessEqual(len(headers), 12)
            self.assertEqual(headers, sorted(path.name for path in (ROOT / "include" / "rarefact").iterdir()))
            # The source tree must not be needed: not even its path.
            self.run_in(folder, "cmake", "-S", ROOT / "tests" / "consumer", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                        "-DCMAKE_BUILD_TYPE=Release")
            self.run_in(folder, "cmake", "--build", "build")
            printed = self.run_in(folder, Path(folder) / "build" / "consumer")
            page = (ROOT / "docs" / "python-and-cpp.md").read_text(encoding="utf-8")
            for name in ["CMakeLists.txt", "consumer.cpp"]:
                self.assertIn("\n" + (ROOT / "tests" / "consumer" / name).read_text(encoding="utf-8") + "```", page)
            self.assertIn(f"```\n{printed}```", page)
            for path in (prefix / "lib").rglob("*.cmake"):
                self.assertNotIn(str(ROOT), path.read_text(encoding="utf-8"), path)


if __name__ == "__main__":
    unittest.main()
