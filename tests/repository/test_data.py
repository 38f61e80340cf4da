"""data/ holds what its README says, the scripts make it again, and experiments/text/kjv_words.toml fits it."""

import gzip
import hashlib
import pathlib
import re
import shutil
import subprocess
import tomllib
import unittest

from project import ROOT, text_of

WORDNET = pathlib.Path("/usr/share/wordnet/data.noun")


class Data(unittest.TestCase):
    def test_the_gd_step_of_the_experiment_is_one_over_the_largest_probability(self):
        """step_size of gd in experiments/text/kjv_words.toml is total count / largest count"""
        counts = [int(line.split("\t")[0]) for line in text_of("data/kjv_words.tsv").splitlines()[1:]]
        (gd,) = [row for row in tomllib.loads(text_of("experiments/text/kjv_words.toml"))["optimizer"] if row["rule"] == "gd"]
        self.assertEqual(gd["step_size"], sum(counts) / max(counts))

    def test_the_licence_of_wordnet_stands_beside_the_table(self):
        """the notice that every copy must have, word for word as the package has it"""
        notice = text_of("data/wordnet_license.txt").splitlines()
        if not WORDNET.exists():
            self.skipTest("data.noun is missing (Debian package wordnet-base)")
        with WORDNET.open(encoding="ascii") as file:
            head = [file.readline() for _ in notice]
        self.assertEqual([line[2:].partition(" ")[2].rstrip() for line in head], [line.rstrip() for line in notice])

    def test_the_checksums_of_the_readme_are_the_tables(self):
        """data/README.md states the SHA-256 of every table that is there"""
        stated = re.findall(r"^## (\S+\.tsv\S*):.*?\b([0-9a-f]{64})\b", text_of("data/README.md"), re.DOTALL | re.MULTILINE)
        there = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (ROOT / "data").glob("*.tsv*")}
        self.assertEqual(dict(stated), there)

    def test_the_scripts_make_the_tables_again(self):
        """byte by byte; of the compressed one what is inside, since gzip may change"""
        for name, needed in (("kjv_words.tsv", shutil.which("bible")), ("kjv_bigrams.tsv.gz", shutil.which("bible")),
                             ("wordnet_hypernyms.tsv", WORDNET.exists())):
            script = ROOT / "scripts" / f"make_{name.split('.')[0]}"
            with self.subTest(name):
                if not needed:
                    self.skipTest(f"its Debian package is missing: {script}")
                made = subprocess.run([script], capture_output=True, check=True).stdout
                unpack = gzip.decompress if name.endswith(".gz") else bytes
                self.assertTrue(unpack(made) == unpack((ROOT / "data" / name).read_bytes()), f"{script} prints something else")


if __name__ == "__main__":
    unittest.main()
