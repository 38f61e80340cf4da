"""The tables of docs/findings.md are what the program prints. RAREFACT_TABLES_OF names the experiment, below experiments/."""

import os
import unittest

from shown_blocks import TABLES, blocks, table_outputs


class Tables(unittest.TestCase):
    maxDiff = None

    def test_the_tables_are_what_the_program_prints(self):
        """the experiment is run, and rarefact table shows its result"""
        experiment = os.environ["RAREFACT_TABLES_OF"]
        outputs = table_outputs(experiment)
        self.assertEqual(len(outputs), TABLES[experiment])
        for command, output in outputs.items():
            with self.subTest(command):
                self.assertRegex(output, r"(?m)^\| .*\d +\|$")
                self.assertEqual(blocks()[command], output)


if __name__ == "__main__":
    unittest.main()
