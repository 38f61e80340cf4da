"""Odd things where a file belongs, odd names, and limits of the system: no wait, no crash, nothing left behind."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from project import ALL, PROGRAM, ROOT, needs_program, ran, rarefact, scratch_folder, some, store_points, stored_points

EXPERIMENT = """name = "odd"
[classes]
spectrum = "grouped_power_law"
groups = 4
group_size = 10
exponent = 1.5
[run]
steps = 20
[[optimizer]]
rule = "gd"
step_size = 1.0
"""
SWEEP = "[sweep]\nseed = [1, 2, 3]\n"
SECONDS = 40  # within which everything here has answered, on a busy machine and under a sanitizer too


def limited(**limits):
    """A preexec_fn with these limits."""
    return lambda: [resource.setrlimit(getattr(resource, name), (value, value)) for name, value in limits.items()]


class OddPlaces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()

    def setUp(self):
        self.folder = scratch_folder(self.addCleanup)
        self.write("e.toml", EXPERIMENT)
        self.write("sweep.toml", EXPERIMENT + SWEEP)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_in(self, *words, **more):
        return rarefact(*words, folder=self.folder, timeout=SECONDS, errors="surrogateescape", **more)

    def ran_in(self, *words, **more):
        return ran(*words, folder=self.folder, timeout=SECONDS, errors="surrogateescape", **more)

    def refused(self, code, what, *words, **more):
        """The words end with the code, say what, and leave the folder as it was."""
        before = sorted(self.folder.rglob("*"))
        run = self.run_in(*words, **more)
        self.assertEqual(run.returncode, code, f"{words}: {run.stderr}")
        self.assertRegex(run.stderr + run.stdout, what)
        self.assertNotIn("internal error", run.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return run

    def odd_things(self):
        """What is not a regular file, in the folder."""
        os.mkfifo(self.folder / "pipe")
        (self.folder / "folder").mkdir()
        (self.folder / "dead").symlink_to("nowhere")
        (self.folder / "zeros").symlink_to("/dev/zero")

    def test_a_figure_ends_like_a_table(self):
        """3 without the file, 4 if it is no result; all figures and reports: test_figures.py, in one process"""
        for name, code in (("none.h5", 3), ("e.toml", 4)):
            for words in (["table"], ["plot", "curves"]):
                self.refused(code, name, *words, name)

    def test_points_claims_and_checkpoints_that_are_no_files_are_nothing(self):
        """status and merge pass over them at once, and run computes the point again"""
        folder = self.folder / "s.h5.points"
        self.ran_in("run", "sweep.toml", "-o", "s.h5", "--shard", "0/1")
        points = stored_points(folder)
        self.ran_in("merge", "sweep.toml", "-o", "s.h5")
        whole = (self.folder / "s.h5").read_bytes()
        lost = min(points)
        some = {name: record for name, record in points.items() if name != lost}
        self.odd_things()
        for odd in ("pipe", "folder", "zeros", "dead"):
            for name in ("s.h5", "s.h5.sha256"):
                (self.folder / name).unlink()
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            store_points(folder, some)
            for name in ("00002.points", "running", lost + ".checkpoint"):
                if odd == "pipe":
                    os.mkfifo(folder / name)
                else:
                    (folder / name).symlink_to(self.folder / odd)
            self.assertRegex(self.run_in("status", "sweep.toml", "-o", "s.h5").stdout, r"missing +1\ndamaged +0\n")
            self.refused(4, "1 of 3 points missing", "merge", "sweep.toml", "-o", "s.h5")
            self.ran_in("run", "sweep.toml", "-o", "s.h5")
            self.assertEqual((self.folder / "s.h5").read_bytes(), whole)

    def test_no_page_takes_the_place_of_a_pipe(self):
        """also where Python is called by itself; what the program refuses is in tests/cli/transcripts/odd.txt"""
        self.ran_in("run", "e.toml", "-o", "r.h5")
        self.odd_things()
        drawn = subprocess.run([sys.executable, "-B", ROOT / "analysis/draw.py", PROGRAM, "report", "r.h5", "-o", "pipe"], cwd=self.folder,
                               capture_output=True, text=True, timeout=60)
        if drawn.returncode != 69:  # a module is missing
            self.assertEqual(drawn.returncode, 2, drawn.stderr)
        self.assertTrue((self.folder / "pipe").is_fifo())

    @unittest.skipIf(os.environ.get("TSAN_OPTIONS"), "the thread sanitizer writes a file before the program begins")
    def test_a_file_that_may_not_grow_is_an_error_and_nothing_is_left(self):
        """RLIMIT_FSIZE: 3 and a message, no death by SIGXFSZ, no temporary file"""
        self.ran_in("run", "e.toml", "-o", "r.h5")
        self.ran_in("table", "r.h5", "-o", "t.md")
        for size, words in ((4096, ("run", "e.toml", "-o", "f.h5")), (0, ("run", "e.toml", "-o", "f.h5")),
                            (100, ("init", "new")), (10, ("table", "r.h5", "-o", "t.md")),
                            (1000, ("verify", "wang2025/one-step-gd", "--quick", "-o", "v.h5")),
                            (100, ("verify", "wang2025/one-step-gd", "--quick", "--latex", "v.tex"))):
            self.refused(3, "cannot write it: File too large", *words, preexec_fn=limited(RLIMIT_FSIZE=size))
        self.refused(3, "File too large|matplotlib", "report", "r.h5", "-o", "p.html", preexec_fn=limited(RLIMIT_FSIZE=4096))
        run = self.run_in("run", "sweep.toml", "-o", "s.h5", preexec_fn=limited(RLIMIT_FSIZE=4096))
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertEqual([path.name for path in (self.folder / "s.h5.points").iterdir()], ["running"])
        self.ran_in("run", "sweep.toml", "-o", "s.h5")

    @unittest.skipIf(os.environ.get("ASAN_OPTIONS"), "a sanitizer needs the stack")
    def test_a_small_stack_is_enough(self):
        """`ulimit -s 128`: matrices of 40 classes are factorised as ever"""
        words = ("run", str(ROOT / "experiments/rules/muon.toml"), "--set", "run.steps=20", "-o")
        self.ran_in(*words, "a.h5")
        self.ran_in(*words, "b.h5", preexec_fn=limited(RLIMIT_STACK=2**17))
        self.assertEqual((self.folder / "a.h5").read_bytes(), (self.folder / "b.h5").read_bytes())

    @unittest.skipIf(os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS"), "a sanitizer needs the address space")
    def test_without_threads_there_is_a_message_or_the_same_bytes(self):
        """limits on threads: fewer of them, or 3 and what is missing; never a crash"""
        self.ran_in("run", "sweep.toml", "-o", "whole.h5")
        whole, codes = (self.folder / "whole.h5").read_bytes(), set()
        # Address space for some stacks alone: how many threads there are is what remains.
        for threads in range(0, 24, 2 if ALL else 11):
            stack = 2**30
            run = self.run_in("run", "sweep.toml", "-o", "s.h5", "--jobs", "8",
                              preexec_fn=limited(RLIMIT_STACK=stack, RLIMIT_AS=2**30 + threads * stack))
            codes.add(run.returncode)
            self.assertIn(run.returncode, (0, 3), run.stderr)
            if run.returncode == 3:
                self.assertRegex(run.stderr, "error: the system refused the (threads|memory) that this needs")
            else:
                self.assertEqual((self.folder / "s.h5").read_bytes(), whole)
                (self.folder / "s.h5").unlink()
        self.assertEqual(codes, {0, 3})

    def test_a_report_that_is_killed_takes_its_python_along(self):
        """after SIGTERM or SIGKILL no child runs on"""
        self.ran_in("run", "e.toml", "-o", "r.h5")
        (self.folder / "bin").mkdir()
        fake = self.folder / "bin" / "python3"
        fake.write_text(f'#!/bin/sh\necho $$ > "{self.folder}/new" && mv "{self.folder}/new" "{self.folder}/pid"\nexec sleep 60\n')
        fake.chmod(0o755)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            report = subprocess.Popen([PROGRAM, "report", "r.h5"], cwd=self.folder, stderr=subprocess.DEVNULL,
                                      env={**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}"})
            self.wait(lambda: (self.folder / "pid").exists())
            child = int((self.folder / "pid").read_text())
            (self.folder / "pid").unlink()
            report.send_signal(number)
            report.wait(SECONDS)
            # Whoever inherits it may be slow to take notice of its end.
            self.wait(lambda: not Path(f"/proc/{child}").exists() or ") Z " in Path(f"/proc/{child}/stat").read_text())

    def wait(self, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_a_line_break_in_a_name_begins_no_message(self):
        """messages show a name typed with a line break on one line"""
        name = "a\nb.h5"
        for words in (("check", name), ("info", name), ("run", "e.toml", "-o", name), ("check", name), ("table", "no" + name)):
            run = self.run_in(*words)
            self.assertNotIn(name, run.stdout + run.stderr, words)
            self.assertIn("a\\nb.h5", run.stdout + run.stderr, words)

    def test_what_steers_a_terminal_is_refused_or_spelled(self):
        """ESC, C1 controls, U+202E in names and labels never reach the terminal or a page"""
        steering = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\N{LINE SEPARATOR}-\u202e\N{LEFT-TO-RIGHT ISOLATE}-\N{POP DIRECTIONAL ISOLATE}]")
        self.ran_in("run", "e.toml", "-o", "r.h5")
        for odd in some(["\x1b[31m", "\x9b31m", "\u202e", "\N{LEFT-TO-RIGHT ISOLATE}", "\x7f"]):
            for key in ("name", "optimizer.gd.name"):
                run = self.refused(2, "control characters|not TOML", "run", "e.toml", "-o", "x.h5", "--set", f'{key}="a{odd}b"')
                self.assertNotRegex(run.stderr, steering)
            self.write("bad.toml", EXPERIMENT + f'"k{odd}" = 1\n' if "\x1b" not in odd and "\x7f" not in odd
                       else EXPERIMENT + '"k\\u001b" = 1\n')
            self.assertNotRegex(self.refused(2, "unknown key", "run", "bad.toml").stderr, steering)
            self.assertNotRegex(self.refused(2, "unknown", odd).stderr, steering)
            name = f"a{odd}b"
            self.write(name + ".toml", EXPERIMENT)
            for words in (("run", name + ".toml", "-o", name + ".h5"), ("check", name + ".h5"), ("info", name + ".h5"),
                          ("table", name + ".h5"), ("table", name + ".h5", "-o", name + ".md"), ("check", name)):
                run = self.run_in(*words)
                self.assertNotRegex(run.stdout + run.stderr, steering, words)
                self.assertEqual(run.returncode, 3 if words[1] == name else 0, run.stderr)
            self.assertNotRegex((self.folder / (name + ".md")).read_text(), steering)
            run = self.run_in("report", name + ".h5", "-o", name + ".html")
            self.assertNotRegex(run.stdout + run.stderr, steering)
            if run.returncode == 0:
                self.assertNotRegex((self.folder / (name + ".html")).read_text(), steering)

    def test_names_of_any_script_and_names_like_options_are_names(self):
        for name in some(["имя файла", "実験", "--help", "-o", "--", os.fsdecode(b"\xff\xfe"), "a'b\"c\\d", "two\nlines"]):
            self.write(name + ".toml", EXPERIMENT)
            for words in (("run", f"--output={name}.h5", "--", name + ".toml"), ("check", "--", name + ".h5"),
                          ("table", "-o", name + ".md", "--", name + ".h5"), ("info", "--", name + ".h5")):
                self.ran_in(*words)
            self.assertTrue((self.folder / (name + ".md")).is_file())
            run = self.run_in("report", "-o", name + ".html", "--", name + ".h5")
            if "matplotlib" not in run.stderr:
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertTrue((self.folder / (name + ".html")).is_file())


if __name__ == "__main__":
    unittest.main()
