"""cpack -G DEB: lintian has no complaint, and equal builds give equal packages; what is in them is that of test_install.py."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from project import PROGRAM, needs_program, scratch_folder

NAMES = ["librarefact-dev", "rarefact"]


class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        for tool, package in (("dpkg-shlibdeps", "dpkg-dev"), ("dpkg-deb", "dpkg"), ("file", "file")):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is missing (Debian package {package})")
        cls.folder = scratch_folder(cls.addClassCleanup)
        cls.first = cls.pack("first")

    @classmethod
    def call(cls, *words, **more):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cls.folder, timeout=120, **more)
        if done.returncode != 0:
            raise AssertionError(f"{words}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done.stdout

    @classmethod
    def pack(cls, name, umask=0o022):
        """Both packages, made in a folder of that name."""
        cls.call("cpack", "-G", "DEB", "--config", Path(PROGRAM).parent / "CPackConfig.cmake", "-B", name, umask=umask)
        return sorted((cls.folder / name).glob("*.deb"))

    def test_lintian_has_neither_errors_nor_warnings(self):
        """of both packages, with no override"""
        if not shutil.which("lintian"):
            self.skipTest("lintian is missing (Debian package lintian)")
        root = ["--allow-root"] if os.getuid() == 0 else []
        self.assertEqual([path.name.split("_")[0] for path in self.first], NAMES)
        self.assertEqual(self.call("lintian", "--fail-on", "error", "--no-override", *root, *self.first), "")

    def test_packages_of_one_commit_are_equal(self):
        """byte for byte, in another folder, at another moment, and from somebody with a umask of 077"""
        for first, second in zip(self.first, self.pack("second", umask=0o077), strict=True):
            self.assertEqual(first.name, second.name)
            self.assertEqual(self.call("dpkg-deb", "-c", first), self.call("dpkg-deb", "-c", second))
            # The rights of the archive's three members are those of files that cpack makes on the way.
            self.assertEqual(first.read_bytes(), second.read_bytes().replace(b" 100600  ", b" 100644  "), first.name)

    def test_dependencies_are_those_of_the_program(self):
        """shared libraries by dpkg-shlibdeps; Python is recommended"""
        fields = self.call("dpkg-deb", "-f", self.first[1], "Depends", "Recommends")
        self.assertRegex(fields, r"Depends: .*libc6 \(>= [0-9.]+\).*libhdf5-")
        self.assertIn("Recommends: python3, python3-numpy, python3-h5py, python3-matplotlib\n", fields)


if __name__ == "__main__":
    unittest.main()
