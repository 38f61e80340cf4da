"""rarefact report: one page from results and verdicts, the same bytes every time, nothing from elsewhere, honest about what is missing."""

import base64
import contextlib
import html
import html.parser
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from project import PROGRAM, ROOT, packages, ran, scratch_folder, thorough
from project import rarefact as call

sys.path.insert(0, str(ROOT / "analysis"))
with packages():
    import h5py
    import matplotlib  # noqa: F401
    from rarefact import plot
    from rarefact import program as programs


def setUpModule():
    global folder
    programs.default = PROGRAM
    folder = scratch_folder(unittest.addModuleCleanup)
    (folder / "tiny.toml").write_text("name = 'tiny'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[run]\nsteps = 1\n"
                                      "[[optimizer]]\nname = '<b>a&b'\nrule = 'gd'\nstep_size = 1.0\n")
    (folder / "sweep.toml").write_text(
        "name = 'sweep'\n[classes]\nspectrum = 'power_law'\ncount = 8\n[embedding]\nkind = 'gaussian'\ndimension = 12\n[run]\nsteps = 60\n"
        "[[optimizer]]\nrule = 'gd'\nstep_size = 20.0\n"
        "[[optimizer]]\nrule = 'muon'\nstep_size = {search = [0.1, 0.4, 3], minimise = 'loss'}\n"
        "[sweep]\n'classes.exponent' = [1.1, 2.0]\nseed = {range = [0, 3]}\n")
    for words in (["init", "starter"], *(["run", f"{name}.toml", "--progress", "none"] for name in ("sweep", "tiny", "starter")),
                  ["verify", "--quick", "wang2025/one-step-gd", "kim2026/multi-step-thresholded", "-o", "verdicts.h5"]):
        ran(*words, folder=folder)


def drawn(kind, output):
    """Exit code, output and messages of a figure of the starter, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        return plot.main([kind, "results/starter.h5", "-o", output]), out.getvalue(), err.getvalue()


class Tags(html.parser.HTMLParser):
    """Every tag with its attributes, and whether they close in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.crossed = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "link", "img", "br", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            self.crossed.append(tag)


def first_table(text):
    """Rows of texts of the first table."""
    rows = re.findall("<tr>(.*?)</tr>", text[text.index("<tbody>"):text.index("</tbody>")], re.DOTALL)
    return [[html_text(cell) for cell in re.findall("<td[^>]*>(.*?)</td>", row, re.DOTALL)] for row in rows]


def html_text(text):
    return html.unescape(re.sub("<[^>]*>", "", text))


