"""pip wheel and pip install, without network: one file that works in a fresh virtual environment, with nothing on PATH."""

import os
import re
import subprocess
import sys
import unittest
import zipfile

from project import ALL, PROGRAM, ROOT, needs_program, packages, scratch_folder

with packages():
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import setuptools  # noqa: F401  # before pip, which otherwise hides its distutils
    import pip  # noqa: F401
    import venv  # not part of every Debian Python
    import wheel  # noqa: F401

EXPERIMENT = {"name": "piped", "classes": {"spectrum": "power_law", "count": 50, "exponent": 1.5}, "run": {"steps": 20, "digits": "off"},
              "optimizer": [{"rule": "gd", "step_size": 1.0}]}


class Pip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        cls.folder = scratch_folder(cls.addClassCleanup)
        # With RAREFACT_ALL=1 pip builds the program, too, which takes minutes.
        built = {} if ALL else {"RAREFACT_BUILT": PROGRAM}
        cls.call([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", cls.folder, ROOT],
                 env=os.environ | built, timeout=3000)
        [cls.wheel] = cls.folder.glob("*.whl")
        venv.create(cls.folder / "fresh", system_site_packages=True, symlinks=True)
        cls.python = cls.folder / "fresh" / "bin" / "python"
        cls.call([cls.python, "-m", "pip", "install", "--no-index", "--no-compile", cls.wheel])

    @classmethod
    def call(cls, words, **more):
        """What the command prints, with nothing of this environment but what is given."""
        done = subprocess.run([str(word) for word in words], cwd=cls.folder, capture_output=True, text=True,
                              **{"env": {"PATH": "/nowhere", "HOME": str(cls.folder)}, "timeout": 120} | more)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}\n{done.stderr}")
        return done.stdout

    def test_a_wheel_is_one_file_with_the_program(self):
        """for any Python on this kind of machine; the types, figures, experiments and data are in it, no tests"""
        self.assertRegex(self.wheel.name, r"^rarefact-[0-9.]+-py3-none-linux_\w+\.whl$")
        names = set(zipfile.ZipFile(self.wheel).namelist())
        for name in ("py.typed", "figures/curves.py", "installed/bin/rarefact", "installed/share/rarefact/analysis/draw.py",
                     "installed/share/rarefact/data/references.bib", "installed/share/rarefact/experiments/text/kjv_words.toml"):
            self.assertTrue(f"rarefact/{name}" in names, name)
        self.assertFalse([name for name in names if "test" in name or name.endswith(".cpp")])

    def test_it_runs_without_path(self):
        """from python -c: an experiment, a figure; where the package is, nothing of the source tree"""
        said = self.call([self.python, "-c", f"import rarefact as rf\nr = rf.run({EXPERIMENT!r})\nprint(r, rf.__file__)\n"
                                             "rf.plot.losses(r, output='losses.png')"])
        self.assertIn("<Result results/piped.h5: 1 run, 1 optimizer, 21 step", said)
        self.assertIn(f"{self.folder}/fresh/lib/", said)
        self.assertTrue((self.folder / "losses.png").exists())

    def test_the_command_is_the_program(self):
        """its version, exit codes, an installed experiment with its data, a report whose figures this Python draws"""
        command = self.folder / "fresh" / "bin" / "rarefact"
        self.assertRegex(self.call([command, "--version"]), r"^rarefact \d")
        self.assertEqual(subprocess.run([command, "run", "none.toml"], capture_output=True, env={}).returncode, 3)
        [data] = self.folder.glob("fresh/lib/python*/site-packages/rarefact/installed/share/rarefact")
        self.call([command, "run", data / "experiments/text/kjv_words.toml", "-o", "k.h5", "--set", "run.steps=4", "--set", "run.record=all",
                   "--set", "run.digits=off", "--progress", "none"])
        self.call([command, "report", "k.h5", "-o", "k.html"])
        self.assertTrue(re.search("<svg|data:image/svg", (self.folder / "k.html").read_text(encoding="utf-8")))
        self.assertIn("@misc{rarefact", (self.folder / "k.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
