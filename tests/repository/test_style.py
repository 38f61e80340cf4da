"""How files look: format, scripts that parse, nothing left undone, citations that exist."""

import os
import re
import shutil
import subprocess
import unittest

from project import ROOT, project_files, text_of

# The major version whose output is the project's format (Debian 12); others format a little differently.
CLANG_FORMAT = 14
# Joined here, so that this file does not contain them.
LEFT_UNDONE = ["TO" + "DO", "FIX" + "ME"]
OUTSIDE = "../" + "shared"


class Style(unittest.TestCase):
    def test_sources_are_formatted(self):
        """clang-format would change nothing"""
        if shutil.which("clang-format") is None:
            self.skipTest("clang-format is missing (Debian package clang-format)")
        version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout
        if f"version {CLANG_FORMAT}." not in version:
            self.skipTest(f"the format is that of clang-format {CLANG_FORMAT}; this is {version.strip()}")
        sources = [path for path in project_files() if path.suffix in {".cpp", ".hpp"}]
        run = subprocess.run(
            ["clang-format", "--dry-run", "-Werror", *map(str, sources)], cwd=ROOT, capture_output=True, text=True
        )
        unformatted = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", run.stderr, re.MULTILINE)))
        self.assertEqual(unformatted, [], "run clang-format -i on these")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_shell_scripts_parse_and_programs_are_executable(self):
        """bash -n accepts every shell script; a file with a #! line in scripts/ or .ci/ can be called"""
        for path in project_files():
            first_line = (text_of(path) or "").split("\n", 1)[0]
            if path.suffix == ".sh" or re.match(r"#!.*\bbash\b", first_line):
                run = subprocess.run(["bash", "-n", path], cwd=ROOT, capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
            if path.parts[0] in {"scripts", ".ci"} and first_line.startswith("#!"):
                self.assertTrue(os.access(ROOT / path, os.X_OK), f"{path} is not executable")

    def test_nothing_is_left_undone_and_nothing_points_outside(self):
        """no file holds a note to do something later, or a path outside the project"""
        undone = re.compile(r"\b(" + "|".join(LEFT_UNDONE) + r")\b")
        for path in project_files():
            for number, line in enumerate((text_of(path) or "").split("\n"), start=1):
                self.assertIsNone(undone.search(line), f"{path}:{number}: {line.strip()}")
                self.assertNotIn(OUTSIDE, line, f"{path}:{number}")

    def test_every_cited_key_is_in_the_bibliography(self):
        """keys such as wang2025 in code, experiments and docs have an entry in data/references.bib"""
        entries = set(re.findall(r"^@\w+\{(\w+),", text_of("data/references.bib"), re.MULTILINE))
        self.assertTrue(entries)
        for path in project_files():
            if path.suffix in {".hpp", ".cpp", ".toml", ".md", ".py"}:
                for key in re.findall(r"\b[a-z]+20[0-9]{2}\b", text_of(path) or ""):
                    self.assertIn(key, entries, f"{path} cites {key}")

    def test_the_version_is_the_same_everywhere(self):
        """CMakeLists.txt, the citation, the Python package"""
        (version,) = re.findall(r"project\(rarefact VERSION (\S+)", text_of("CMakeLists.txt"))
        self.assertIn(f"\nversion: {version}\n", text_of("CITATION.cff"))
        self.assertIn(f'\nversion = "{version}"\n', text_of("pyproject.toml"))


if __name__ == "__main__":
    unittest.main()
