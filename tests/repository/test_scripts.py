"""What scripts/ do on machines that lack packages, tried with stand-ins for apt-get, dpkg-query and id."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from project import ROOT, scratch_folder

TOOLS = ["bash", "awk", "cat", "chmod", "dirname", "mkdir", "rm", "sort", "tail"]  # what lib.sh itself calls


class InstallMissing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name) / "project" / "bin"
        self.bin.mkdir(parents=True)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        # lib.sh works on the project it lies in: a copy, so that no log of the real one is touched.
        self.project = self.bin.parent
        shutil.copytree(ROOT / "scripts", self.project / "scripts")
        (self.project / "scripts" / "packages").write_text(
            "# comment\n[build]\none  first\ntwo  2.5  second\ncmake  3.25\ng++  12\n\n[clang]\nclang  14\n\n[test]\nthree  third\n",
            encoding="utf-8"
        )
        self.tools()

    def tools(self, cmake="3.25.1", macros="__clang_major__ 12"):
        """CMake of that version, and a compiler that knows those macros (__clang_major__, __GNUC__); none where None"""
        for name, answer in (("cmake", cmake and f"cmake version {cmake}"), ("c++", macros)):
            if answer is None:
                (self.bin / name).unlink()
            else:
                self.stand_in(name, f"echo '{answer}'")

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def debian(self, installed, user, apt="echo \"$@\" >> calls"):
        lines = "".join(f"echo '{name} installed'\n" for name in installed)
        self.stand_in("dpkg-query", f"echo 'two config-files'\necho 'cmake installed'\necho 'g++ installed'\n{lines}exit 1")
        self.stand_in("id", f"echo {user}")
        self.stand_in("apt-get", apt)

    def install(self, *sections, function="install_missing"):
        script = f". {self.project}/scripts/lib.sh; {function} {' '.join(sections)}; echo went on"
        return subprocess.run(
            [self.bin / "bash", "-euo", "pipefail", "-c", script],
            env={"PATH": str(self.bin), "POLICY_RC_D": str(self.project / "policy-rc.d")},
            capture_output=True, text=True, cwd="/",
        )

    def calls(self):
        path = self.project / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def test_root_gets_exactly_what_is_missing(self):
        """apt-get update, then install of the missing packages of the asked sections; where all is there nothing is called"""
        self.debian(installed=["one"], user=0)
        self.assertIn("went on", self.install("build", "test").stdout)
        self.install("build")
        self.assertEqual(self.calls(), ["update", "install -y --no-install-recommends two three",
                                        "update", "install -y --no-install-recommends two"])
        self.debian(installed=["one", "two", "three"], user=1000)
        run = self.install("build", "test")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "went on\n", ""))
        self.assertEqual(len(self.calls()), 4)

    def test_without_rights_apt_or_network_the_user_is_told(self):
        """another user gets the command to type; apt's message is shown and nothing goes on; other systems get the names and go on"""
        for user, apt, code, part in (
                (1000, "echo $@ >> calls", 1, "  sudo apt-get update && sudo apt-get install -y --no-install-recommends one two\n"),
                (0, "echo 'Temporary failure resolving'; exit 100", 100, "Temporary failure resolving"),
                (0, None, 0, "  one, two 2.5, cmake 3.25, g++ 12\n")):
            self.debian(installed=[], user=user, apt=apt or "")
            if apt is None:
                (self.bin / "apt-get").unlink()
            run = self.install("build")
            self.assertEqual((run.returncode, "went on" in run.stdout, self.calls()), (code, code == 0, []))
            self.assertIn(part, run.stderr)

    def test_a_wrong_compiler_or_cmake_is_one_line(self):
        """missing or too old: what was found, what is needed; nothing is built. CMake 4 and clang 14 are new enough"""
        need = "g++ 12 or clang 14 or later is needed."
        for tools, line in (({"cmake": "3.18.4"}, "CMake 3.18.4 was found; 3.25 or later is needed."),
                            ({"cmake": None}, "No CMake was found; 3.25 or later is needed."),
                            ({"macros": "__clang_major__ 11"}, f"g++ 11 was found ({self.bin}/c++); {need}"),
                            ({"macros": "13 4"}, f"clang 13 was found ({self.bin}/c++); {need}"),
                            ({"macros": None}, f"No C++ compiler was found; {need}"),
                            ({"cmake": "4.0.2"}, ""), ({"cmake": "3.100.0"}, ""), ({"macros": "14 4"}, "")):
            self.debian(installed=["one", "two"], user=1000)
            self.tools(**tools)
            run = self.install("build")
            expected = (1, "", line + "\n") if line else (0, "went on\n", "")
            self.assertEqual((run.returncode, run.stdout, run.stderr), expected, tools)
            self.tools()

    def test_a_missing_library_is_the_line_of_cmake(self):
        """of all that CMake printed; any other failure shows the end of its output"""
        said = "Missing: fmt 9 or later (Debian: libfmt-dev)."
        self.stand_in("cmake", f"[ $1 != --version ] || exec echo cmake version 4\necho much; echo '{said}' >&2; exit 1")
        run = self.install(function="logged build/log cmake --preset release")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (1, "", said + "\n"))
        self.stand_in("cmake", "echo much; exit 1")
        self.assertIn("much\nfailed: cmake", self.install(function="logged build/log cmake --preset release").stderr)

    def test_optional_packages_are_installed_with_no_service_started(self):
        """root: what is missing is installed while a policy-rc.d forbids services; the file is gone afterwards, one of the system stays"""
        asked = '[ "$1" = update ] || ./policy-rc.d || echo "answer $?" >> calls'
        self.debian(installed=["one"], user=0, apt=f'echo "$@" >> calls; {asked}')
        run = self.install("build", function="install_optional")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(self.calls(), ["update", "install -y --no-install-recommends two", "answer 101"])
        self.assertFalse((self.project / "policy-rc.d").exists())
        (self.project / "policy-rc.d").write_text("mine")
        self.install("build", function="install_optional")
        self.assertEqual((self.project / "policy-rc.d").read_text(), "mine")

    def test_optional_packages_that_cannot_be_installed_stop_nothing(self):
        """a failing apt-get, another user than root, a system that is not Debian: the script goes on"""
        for user, apt, said in ((0, "exit 100", "That failed"), (1000, "", "will be skipped: two"), (0, None, "")):
            self.debian(installed=["one"], user=user, apt=apt or "")
            if apt is None:
                (self.bin / "apt-get").unlink()
            run = self.install("build", function="install_optional")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertRegex(run.stdout, f"(?s){said}.*went on")
            self.assertFalse((self.project / "policy-rc.d").exists())


