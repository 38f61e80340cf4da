"""What the README shows is what the program prints. After a change: python3 tests/repository/readme_blocks.py"""

import re
import unittest

from project import ROOT
from readme_blocks import EPSILON, KJV, blocks, run_output, starter_outputs


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


if __name__ == "__main__":
    unittest.main()
