"""README.md: what it shows is what the program prints, its links lead somewhere, it is short. After a change: shown_blocks.py"""

import re
import unittest

from project import ROOT
from shown_blocks import EPSILON, KJV, blocks, run_output, starter_outputs


class Readme(unittest.TestCase):
    maxDiff = None

    def test_the_starter_experiment_prints_what_the_readme_shows(self):
        """the written file, the closing table, the answer to a mistake; and Adam with and without ε"""
        outputs = starter_outputs() | run_output(EPSILON)
        slower = {command for command in blocks() if command.startswith("rarefact table")} | {KJV}
        self.assertEqual(set(outputs) | slower, set(blocks()))
        for command, output in outputs.items():
            with self.subTest(command):
                self.assertEqual(blocks()[command], output)

    def test_every_file_the_readme_links_to_exists(self):
        """relative links of README.md"""
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
            self.assertTrue((ROOT / target).exists(), target)

    def test_the_readme_stays_a_door(self):
        """fewer than 900 words, everything counted"""
        self.assertLess(len((ROOT / "README.md").read_text(encoding="utf-8").split()), 900)


if __name__ == "__main__":
    unittest.main()
