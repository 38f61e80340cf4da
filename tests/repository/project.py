"""Where the project is and which files belong to it."""

import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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