class Report(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.done = call("report", "results/starter.h5", "verdicts.h5", "results/sweep.h5", "-o", "out/report.html", folder=folder)
        cls.text = (folder / "out" / "report.html").read_text(encoding="utf-8") if cls.done.returncode == 0 else ""

    def test_it_says_where_the_page_is(self):
        """exit code 0, the path on stdout, nothing on stderr"""
        self.assertEqual((self.done.returncode, self.done.stdout, self.done.stderr), (0, "report: out/report.html\n", ""))

    def test_it_holds_experiment_provenance_verdicts_tables_and_figures(self):
        """of the starter: its TOML, engines, the commit; of the verdicts: both checks with their numbers, each verdict marked"""
        for part in ("[[optimizer]]", "spectrum = &quot;grouped_power_law&quot;", "git_commit", "symmetric", "2.21e-83",
                     "wang2025/one-step-gd", "verdict holds\">holds sharply", "verdict \">evidence only", "-0.9375",
                     "alt=\"Error of the classes against step"):
            self.assertIn(part, self.text.replace("<wbr>", ""))
        digest = (folder / "results" / "starter.h5.sha256").read_text().split()[0]
        self.assertIn(digest, self.text)

    def test_it_is_sound_html_that_refers_to_nothing_outside(self):
        """tags close in order; no script; every image is in the page and is an SVG; links lead inside"""
        tags = Tags(self.text)
        self.assertEqual((tags.crossed, tags.open), ([], []))
        names = {tag for tag, _ in tags.tags}
        self.assertNotIn("script-src", self.text)
        self.assertFalse(names & {"script", "iframe", "object", "embed", "form", "video", "audio"})
        images = [attributes for tag, attributes in tags.tags if tag == "img"]
        self.assertGreaterEqual(len(images), 5)
        for image in images:
            kind, data = image["src"].split(",", 1)
            self.assertEqual(kind, "data:image/svg+xml;base64")
            picture = base64.b64decode(data).decode()
            self.assertIn("</svg>", picture)
            self.assertNotIn("<dc:date>", picture)
            self.assertTrue(image["alt"])
        for tag, attributes in tags.tags:
            for name in ("href", "src"):
                self.assertRegex(attributes.get(name, "#"), r"^(#|data:)", tag)
        self.assertNotIn("url(", self.text)
        self.assertNotIn(str(folder), self.text)

    @thorough
    def test_equal_files_give_equal_bytes(self):
        """from another folder, with other threads' hash seeds"""
        other = folder / "elsewhere"
        other.mkdir()
        for name in ("starter.h5", "starter.h5.sha256", "sweep.h5", "sweep.h5.sha256"):
            shutil.copy(folder / "results" / name, other)
        shutil.copy(folder / "verdicts.h5", other)
        again = call("report", "starter.h5", "verdicts.h5", "sweep.h5", folder=other, env=os.environ | {"PYTHONHASHSEED": "7"})
        self.assertEqual(again.stdout, "report: report.html\n")
        text = (other / "report.html").read_text(encoding="utf-8")
        self.assertTrue(text == self.text)

    def test_what_cannot_be_read_is_named_and_left_out(self):
        """exit code 4 and a page that says so; with nothing left exit code 2 and no page"""
        (folder / "text.h5").write_text("text & more")
        data = bytearray((folder / "verdicts.h5").read_bytes())
        data[len(data) // 2] ^= 1
        (folder / "bad.h5").write_bytes(data)
        some = call("report", "text.h5", "bad.h5", "results/tiny.h5", "-o", "some.html", folder=folder)
        self.assertEqual((some.returncode, some.stderr), (
            4, "error: text.h5: not an HDF5 file\nerror: bad.h5: damaged: its bytes do not match the checksum\n"))
        text = (folder / "some.html").read_text(encoding="utf-8")
        # The name of an optimizer with < and & is shown as it is: text from a file cannot become a tag.
        for part in ("left out: text.h5: not an HDF5 file", "left out: bad.h5: damaged", "&lt;b&gt;a&amp;b"):
            self.assertIn(part, text)
        self.assertIsNone(re.search("<b>a", text))
        none = call("report", "text.h5", "none.h5", "-o", "new/none.html", folder=folder)
        self.assertEqual((none.returncode, none.stdout), (4, ""))
        self.assertEqual(none.stderr, "error: text.h5: not an HDF5 file\nerror: none.h5: no such file\nerror: there is nothing to report\n")
        self.assertFalse((folder / "new").exists())

    def test_a_result_is_never_overwritten(self):
        """-o with the name of an HDF5 file, of an experiment, of a folder, empty"""
        before = (folder / "results" / "starter.h5").read_bytes(), (folder / "starter.toml").read_bytes()
        for name, code, part in (("results/starter.h5", 2, "is not overwritten"), ("starter.toml", 2, "is not overwritten"),
                                 ("results/starter.h5.sha256", 2, "beside results"), ("results", 2, "is a folder"), ("", 2, "empty name")):
            with self.subTest(name):
                done = call("report", "results/starter.h5", "-o", name, folder=folder)
                self.assertEqual(done.returncode, code)
                self.assertRegex(done.stderr, part)
        self.assertEqual(((folder / "results" / "starter.h5").read_bytes(), (folder / "starter.toml").read_bytes()), before)

    def test_a_figure_replaces_only_a_figure(self):
        """not the user's numbers of the same name, nor is a folder taken for a stem; nothing is written beside them"""
        (folder / "mine").mkdir()
        (folder / "mine" / "counts.csv").write_text("count\n3\n")
        for name, part in (("mine/counts", "counts.csv exists and is not"), ("mine", "is a folder"), ("new/", "is a folder")):
            code, out, err = drawn("losses", name)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(part, err)
        self.assertEqual([path.name for path in (folder / "mine").iterdir()], ["counts.csv"])
        (folder / "mine" / "losses.csv").touch()  # an empty file is nobody's
        for _ in range(2):
            self.assertEqual(drawn("losses", "mine/losses.svg")[0], 0)

    def test_outputs_follow_no_link_and_wait_for_no_pipe(self):
        """of a figure, too; what a link leads to stays as it was"""
        (folder / "mine.txt").write_text("case,mine")
        (folder / "linked.csv").symlink_to("mine.txt")
        os.mkfifo(folder / "piped.csv")
        for name, code in (("linked", 0), ("piped", 2)):
            done, _, err = drawn("class_errors", f"{name}.png")
            self.assertEqual(done, code, err)
        self.assertEqual((folder / "mine.txt").read_text(), "case,mine")
        self.assertFalse((folder / "linked.csv").is_symlink())

    def test_of_a_partial_result_the_points_that_are_there_are_shown(self):
        """also where the first one is not"""
        words = ["sweep.toml", "-o", "part.h5"]
        call("run", *words, "--shard", "1/2", "--progress", "none", folder=folder)
        call("merge", *words, "--partial", folder=folder)
        ran("report", "part.h5.points/partial.h5", "-o", "part.html", folder=folder)
        self.assertIn("run 0 and 2 more, gd: missing, and left out", (folder / "part.html").read_text(encoding="utf-8"))

    @thorough
    def test_a_python_without_its_packages_is_passed_over(self):
        """for the one in /usr/bin"""
        if subprocess.run(["/usr/bin/python3", "-c", "import h5py, numpy, matplotlib"], capture_output=True).returncode != 0:
            self.skipTest("/usr/bin/python3 has no h5py, numpy and matplotlib")
        poor = folder / "bin"
        poor.mkdir(exist_ok=True)
        (poor / "python3").write_text("#!/bin/sh\nexit 69\n")
        (poor / "python3").chmod(0o755)
        ran("report", "results/tiny.h5", "-o", "poor.html", folder=folder, env=os.environ | {"PATH": f"{poor}:/usr/bin:/bin"})

    def test_figures_stand_in_a_grid_that_follows_the_width(self):
        """narrow ones side by side where the page has room, wide ones across it; on a phone all below one another"""
        self.assertIn("grid-template-columns:repeat(auto-fit,minmax(min(100%,23rem),1fr))", self.text)
        self.assertIn(".grid>.wide{grid-column:1/-1}", self.text)
        for grid in re.findall(r"<div class=grid>\n(.*?)</div>\n<", self.text, re.DOTALL):
            for wide, inches in re.findall(r'<figure( class=wide)?>.*?width="(\d+)"', grid):
                self.assertEqual(bool(wide), int(inches) > 480)
        self.assertGreaterEqual(self.text.count("<div class=grid>"), 2)

    def test_the_steps_of_a_sweep_are_those_that_rarefact_table_gives(self):
        """the same cells by the command that stands below; seeds averaged with their interval"""
        text, cells = self.text.split('<h2 id="r2">')[1], []
        for group in ("tail", "max"):
            command = shlex.split(html.unescape(re.search(f"<code>(rarefact table [^<]*--class {group} [^<]*)</code>", text)[1]))
            done = ran(*command[1:], folder=folder / "results")
            wanted = [[cell.replace(" ", "") for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[5:]]
            start = text.index("Steps until the rarest" if group == "tail" else "Steps until every class")
            self.assertEqual([[cell.replace(" ", "") for cell in row] for row in first_table(text[start:])], wanted)
            cells += re.findall("<td([^>]*)>[^<]*±", text)
        self.assertEqual(set(cells), {" class=number"})

    def test_an_experiment_that_it_holds_gives_the_same_numbers(self):
        """kept as a file, run by the command beside it: the content hash of the page"""
        text = self.text.split('<h2 id="r2">')[1]
        other = folder / "again"
        other.mkdir()
        data = re.search('download="sweep.toml" href="data:text/plain;charset=utf-8;base64,([^"]*)"', text)[1]
        (other / "sweep.toml").write_bytes(base64.b64decode(data))
        commands = html.unescape(re.search("<pre>(rarefact run [^<]*)</pre>", text)[1]).splitlines()
        ran(*shlex.split(commands[0])[1:], "--progress", "none", folder=other)
        with h5py.File(other / "sweep.h5") as again:
            self.assertIn(str(again.attrs["values_sha256"]), text)


if __name__ == "__main__":
    unittest.main()
