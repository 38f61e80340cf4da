"""docs/promises.md: every test that it names is there, every row names one, and every promise of the README has a row."""

import re
import unittest

from project import ROOT, text_of

ROW = re.compile(r"^\| (?!promise|---|survivor)(.+?) \| (.*) \| (.*) \|$", re.MULTILINE)


class Promises(unittest.TestCase):
    def setUp(self):
        self.page = text_of("docs/promises.md")
        self.rows = ROW.findall(self.page.split("## Mutants")[0])

    def test_every_row_names_tests_that_exist(self):
        """a path below tests/ in each row, and nothing at any path that is missing"""
        self.assertGreater(len(self.rows), 15)
        for promise, guards, _ in self.rows:
            self.assertRegex(guards, r"`tests/", promise)
        for path in re.findall(r"`((?:tests|scripts|src|docs)/[\w./-]+)`", self.page):
            self.assertTrue((ROOT / path).exists(), path)

    def test_every_row_has_a_figure(self):
        """what was last measured, in numbers"""
        for promise, _, figure in self.rows:
            self.assertRegex(figure, r"\d", promise)

    def test_survivors_are_where_the_page_says(self):
        """a mutant that survived is told by its file and the text of its line, which is still there"""
        for path, old in re.findall(r"^\| `(src/[\w./]+)`: `(.+?)` → ", self.page, re.MULTILINE):
            self.assertTrue(old in text_of(path), f"{path}: {old}")


if __name__ == "__main__":
    unittest.main()
