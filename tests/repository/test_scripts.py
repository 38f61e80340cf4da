"""What scripts/ do on machines that lack packages, tried with stand-ins for apt-get, dpkg-query and id."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from project import ROOT

TOOLS = ["bash", "awk", "cat", "chmod", "dirname", "mkdir", "rm", "tail"]  # what lib.sh itself calls


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
            "# comment\n[build]\none  first\ntwo  second\n\n[test]\nthree  third\n", encoding="utf-8"
        )

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def debian(self, installed, user, apt="echo \"$@\" >> calls"):
        lines = "".join(f"echo '{name} installed'\n" for name in installed)
        self.stand_in("dpkg-query", f"echo 'two config-files'\n{lines}exit 1")
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
        """root: apt-get update, then install of the missing packages of the asked sections"""
        self.debian(installed=["one"], user=0)
        run = self.install("build", "test")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.calls(), ["update", "install -y --no-install-recommends two three"])
        self.assertIn("went on", run.stdout)

    def test_a_section_that_was_not_asked_for_is_left_alone(self):
        """the build alone does not install what tests need"""
        self.debian(installed=["one"], user=0)
        self.install("build")
        self.assertEqual(self.calls()[-1], "install -y --no-install-recommends two")

    def test_apt_is_not_called_when_all_is_there(self):
        """a second call is quiet and needs no network and no rights"""
        self.debian(installed=["one", "two", "three"], user=1000)
        run = self.install("build", "test")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "went on\n", ""))
        self.assertEqual(self.calls(), [])

    def test_another_user_gets_one_command_to_type(self):
        """not root: the command is printed, the script ends with 1, nothing is installed"""
        self.debian(installed=["one"], user=1000)
        run = self.install("build", "test")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        command = "sudo apt-get update && sudo apt-get install -y --no-install-recommends two three"
        self.assertEqual([line.strip() for line in run.stderr.splitlines() if "sudo" in line], [command])
        self.assertEqual(self.calls(), [])

    def test_a_failing_installation_shows_what_apt_said_and_stops(self):
        """apt's message reaches the user, and nothing goes on without the packages"""
        self.debian(installed=[], user=0, apt="echo 'Temporary failure resolving'; exit 100")
        run = self.install("build")
        self.assertEqual(run.returncode, 100)
        self.assertIn("Temporary failure resolving", run.stderr)
        self.assertNotIn("went on", run.stdout)

    def test_a_system_that_is_not_debian_is_told_so_and_goes_on(self):
        """without apt-get the packages are named and the build may find their equals"""
        run = self.install("build")
        self.assertEqual(run.returncode, 0)
        self.assertIn("not a Debian system", run.stderr)
        self.assertIn("one two", run.stderr)
        self.assertIn("went on", run.stdout)

    def test_optional_packages_are_installed_with_no_service_started(self):
        """root: what is missing is installed while a policy-rc.d forbids services; the file is gone afterwards"""
        asked = '[ "$1" = update ] || ./policy-rc.d || echo "answer $?" >> calls'
        self.debian(installed=["one"], user=0, apt=f'echo "$@" >> calls; {asked}')
        run = self.install("build", function="install_optional")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(self.calls(), ["update", "install -y --no-install-recommends two", "answer 101"])
        self.assertFalse((self.project / "policy-rc.d").exists())

    def test_a_policy_of_the_system_is_kept(self):
        """a policy-rc.d that is there already is neither changed nor removed"""
        self.debian(installed=[], user=0)
        (self.project / "policy-rc.d").write_text("mine")
        self.install("build", function="install_optional")
        self.assertEqual((self.project / "policy-rc.d").read_text(), "mine")

    def test_optional_packages_that_cannot_be_installed_stop_nothing(self):
        """a failing apt-get, another user than root, a system that is not Debian: the script goes on"""
        for user, apt, said in ((0, "exit 100", "That failed"), (1000, "exit 100", "will be skipped: two")):
            self.debian(installed=["one"], user=user, apt=apt)
            run = self.install("build", function="install_optional")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(said, run.stdout)
            self.assertIn("went on", run.stdout)
            self.assertFalse((self.project / "policy-rc.d").exists())
        (self.bin / "apt-get").unlink()
        run = self.install("build", function="install_optional")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "went on\n", ""))


class TestCommand(unittest.TestCase):
    def test_a_wrong_option_is_refused_before_anything_is_installed(self):
        """scripts/test --fast ends with 2 and shows the options"""
        run = subprocess.run(
            [ROOT / "scripts" / "test", "--fast"], capture_output=True, text=True, env=dict(os.environ)
        )
        self.assertEqual(run.returncode, 2)
        self.assertIn("unknown option '--fast'", run.stderr)
        self.assertIn("--quick", run.stderr)


if __name__ == "__main__":
    unittest.main()
