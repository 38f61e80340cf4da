"""The table of docs/theorems.md is what rarefact verify prints, and no statement fails."""

import unittest

from shown_blocks import TABLE, THEOREMS, verdicts


class Verdicts(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_what_the_program_prints(self):
        """rarefact verify --markdown"""
        code, table = verdicts()
        self.assertEqual(code, 0)
        self.assertGreaterEqual(table.count("holds"), 16)
        self.assertEqual(TABLE.search(THEOREMS.read_text(encoding="utf-8"))["text"], table)


if __name__ == "__main__":
    unittest.main()
