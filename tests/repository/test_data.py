"""data/ holds what its README says, and experiments/kjv_words.toml fits it."""

import collections
import gzip
import hashlib
import math
import pathlib
import re
import shutil
import subprocess
import tomllib
import unittest

from project import ROOT

TABLE = ROOT / "data" / "kjv_words.tsv"
BIGRAMS = ROOT / "data" / "kjv_bigrams.tsv.gz"
HYPERNYMS = ROOT / "data" / "wordnet_hypernyms.tsv"


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

    def test_the_gd_step_of_the_experiment_is_one_over_the_largest_probability(self):
        """step_size of gd in experiments/kjv_words.toml is total count / largest count"""
        experiment = tomllib.loads((ROOT / "experiments" / "kjv_words.toml").read_text(encoding="utf-8"))
        counts = [count for count, _ in rows()[1]]
        (gd,) = [optimizer for optimizer in experiment["optimizer"] if optimizer["rule"] == "gd"]
        self.assertEqual(gd["step_size"], sum(counts) / max(counts))


def pairs():
    lines = gzip.decompress(BIGRAMS.read_bytes()).decode("ascii").splitlines()
    return lines[0], [(query, answer, int(count)) for query, answer, count in (line.split("\t") for line in lines[1:])]


class KingJamesBigrams(unittest.TestCase):
    def test_the_table_has_the_counts_and_entropies_its_readme_states(self):
        """147,558 pairs of 12,038 by 12,488 words; 6.0483 and 4.0460 nats, Bayes error .7844"""
        header, table = pairs()
        self.assertEqual(header, "query\tanswer\tcount")
        total = sum(count for *_, count in table)
        once = sum(count == 1 for *_, count in table)
        of_query, answers = collections.defaultdict(list), collections.Counter()
        for query, answer, count in table:
            of_query[query].append(count)
            answers[answer] += count
        self.assertEqual((len(table), total, once, len(of_query), len(answers)), (147558, 760348, 89098, 12038, 12488))
        self.assertEqual(table[:2], [("of", "the", 11528), ("the", "lord", 7035)])
        next_word = -sum(count * math.log(count / total) for count in answers.values()) / total
        least = -sum(count * math.log(count / sum(counts)) for counts in of_query.values() for count in counts) / total
        bayes = 1 - sum(max(counts) for counts in of_query.values()) / total
        for value, stated in ((next_word, 6.0483), (least, 4.0460), (bayes, 0.7844)):
            self.assertAlmostEqual(value, stated, delta=5e-5)

    def test_the_table_is_sorted_by_count_and_pair_without_repetition(self):
        """most frequent first, equal counts in alphabetical order"""
        _, table = pairs()
        self.assertEqual(table, sorted(table, key=lambda row: (-row[2], row[:2])))
        self.assertEqual(len({row[:2] for row in table}), len(table))

    def test_its_words_are_those_of_the_other_table(self):
        """every word is in kjv_words.tsv, no more often than there"""
        _, table = pairs()
        known = {word: count for count, word in rows()[1]}
        for column in (0, 1):
            counts = collections.Counter()
            for row in table:
                counts[row[column]] += row[2]
            self.assertEqual([word for word, count in counts.items() if count > known.get(word, 0)], [])


class WordNetHypernyms(unittest.TestCase):
    def test_the_table_has_the_counts_its_readme_states(self):
        """82,114 nouns, 16,897 hypernyms, 125 distinct fan-ins from 1 to 659, 6,162 of one noun; sorted"""
        lines = HYPERNYMS.read_text(encoding="ascii").splitlines()
        self.assertEqual(lines[0], "fan_in\tanswer")
        table = [(int(fan_in), answer) for fan_in, answer in (line.split("\t") for line in lines[1:])]
        fan_ins = [fan_in for fan_in, _ in table]
        self.assertEqual((len(table), sum(fan_ins), len(set(fan_ins)), fan_ins[0], fan_ins.count(1)), (16897, 82114, 125, 659, 6162))
        self.assertEqual(table, sorted(table, key=lambda row: (-row[0], row[1].rpartition(".")[2])))
        self.assertEqual(len({answer for _, answer in table}), len(table))

    def test_the_licence_stands_beside_the_table(self):
        """the notice that every copy must have, word for word as the package has it"""
        notice = (ROOT / "data" / "wordnet_license.txt").read_text(encoding="ascii")
        self.assertIn("WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.", notice)
        nouns = pathlib.Path("/usr/share/wordnet/data.noun")
        if not nouns.exists():
            self.skipTest("data.noun is missing (Debian package wordnet-base)")
        with nouns.open(encoding="ascii") as file:
            head = [file.readline() for _ in range(29)]
        self.assertEqual([line[2:].partition(" ")[2].rstrip() for line in head], [line.rstrip() for line in notice.splitlines()])


class Files(unittest.TestCase):
    def test_the_checksums_of_the_readme_are_the_tables(self):
        """data/README.md states the SHA-256 of every table that is there"""
        stated = re.findall(r"^## (\S+\.tsv\S*):.*?\b([0-9a-f]{64})\b", (ROOT / "data" / "README.md").read_text(encoding="utf-8"),
                            re.DOTALL | re.MULTILINE)
        there = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (ROOT / "data").glob("*.tsv*")}
        self.assertEqual(dict(stated), there)

    def test_the_scripts_make_the_tables_again(self):
        """byte by byte; of the compressed one what is inside, since gzip may change"""
        for script, table, needed in (("make_kjv_words", TABLE, shutil.which("bible")), ("make_kjv_bigrams", BIGRAMS, shutil.which("bible")),
                                      ("make_wordnet_hypernyms", HYPERNYMS, pathlib.Path("/usr/share/wordnet/data.noun").exists())):
            with self.subTest(script):
                if not needed:
                    self.skipTest(f"its Debian package is missing: scripts/{script}")
                made = subprocess.run([ROOT / "scripts" / script], capture_output=True, check=True).stdout
                unpack = gzip.decompress if table.suffix == ".gz" else bytes
                self.assertTrue(unpack(made) == unpack(table.read_bytes()), f"scripts/{script} prints something else")


if __name__ == "__main__":
    unittest.main()
