"""Where the project and its program are, and which files belong to it."""

import contextlib
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The program under test, as CMake names it.
PROGRAM = os.environ.get("RAREFACT_PROGRAM", str(ROOT / "build/release/rarefact"))

# scripts/test --all tries every case, with another seed each time; the everyday tests a part of them, always the same.
ALL = os.environ.get("RAREFACT_ALL") == "1"
SEED = int(os.environ.get("RAREFACT_SEED", "1"))


def some(cases):
    """All cases with RAREFACT_ALL=1, else a fifth of them, in their order."""
    cases = list(cases)
    chosen = range(len(cases)) if ALL else random.Random(SEED).sample(range(len(cases)), math.ceil(len(cases) / 5))
    return [cases[place] for place in sorted(chosen)]


def thorough(test):
    """A test that only RAREFACT_ALL=1 makes."""
    return test if ALL else None


@contextlib.contextmanager
def packages():
    """Around imports of packages that a machine may lack: the whole script is skipped where one is missing (see tests.cmake)."""
    try:
        yield
    except ModuleNotFoundError as missing:
        print(f"skipped: the Python package {missing.name} is missing (scripts/packages has Debian's)")
        sys.exit(77)


def needs_program():
    """Skips the test where the program is not built."""
    if not Path(PROGRAM).is_file():
        raise unittest.SkipTest(f"{PROGRAM} is not built")


def scratch_folder(clean_up):
    """A new folder, handed to clean_up (addCleanup, addClassCleanup, addModuleCleanup) to be removed."""
    scratch = tempfile.TemporaryDirectory(prefix="rarefact-")
    clean_up(scratch.cleanup)
    return Path(scratch.name)


def rarefact(*words, folder=None, **more):
    """Runs the program and returns what subprocess.run does, with its output as text."""
    return subprocess.run([PROGRAM, *map(str, words)], cwd=folder, capture_output=True, text=True, **more)


def ran(*words, **more):
    """The same of a call that must end with 0."""
    run = rarefact(*words, **more)
    if run.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {run.stdout}{run.stderr}")
    return run


def stored_points(folder):
    """The whole records of the finished points in a folder OUT.h5.points, by their names."""
    found = {}
    for file in sorted(Path(folder).glob("*.points")):
        try:
            data = file.read_bytes()
        except FileNotFoundError:  # its sweep has come to its end meanwhile
            continue
        for line in re.finditer(rb"rarefact point \d+ ([0-9a-f]{64}) ([0-9a-f]{16})\n", data):
            end = line.end() + int(line[2], 16) + 72
            if end <= len(data):
                found[line[1].decode()] = data[line.start():end]
    return found


def store_points(folder, records):
    """Puts these records in the place of all in a folder."""
    for file in Path(folder).glob("*.points"):
        file.unlink()
    (Path(folder) / "00001.points").write_bytes(b"".join(records.values()))


def preloaded(source, folder):
    """The environment of a program in which functions of this C++ file stand for the system's; skips the test without a compiler."""
    library = folder / f"{source}.so"
    command = [os.environ.get("CXX", "c++"), "-shared", "-fPIC", "-O1", "-fno-builtin", ROOT / "tests/repository" / source, "-o", library]
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise unittest.SkipTest("needs a C++ compiler")
    return {**os.environ, "LD_PRELOAD": str(library)}


def project_files():
    """Paths, relative to ROOT, of every file git has or would add; skips the test where this is not a git checkout."""
    # The checkout may belong to another user (a container); only names are read.
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        raise unittest.SkipTest("not a git checkout")
    # A file that is deleted but not yet committed is still listed.
    return sorted(Path(name) for name in listing.decode().split("\0") if name and (ROOT / name).is_file())


def text_of(path):
    """The text of a project file, or None where it is binary."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
