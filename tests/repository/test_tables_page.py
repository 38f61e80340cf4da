"""docs/tables.md shows what the program prints. After a change: python3 tests/repository/test_tables_page.py --update"""

import re
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

from project import ROOT
from readme_blocks import rarefact

PAGE = ROOT / "docs" / "tables.md"
BLOCK = re.compile(r"<!-- output of: rarefact (?P<words>.*?) -->\n```\n(?P<text>.*?)```\n", re.DOTALL)


def outputs(page):
    """Command -> what it prints about the starter experiment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rarefact("init", "starter", folder=folder)
        rarefact("run", "starter.toml", folder=folder)
        words = [found["words"] for found in BLOCK.finditer(page)]
        return {line: rarefact(*shlex.split(line), folder=folder).stdout for line in words}


class TablesPage(unittest.TestCase):
    maxDiff = None

    def test_every_table_is_what_its_command_prints(self):
        """the blocks after '<!-- output of: ... -->'"""
        page = PAGE.read_text(encoding="utf-8")
        printed = outputs(page)
        self.assertGreaterEqual(len(printed), 3)
        self.assertTrue(all(printed.values()), "a command prints nothing")
        for found in BLOCK.finditer(page):
            with self.subTest(found["words"]):
                self.assertEqual(found["text"], printed[found["words"]])


def update():
    """Writes the blocks anew from the program."""
    page = PAGE.read_text(encoding="utf-8")
    printed = outputs(page)
    PAGE.write_text(BLOCK.sub(lambda found: found[0].replace(
        f"```\n{found['text']}```", f"```\n{printed[found['words']]}```"), page), encoding="utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
