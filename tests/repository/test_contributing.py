"""The table "Adding something" of CONTRIBUTING: its paths are there, its counts are those of the files it names, and the
rows that are there already needed no other file."""

import re
import unittest

from project import ROOT, needs_program, rarefact

TABLE = re.compile(r"^\| (?:an?|data|the)? ?([^|]*?) \((\d+)\) \| (.*) \|$", re.MULTILINE)
# What `rarefact list` names -> the room of its rows.
ROOMS = {"metrics": "metrics", "optimizers": "optim", "predictions": "theory", "spectra": "model", "embeddings": "model"}


def rows():
    return TABLE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def names_of(kind):
    needs_program()
    return [line.split()[0] for line in rarefact("list", kind).stdout.splitlines() if re.match("[a-z]", line)]


class Contributing(unittest.TestCase):
    def test_every_count_is_that_of_the_files_named_beside_it(self):
        """as many files as parts of the sentence, each in a folder that is there"""
        self.assertGreaterEqual(len(rows()), 7)
        for what, count, files in rows():
            parts = [part for part in re.split(r", (?=[^,]*(?:`|an experiment))", files)]
            self.assertEqual(len(parts), int(count), f"{what}: {parts}")
            for path in re.findall(r"`([^`]+)`", files):
                self.assertTrue((ROOT / path.split("<")[0]).exists(), f"{what}: {path}")

    def test_a_row_stands_in_one_file_of_its_room(self):
        """and some rows of every catalogue stand nowhere else, so that the next one need not"""
        sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.[ch]pp")}
        for kind, room in ROOMS.items():
            alone = []
            for name in names_of(kind):
                files = [path.relative_to(ROOT / "src") for path, text in sources.items() if f'"{name}"' in text]
                self.assertIn(room, {file.parts[0] for file in files}, name)
                # Published statements and closed forms are about rules and say which.
                if len([file for file in files if file.parts[0] == room or file.parts[0] not in ("verify", "theory")]) == 1:
                    alone.append(name)
            self.assertTrue(alone, f"every one of the {kind} is named in more than one file")

    def test_a_check_is_its_source_its_experiment_and_its_test(self):
        """every statement that rarefact verify knows has the files of the table"""
        ids = names_of("theorems")
        self.assertGreater(len(ids), 15)
        for name in ids:
            paper, claim = name.split("/")
            self.assertTrue((ROOT / "experiments" / paper / f"{claim}.toml").exists(), name)
            sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/verify" / paper).glob("*.cpp"))
            self.assertIn(f'"{name}"', sources)
            self.assertTrue(list((ROOT / "tests/verify" / paper).glob("*.cpp")), name)


if __name__ == "__main__":
    unittest.main()
