"""docs/tables.md and docs/tuning.md show what the program prints. After a change: python3 tests/repository/test_pages.py --update"""

import re
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

from project import ROOT, rarefact

# Page -> the commands before its first block.
PAGES = {"tables.md": [["init", "starter"], ["run", "starter.toml"]], "tuning.md": []}
FILE = re.compile(r"<!-- file: (?P<name>\S+) -->\n```toml\n(?P<text>.*?)```\n", re.DOTALL)
BLOCK = re.compile(r"<!-- (?P<stream>output|warnings|errors) of: rarefact (?P<words>.*?) -->\n```\n(?P<text>.*?)```\n", re.DOTALL)


def outputs(name):
    """What each block should show, in their order: the files of the page stand in a folder, where its commands run."""
    page, shown = (ROOT / "docs" / name).read_text(encoding="utf-8"), []
    with tempfile.TemporaryDirectory() as folder:
        for found in FILE.finditer(page):
            (Path(folder) / found["name"]).write_text(found["text"], encoding="utf-8")
        for words in PAGES[name]:
            rarefact(*words, folder=folder)
        for found in BLOCK.finditer(page):
            done = rarefact(*shlex.split(found["words"]), folder=folder)
            warnings = [line for line in done.stderr.splitlines(keepends=True) if line.startswith("warning: ")]
            shown.append({"output": done.stdout, "warnings": "".join(warnings), "errors": done.stderr}[found["stream"]])
    return page, shown


class Pages(unittest.TestCase):
    maxDiff = None

    def test_every_block_is_what_its_command_prints(self):
        """the blocks after '<!-- output of: ... -->' and its like"""
        for name in PAGES:
            page, printed = outputs(name)
            self.assertGreaterEqual(len(printed), 3, name)
            for found, text in zip(BLOCK.finditer(page), printed):
                with self.subTest(f"{name}: {found['words']}"):
                    self.assertTrue(text, "the command prints nothing")
                    self.assertEqual(found["text"], text)


def update():
    """Writes the blocks anew from the program."""
    for name in PAGES:
        page, printed = outputs(name)
        texts = iter(printed)
        (ROOT / "docs" / name).write_text(BLOCK.sub(lambda found: found[0].replace(
            f"```\n{found['text']}```", f"```\n{next(texts)}```"), page), encoding="utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
