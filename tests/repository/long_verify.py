"""The table of docs/theorems.md is what rarefact verify prints, and no statement fails; numbers that pages quote are those of the statements."""

import re
import unittest

from project import ROOT, rarefact
from shown_blocks import TABLE, THEOREMS, verdicts

# A page, what it says, a check, and where `rarefact verify CHECK` has those numbers; of the ends of an interval the middle counts.
HAAR = r"Haar embeddings, by, {}\n.*\n +the interval (\[\S+ \S+\])"
LATE = r"s = 1, loss {} ln K\n.*\n +ratio (\S+)"
QUOTED = [
    ("curvature.md", r"sign's sharpness is (\S+) times Muon's, of two levels", "wang2026/embeddings", HAAR.format("power law")),
    ("curvature.md", r"of two levels of classes (\S+) times", "wang2026/embeddings", HAAR.format("two levels")),
    ("curvature.md", r"there it is (\S+) of Muon's", "wang2026/embeddings", r"identity embeddings, power law\n +(\S+)"),
    ("curvature.md", r"0\.9 ln K the sign's sharpness is (\S+) times", "wang2026/matched-loss", LATE.format(r"0\.9")),
    ("curvature.md", r"0\.15 ln K (\S+) times", "wang2026/matched-loss", LATE.format(r"0\.15")),
    ("momentum-order.md", r"150 steps: L - L\* is (\S+) with momentum before, (\S+) polar-only and (\S+) after;", "li2026b/training",
     r"\n +0 +(?P<third>\S+) +(?P<first>\S+) +(?P<second>\S+)"),
    ("momentum-order.md", r"with α = 0\.3 it is (\S+),\s(\S+) and (\S+) \(", "li2026b/training",
     r"\n +0\.3 +(?P<third>\S+) +(?P<first>\S+) +(?P<second>\S+)"),
]


def numbers(found):
    """Those of the groups, by name where they have one; an interval is its middle."""
    texts = [found[name] for name in ("first", "second", "third")] if found.groupdict() else found.groups()
    ends = [[float(end) for end in text.strip("[]").replace("\u00a0", " ").replace(", ", ",").split(",")] for text in texts]
    return [sum(each) / len(each) for each in ends]


class Verdicts(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_what_the_program_prints(self):
        """rarefact verify --markdown"""
        code, table = verdicts()
        self.assertEqual(code, 0)
        self.assertGreaterEqual(table.count("holds"), 16)
        self.assertEqual(TABLE.search(THEOREMS.read_text(encoding="utf-8"))["text"], table)

    def test_pages_quote_the_numbers_of_the_statements(self):
        """each to its last digit"""
        printed = {}
        for page, words, check, place in QUOTED:
            with self.subTest(page=page, words=words):
                printed[check] = printed.get(check) or rarefact("verify", check).stdout
                said = re.search(words, (ROOT / "docs" / page).read_text(encoding="utf-8"))
                found = re.search(place, printed[check])
                self.assertTrue(said and found, (said, found))
                for text, number in zip(said.groups(), numbers(found), strict=True):
                    self.assertLessEqual(abs(float(text) - number), 0.501 * 10.0 ** -len(text.partition(".")[2]), (text, number))


if __name__ == "__main__":
    unittest.main()
