"""CITATION.cff is what the Citation File Format 1.2.0 asks for, and says what the program says."""

import re
import unittest

from project import ROOT, needs_program, rarefact, scratch_folder

# What version 1.2.0 of the format demands, and what else this file may have of it.
NEEDED = {"cff-version", "message", "title", "authors"}
ALLOWED = NEEDED | {"type", "version", "license", "abstract", "keywords", "date-released", "doi", "url", "repository-code"}


class Citation(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    def test_the_file_has_the_keys_of_its_format(self):
        """those that it must have, none twice, none that is not known; every author is somebody"""
        keys = re.findall(r"^([a-z-]+):", self.text, re.MULTILINE)
        self.assertEqual(len(keys), len(set(keys)))
        self.assertLessEqual(NEEDED, set(keys))
        self.assertLessEqual(set(keys), ALLOWED)
        self.assertIn("cff-version: 1.2.0\n", self.text)
        self.assertRegex(self.text, r"(?m)^type: (software|dataset)$")
        self.assertRegex(self.text, r"(?m)^authors:\n  - (name|family-names|given-names): \S")

    def test_version_and_licence_are_those_of_the_project(self):
        (version,) = re.findall(r"project\(rarefact VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertIn(f"\nversion: {version}\n", self.text)
        self.assertIn("\nlicense: MIT\n", self.text)
        self.assertTrue((ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n"))

    def test_the_program_says_what_the_page_asks_to_cite(self):
        """--version: version and commit; info: both, and the sha256 of the values"""
        needs_program()
        folder = scratch_folder(self.addCleanup)
        said = re.search(r"(\d+\.\d+\.\d+) \(commit (\w[\w-]+)", rarefact("--version").stdout)
        self.assertIn(f"\nversion: {said[1]}\n", self.text)
        rarefact("init", "starter", folder=folder)
        rarefact("run", "starter.toml", "-o", "starter.h5", folder=folder)
        page = rarefact("info", "starter.h5", folder=folder).stdout
        self.assertIn(f"rarefact {said[1]} (commit {said[2]}", page)
        self.assertRegex(page, r"values: sha256 [0-9a-f]{64}\n")


if __name__ == "__main__":
    unittest.main()
