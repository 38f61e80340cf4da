"""The README's tables of a million to a quadrillion distinct classes are what the program prints."""

import unittest

from readme_blocks import blocks, table_outputs


class ZipfAtScale(unittest.TestCase):
    maxDiff = None

    def test_the_tables_are_what_the_program_prints(self):
        """experiments/zipf_at_scale.toml, and rarefact table of its result"""
        outputs = table_outputs("zipf_at_scale")
        self.assertEqual(len(outputs), 2)
        for command, output in outputs.items():
            with self.subTest(command):
                self.assertIn("| muon", output)
                self.assertEqual(blocks()[command], output)


if __name__ == "__main__":
    unittest.main()
