"""The pages of docs/ that show commands and what they print: each runs top to bottom in a folder of its own, as its reader would.

    <!-- file: NAME -->                 the fenced block after it is the text of NAME
    ```sh, ```python                    is run; in a shell that ends at the first command that fails
    <!-- output of: COMMAND -->         is run, too; the page does not show it
    ``` right after one of these        is what it prints: its output or, where it has none, its error messages
    ![...](figures/NAME.png)            is a picture that a command of the page has drawn as NAME.png

After a change: python3 tests/repository/test_pages.py --update [PAGE...]"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from project import PROGRAM, ROOT, needs_program, rarefact, scratch_folder

DOCS = ROOT / "docs"
PAGES = ["formula-rules.md", "least-squares.md", "peers.md", "tables.md", "tuning.md", "tutorial.md", *sorted(f"how-to/{path.name}" for path in (DOCS / "how-to").glob("*.md"))]
# Debian's own Python: Debian's packages are for it alone.
RUN = {"sh": ["bash", "-ec"], "python": ["/usr/bin/python3", "-c"]}
STEP = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n```\w*\n(?P<text>.*?)```\n"
    r"|<!-- output of: (?P<hidden>.*?) -->\n"
    r"|^```(?P<language>sh|python)\n(?P<code>.*?)```\n\n?)"
    r"(?:```\n(?P<printed>.*?)```\n)?", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\((?P<path>[./]*figures/(?P<name>\S+\.png))\)")
COMMAND = re.compile(r"rarefact (?P<words>(?:\\\n|[^`\n|])*)")
NEEDED = ["h5py", "matplotlib", "numpy"]


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


def outputs(name, folder):
    """Does what the page says. Yields each block that shows something, and what there was to show."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "rarefact").symlink_to(Path(PROGRAM).resolve())
    place = folder / "page"
    place.mkdir()
    for shared in ("experiments", "data"):
        (place / shared).symlink_to(ROOT / shared)
    # On a busy machine OpenBLAS's threads wait for each other for seconds, where one takes none.
    environment = os.environ | {"PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "analysis"),
                                "MPLCONFIGDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    for step in STEP.finditer(text_of(name)):
        if step["file"]:
            (place / step["file"]).write_text(step["text"], encoding="utf-8")
            continue
        command = [*RUN[step["language"] or "sh"], step["code"] or step["hidden"]]
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
        shown = done.stdout or done.stderr
        # A command that fails does so on purpose where the page shows an error message.
        if done.returncode != 0 and "error: " not in (step["printed"] or ""):
            raise AssertionError(f"{name}: exit code {done.returncode}: {command[-1]}\n{done.stdout}{done.stderr}")
        if step["printed"] is not None:
            yield step, shown


def difference(one, other):
    """Between two pictures, the mean over all pixels, from 0 to 1; 1 where their sizes differ."""
    from matplotlib.image import imread
    one, other = imread(one), imread(other)
    return abs(one - other).mean() if one.shape == other.shape else 1.0


class Pages(unittest.TestCase):
    maxDiff = None

    def run_page(self, name):
        missing = [module for module in NEEDED if not importlib.util.find_spec(module)]
        if missing and ("```python" in text_of(name) or "rarefact plot" in text_of(name)):
            self.skipTest(f"{name} needs {missing[0]} (Debian package python3-{missing[0]})")
        folder = scratch_folder(self.addCleanup)
        blocks = 0
        for step, shown in outputs(name, folder):
            blocks += 1
            with self.subTest(f"{name}: {step['hidden'] or step['code']}"):
                self.assertTrue(shown, "the command prints nothing")
                self.assertEqual(step["printed"], shown)
        self.assertGreater(blocks, 0, f"{name} shows nothing")
        for picture in PICTURE.finditer(text_of(name)):
            drawn = folder / "page" / picture["name"]
            self.assertTrue(drawn.is_file(), f"{name}: no command draws {picture['name']}")
            # Last digits that differ between machines may move the smoothed edge of a line.
            self.assertLess(difference(drawn, (DOCS / name).parent / picture["path"]), 0.001, f"{name}: {picture['name']}")

    def test_every_option_and_path_that_a_page_names_exists(self):
        """also of commands that are not run here, such as those for a cluster"""
        needs_program()
        helps = {}
        for name in PAGES:
            for found in COMMAND.finditer(text_of(name)):
                words = found["words"].split()
                # The command that has the options: none, run, plot class_errors.
                subject = tuple(word for word in words[:2 if words[:1] == ["plot"] else 1] if not word.startswith("-"))
                for option in [word.split("=")[0] for word in words if re.match(r"--\w", word)]:
                    helps[subject] = helps.get(subject) or rarefact(*subject, "--help").stdout
                    self.assertTrue(re.search(rf"(^|[\s\[,]){option}\b", helps[subject]), f"{name}: {option} of {found[0]}")
            for path in re.findall(r"(?<![\w/.])(?:experiments|scripts|tests|data|analysis)/[\w./-]*\w", text_of(name)):
                self.assertTrue((ROOT / path).exists(), f"{name}: {path}")

    def test_findings_have_the_numbers_of_the_table_of_theorems(self):
        numbers, check = {}, None
        for line in text_of("theorems.md").splitlines():
            cells = [cell.strip() for cell in line.split(" | ")]
            if len(cells) != 7:
                continue
            check = (re.match(r"\| `([\w/-]+)`", cells[0]) or [None, check])[1]
            numbers.setdefault(check, []).append(re.split(r" [±\[]", cells[4])[0])
        section = text_of("findings.md").split("\n## ")[1]
        quoted = re.findall(r"\| `(\w+/[\w-]+)` \| .*: ([^|]+?) \| \w+ \|$", section, re.MULTILINE)
        self.assertGreater(len(quoted), 0)
        self.assertEqual(len(quoted), section.count("\n| ") - 2, "a line without check, number and how sure")
        for check, number in quoted:
            self.assertIn(number, numbers[check], check)


def test_of(name):
    def test(self):
        needs_program()
        self.run_page(name)
    test.__doc__ = f"docs/{name}"
    return test


for page in PAGES:
    setattr(Pages, f"test_a_reader_of_{re.sub('[^a-z]', '_', page[:-3])}_sees_what_it_shows", test_of(page))


def update(names):
    """Writes the outputs and the pictures of pages anew from the program."""
    for name in names:
        text = text_of(name)
        with tempfile.TemporaryDirectory() as folder:
            for step, shown in reversed(list(outputs(name, Path(folder)))):
                text = text[:step.start("printed")] + shown + text[step.end("printed"):]
            for picture in PICTURE.finditer(text):
                shutil.copy(Path(folder) / "page" / picture["name"], (DOCS / name).parent / picture["path"])
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update([word for word in sys.argv[1:] if word != "--update"] or PAGES)
    else:
        unittest.main()
