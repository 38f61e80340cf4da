"""The README's table of recovered facts is what the program prints."""

import unittest

from readme_blocks import blocks, table_outputs


class Capacity(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_what_the_program_prints(self):
        """experiments/paper/capacity.toml, and rarefact table of its result"""
        outputs = table_outputs("paper/capacity")
        self.assertEqual(len(outputs), 1)
        for command, output in outputs.items():
            self.assertIn("muon", output)
            self.assertEqual(blocks()[command], output)


if __name__ == "__main__":
    unittest.main()
