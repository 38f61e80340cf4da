"""The experiment of the README's picture, run whole: the table shown is the table printed, and the numbers expected."""

import tempfile
import unittest

from project import ROOT, rarefact
from shown_blocks import KJV, blocks


class KingJamesRun(unittest.TestCase):
    def test_the_table_of_the_readme_and_the_expected_losses(self):
        """muon: 0.0742 and 0.0743 nats at step 12, total 1.17e-9 at step 30; gd: 9.4354 and 0.01125 after 100"""
        import h5py  # Debian's; only this test of the folder needs it

        with tempfile.TemporaryDirectory() as name:
            path = f"{name}/kjv_words.h5"
            printed = rarefact("run", "experiments/kjv_words.toml", "-o", path, folder=ROOT, check=True).stdout
            shown = [line for line in printed.splitlines() if not line.startswith("result:")]
            self.assertEqual("\n".join(shown), blocks()[KJV])
            with h5py.File(path) as file:
                optimizer = [label.decode() for label in file["optimizer"][...]]
                step = list(file["step"][...])
                loss, class_loss = file["loss"][0], file["class_loss"][0]

        def at(values, label, when):
            return values[optimizer.index(label), step.index(when)]

        head, tail = at(class_loss, "muon", 12)[[0, -1]]
        self.assertAlmostEqual(head, 0.0742, delta=5e-5)
        self.assertAlmostEqual(tail, 0.0743, delta=5e-5)
        self.assertAlmostEqual(at(loss, "muon", 30), 1.17e-9, delta=0.005e-9)
        head, tail = at(class_loss, "gd", 100)[[0, -1]]
        self.assertAlmostEqual(head, 0.01125, delta=5e-6)
        self.assertAlmostEqual(tail, 9.4354, delta=5e-5)


if __name__ == "__main__":
    unittest.main()
