"""docs/tuning.md shows what the program prints. After a change: python3 tests/repository/test_tuning_page.py --update"""

import re
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

from project import ROOT, rarefact

PAGE = ROOT / "docs" / "tuning.md"
FILE = re.compile(r"<!-- file: (?P<name>\S+) -->\n```toml\n(?P<text>.*?)```\n", re.DOTALL)
BLOCK = re.compile(r"<!-- (?P<stream>output|warnings|errors) of: rarefact (?P<words>.*?) -->\n```\n(?P<text>.*?)```\n", re.DOTALL)


def outputs(page):
    """What each block should show, in their order: the files of the page stand in a folder, where its commands run."""
    with tempfile.TemporaryDirectory() as name:
        for found in FILE.finditer(page):
            (Path(name) / found["name"]).write_text(found["text"], encoding="utf-8")
        shown = []
        for found in BLOCK.finditer(page):
            done = rarefact(*shlex.split(found["words"]), folder=name)
            warnings = [line for line in done.stderr.splitlines(keepends=True) if line.startswith("warning: ")]
            shown.append({"output": done.stdout, "warnings": "".join(warnings), "errors": done.stderr}[found["stream"]])
        return shown


class TuningPage(unittest.TestCase):
    maxDiff = None

    def test_every_block_is_what_its_command_prints(self):
        """the blocks after '<!-- output of: ... -->' and its like"""
        page = PAGE.read_text(encoding="utf-8")
        printed = outputs(page)
        self.assertGreaterEqual(len(printed), 5)
        for found, text in zip(BLOCK.finditer(page), printed):
            with self.subTest(found["words"]):
                self.assertTrue(text, "the command prints nothing")
                self.assertEqual(found["text"], text)


def update():
    """Writes the blocks anew from the program."""
    page = PAGE.read_text(encoding="utf-8")
    printed = iter(outputs(page))
    PAGE.write_text(BLOCK.sub(lambda found: found[0].replace(
        f"```\n{found['text']}```", f"```\n{next(printed)}```"), page), encoding="utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
