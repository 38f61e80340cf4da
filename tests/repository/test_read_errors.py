"""A disk that does not give a file back ends every command with exit code 3, whichever read it fails at."""

import subprocess
import unittest

from project import needs_program, preloaded, ran, scratch_folder
from project import rarefact as call

EXPERIMENT = "name = 'e'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[run]\nsteps = 3\n[[optimizer]]\nrule = 'gd'\nstep_size = 1.0\n"


class ReadErrors(unittest.TestCase):
    def test_every_command(self):
        """also those of Python"""
        needs_program()
        folder = scratch_folder(self.addCleanup)
        environment = preloaded("failing_read.cpp", folder)
        (folder / "e.toml").write_text(EXPERIMENT)
        ran("run", "e.toml", "-o", "e.h5", folder=folder)
        (folder / "s.toml").write_text(EXPERIMENT + "[sweep]\nseed = [1, 2]\n")
        # A shard does not merge, so its points stay in their folder.
        ran("run", "s.toml", "--shard", "0/1", "-o", "s.h5", folder=folder)
        commands = ["info e.h5", "check e.h5", "table e.h5", "run e.toml -o e.h5"]
        commands += [f"{command} s.toml -o s.h5" for command in ("status", "run --dry-run", "merge")]
        if subprocess.run(["/usr/bin/python3", "-c", "import h5py, matplotlib"], capture_output=True).returncode == 0:
            commands.append("plot losses e.h5 -o drawn")  # a report reads as a figure does
        for command in commands:
            for first in range(1, 100):
                done = call(*command.split(), folder=folder, env=environment | {"RAREFACT_FAILING_READ": str(first)})
                if done.returncode == 0:
                    break
                with self.subTest(command, first=first):
                    self.assertEqual(done.returncode, 3, done.stderr)
            self.assertGreater(first, 1)


if __name__ == "__main__":
    unittest.main()
