"""pip install . builds the program with CMake and installs it inside the Python package.

RAREFACT_BUILT=PATH takes a program that is built already instead.
"""

import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "pip"  # all that setuptools and CMake write
BUILD.mkdir(parents=True, exist_ok=True)


def needed():
    """Packages to install, without those that pip does not see because Debian gives them names of its own."""
    for name in ("h5py", "numpy"):
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            if importlib.util.find_spec(name):
                continue
        yield name


def built():
    """The program, built as for a release."""
    if named := os.environ.get("RAREFACT_BUILT"):
        return pathlib.Path(named)
    jobs = subprocess.run(["bash", "-c", ". scripts/lib.sh; jobs_at_once"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    options = [f"-D{name}=OFF" for name in ("RAREFACT_TESTS", "RAREFACT_BENCHMARKS")]
    subprocess.run(["cmake", "--preset", "release", "-B", BUILD / "program", *options], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", BUILD / "program", "--target", "rarefact", "--parallel", jobs], cwd=ROOT, check=True)
    return BUILD / "program" / "rarefact"


class WithProgram(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # files of an earlier version
        super().run()
        if self.editable_mode:  # the package is used where it is, with the program of build/release
            return
        # As in an installation by CMake: the program finds its figures, experiments their data.
        prefix = pathlib.Path(self.build_lib, "rarefact", "installed")
        share = prefix / "share" / "rarefact"
        (prefix / "bin").mkdir(parents=True)
        (share / "analysis").mkdir(parents=True)
        shutil.copy2(built(), prefix / "bin" / "rarefact")
        shutil.copy2(ROOT / "analysis" / "draw.py", share / "analysis")
        for folder in ("experiments", "data"):
            shutil.copytree(ROOT / folder, share / folder, ignore=shutil.ignore_patterns("README*", "__pycache__"))


class ForAnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class OfThisMachine(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=OfThisMachine, install_requires=list(needed()), cmdclass={"build_py": WithProgram, "bdist_wheel": ForAnyPython},
      options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD.relative_to(ROOT))},
               "bdist_wheel": {"bdist_dir": str(BUILD / "wheel")}})
