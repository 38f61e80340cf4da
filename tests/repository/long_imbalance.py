"""The README's table of imbalance by embedding is what the program prints."""

import unittest

from readme_blocks import blocks, table_outputs


class ImbalanceByEmbedding(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_what_the_program_prints(self):
        """experiments/imbalance_by_embedding.toml, and rarefact table of its result"""
        outputs = table_outputs("imbalance_by_embedding")
        self.assertEqual(len(outputs), 1)
        for command, output in outputs.items():
            self.assertIn("| noisy", output)
            self.assertEqual(blocks()[command], output)


if __name__ == "__main__":
    unittest.main()