class LeastVersions(unittest.TestCase):
    def test_cmake_asks_for_what_the_packages_say(self):
        """its own version, which it needs before it can read scripts/packages"""
        (least,) = re.findall(r"^cmake +([0-9.]+)", (ROOT / "scripts/packages").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertIn(f"cmake_minimum_required(VERSION {least})\n", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))

    def test_cmake_names_everything_that_is_missing_in_one_line(self):
        """with the least versions of scripts/packages and Debian's names, before anything is built"""
        build = scratch_folder(self.addCleanup)
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("fmt", "ZLIB")]
        run = subprocess.run(["cmake", "-S", ROOT, "-B", build, *hidden], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        (least,) = re.findall(r"^libfmt-dev +([0-9.]+)", (ROOT / "scripts/packages").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertIn(f"Missing: fmt {least} or later (Debian: libfmt-dev), ZLIB (Debian: zlib1g-dev).\n", run.stderr)

    def test_cmake_names_the_build_whose_libraries_it_needs(self):
        """where the preset readers finds no build of dev, which otherwise is seen in the middle of its own"""
        build, other = scratch_folder(self.addCleanup), scratch_folder(self.addCleanup)
        run = subprocess.run(["cmake", "-S", ROOT, "-B", build, f"-DRAREFACT_BUILT_ROOMS={other}"], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(f"Missing: a configured build in {other}, ", run.stderr)


if __name__ == "__main__":
    unittest.main()
