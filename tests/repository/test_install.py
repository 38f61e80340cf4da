"""cmake --install: program, manual pages, completion, figures and experiments work from there, and the source tree is not needed."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from project import PROGRAM, ROOT, scratch_folder


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = scratch_folder(cls.addClassCleanup)
        cls.prefix = cls.folder / "prefix"
        done = subprocess.run(["cmake", "--install", Path(PROGRAM).parent, "--prefix", cls.prefix], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.program = cls.prefix / "bin" / "rarefact"
        page = cls.call(cls.program, "--help").stdout
        cls.commands = re.findall(r"^  ([a-z]+)  ", page.split("commands:")[1].split("\n\n")[0], re.MULTILINE)

    @classmethod
    def call(cls, *words, **more):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cls.folder, timeout=60, **more)

    def test_every_command_has_a_manual_page_that_sets(self):
        """as many as commands and one; groff has no complaint; each option is on its page"""
        pages = {path.name: path for path in (self.prefix / "share" / "man" / "man1").iterdir()}
        self.assertEqual(set(pages), {"rarefact.1", *(f"rarefact-{name}.1" for name in self.commands)})
        for name in self.commands:
            text = pages[f"rarefact-{name}.1"].read_text(encoding="utf-8").replace("\\-", "-")
            for option in re.findall(r"--[a-z-]+", self.call(self.program, name, "--help").stdout.split("options:")[1]):
                self.assertIn(option, text, name)
        if shutil.which("groff"):
            for path in pages.values():
                set_page = self.call("groff", "-man", "-ww", "-Tutf8", path)
                self.assertEqual((set_page.returncode, set_page.stderr), (0, ""), path.name)

    def completed(self, *words):
        """What bash offers for the last word."""
        script = self.prefix / "share" / "bash-completion" / "completions" / "rarefact"
        lines = (f'. {script}; COMP_WORDS=(rarefact "$@"); COMP_CWORD=$#; _rarefact; printf "%s\\n" "${{COMPREPLY[@]}}"')
        done = self.call("bash", "-c", lines, "bash", *words, env=dict(os.environ, PATH=f"{self.prefix / 'bin'}:{os.environ['PATH']}"))
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_keys(self):
        """from the rows of the program"""
        for words, expected in {("exp",): ["explain"], ("run", "--st"): ["--strict"], ("run", "mi"): [], ("run", "x", "--set", "run.st"): ["run.steps="],
                                ("explain", "run.pu"): ["run.push"], ("run", "x", "--jobs", ""): [],
                                ("list", "th"): ["theorems"], ("verify", "wang2025/one-step-g"): ["wang2025/one-step-gd"]}.items():
            self.assertEqual(self.completed(*words), expected, words)
        self.assertEqual(set(self.completed("")), {*self.commands, "--help", "--version", "--manual", "--completion"})
        if shutil.which("zsh"):
            self.assertEqual(self.call("zsh", "-n", self.prefix / "share" / "zsh" / "vendor-completions" / "_rarefact").stderr, "")

    def test_what_is_installed_is_listed_for_who_removes_it(self):
        """install_manifest_program.txt, which installing the program alone writes, has every file; DESTDIR is no part of it"""
        done = subprocess.run(["cmake", "--install", Path(PROGRAM).parent, "--prefix", "/opt/r", "--component", "program"],
                              capture_output=True, text=True, env=dict(os.environ, DESTDIR=str(self.folder / "stage")))
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = (Path(PROGRAM).parent / "install_manifest_program.txt").read_text(encoding="utf-8").splitlines()
        installed = ["/" + str(path.relative_to(self.folder / "stage")) for path in (self.folder / "stage").rglob("*") if path.is_file()]
        self.assertEqual(sorted(listed), sorted(installed))

    def test_no_path_of_the_source_tree_is_compiled_in(self):
        self.assertNotIn(str(ROOT).encode() + b"/", self.program.read_bytes())

    def test_experiments_and_figures_work_from_there(self):
        """an installed experiment runs, with the data beside it, and its figure is drawn by the installed scripts"""
        experiments = self.prefix / "share" / "rarefact" / "experiments"
        self.assertEqual(sorted(path.name for path in experiments.rglob("*.toml")),
                         sorted(path.name for path in (ROOT / "experiments").rglob("*.toml")))
        run = self.call(self.program, "run", experiments / "text" / "kjv_words.toml", "-o", "k.h5", "--set", "run.steps=4", "--set",
                        "run.record=all", "--set", "run.digits=off", "--progress", "none")
        self.assertEqual(run.returncode, 0, run.stderr)
        plot = self.call(self.program, "plot", "losses", "k.h5", "-o", "k.png")
        if "is missing (Debian" in plot.stderr:
            self.skipTest(plot.stderr)
        self.assertEqual(plot.returncode, 0, plot.stderr)
        self.assertTrue((self.folder / "k.png").exists())


if __name__ == "__main__":
    unittest.main()
