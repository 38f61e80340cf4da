"""data/ holds what its README says, and experiments/kjv_words.toml fits it."""

import hashlib
import re
import shutil
import subprocess
import tomllib
import unittest

from project import ROOT

TABLE = ROOT / "data" / "kjv_words.tsv"


def rows():
    lines = TABLE.read_text(encoding="ascii").splitlines()
    return lines[0], [(int(count), word) for count, word in (line.split("\t") for line in lines[1:])]


class KingJamesWords(unittest.TestCase):
    def test_the_table_has_the_counts_its_readme_states(self):
        """12,544 words, 526 distinct counts, 3,937 words seen once, 791,450 in all"""
        header, table = rows()
        counts = [count for count, _ in table]
        self.assertEqual(header, "count\tword")
        self.assertEqual((len(table), len(set(counts)), counts.count(1), sum(counts)), (12544, 526, 3937, 791450))
        self.assertEqual(table[:2], [(63919, "the"), (51696, "and")])

    def test_the_table_is_sorted_by_count_and_word_without_repetition(self):
        """most frequent first, equal counts in alphabetical order"""
        _, table = rows()
        self.assertEqual(table, sorted(table, key=lambda row: (-row[0], row[1])))
        self.assertEqual(len({word for _, word in table}), len(table))

    def test_the_checksum_of_the_readme_is_the_tables(self):
        """data/README.md states the SHA-256 of the file that is there"""
        stated = re.search(r"\b[0-9a-f]{64}\b", (ROOT / "data" / "README.md").read_text(encoding="utf-8")).group()
        self.assertEqual(stated, hashlib.sha256(TABLE.read_bytes()).hexdigest())

    def test_the_script_makes_the_table_again(self):
        """scripts/make_kjv_words prints data/kjv_words.tsv byte by byte"""
        if shutil.which("bible") is None:
            self.skipTest("bible is missing (Debian package bible-kjv)")
        made = subprocess.run([ROOT / "scripts" / "make_kjv_words"], capture_output=True, check=True).stdout
        self.assertTrue(made == TABLE.read_bytes(), "scripts/make_kjv_words prints something else")

    def test_the_gd_step_of_the_experiment_is_one_over_the_largest_probability(self):
        """step_size of gd in experiments/kjv_words.toml is total count / largest count"""
        experiment = tomllib.loads((ROOT / "experiments" / "kjv_words.toml").read_text(encoding="utf-8"))
        counts = [count for count, _ in rows()[1]]
        (gd,) = [optimizer for optimizer in experiment["optimizer"] if optimizer["rule"] == "gd"]
        self.assertEqual(gd["step_size"], sum(counts) / max(counts))


if __name__ == "__main__":
    unittest.main()
