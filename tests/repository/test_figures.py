"""analysis/ draws every kind of figure from result files: numbers, files, layout, looks, and what it says about bad input."""

import contextlib
import csv
import hashlib
import io
import random
import struct
import sys
import unittest

from project import ROOT, scratch_folder
from project import rarefact as program

MISSING = None
try:
    import h5py
    import matplotlib  # noqa: F401
    import numpy as np
except ModuleNotFoundError as error:
    MISSING = f"{error.name} is missing (Debian packages python3-h5py, python3-numpy, python3-matplotlib)"
else:
    sys.path.insert(0, str(ROOT / "analysis"))
    import rarefact
    from rarefact.figures import kinds, style
    from figure_layout import layout_problems

PAPER = "experiments/paper/"
# Experiments by the name of their result, cut down to what a test has time for.
EXPERIMENTS = {
    "class_errors": [PAPER + "class_errors.toml"],
    "gap_one_step": [PAPER + "gap_one_step.toml"],
    "gap_many_steps": [PAPER + "gap_many_steps.toml", "--set", "run.steps=200", "--set", "classes.count=30"],
    "isotropy": [PAPER + "isotropy.toml", "--set", "classes.count=20", "--set", "run.steps=60"],
    "rho": [PAPER + "rho.toml"],
    "muon_scaling": ["experiments/li2026/muon-scaling-law.toml"],
    "push": ["experiments/newton_schulz_accuracy.toml", "--set", "classes.count=40", "--set", "run.classes=all"],
    "capacity": [PAPER + "capacity.toml", "--set", "sweep.seed=[1, 2]", "--set",
                 "sweep.embedding.dimension, classes.count=[[8, 64], [16, 128], [32, 256]]"],
    "imbalance": ["experiments/imbalance_by_embedding.toml", "--set", "classes.count=15", "--set", "run.steps=60"],
    "nodes": ["experiments/quadrature_nodes.toml", "--set", "sweep.run.nodes=[8, 16, 32, 64]"],
}


def setUpModule():
    global folder
    if MISSING:
        raise unittest.SkipTest(MISSING)
    folder = scratch_folder(unittest.addModuleCleanup)
    for name, words in EXPERIMENTS.items():
        run(words, folder / f"{name}.h5")


def run(words, output):
    done = program("run", ROOT / words[0], *words[1:], "-o", output, "--progress", "none")
    if done.returncode != 0:
        raise AssertionError(f"{words[0]}: {done.stderr}")


def draw(kind, name, *words):
    """The drawing of a script from a result, and what it said."""
    script = {each.name: each.script for each in kinds.KINDS}[kind]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        result = rarefact.open(folder / f"{name}.h5")
        style.say_incomplete(result)
        drawing = script.draw([result], script.parser().parse_args([result.path, *words]))
    return drawing, said.getvalue()


def call(kind, *words):
    """A figure as users draw it."""
    return program("plot", kind, *words, folder=folder)


class Reader(unittest.TestCase):
    def test_a_variable_comes_with_names_and_is_what_the_file_holds(self):
        """values, dimensions, coordinates, units; a selection by label, step and place"""
        result = rarefact.open(folder / "class_errors.h5")
        error = result["error"]
        self.assertEqual((error.dims, error.units), (("run", "optimizer", "step", "class_group"), "1"))
        tail = error.select(run=0, optimizer="muon", class_group=-1)
        self.assertEqual(tail.dims, ("step",))
        with h5py.File(folder / "class_errors.h5") as file:
            labels = list(file["optimizer"].asstr())
            np.testing.assert_array_equal(tail.values, file["error"][0, labels.index("muon"), :, 31])
        self.assertEqual(error.select(run=0, optimizer="gd", step=1000, class_group=0).values, error.values[0, 0, -1, 0])

    def test_tidy_columns_are_the_same_numbers_line_by_line(self):
        """one line a run, optimizer and step, swept keys beside them; padding is left out"""
        result = rarefact.open(folder / "gap_many_steps.h5")
        columns = result.tidy("error", "loss")
        self.assertEqual(len({len(column) for column in columns.values()}), 1)
        chosen = ((columns["embedding.kind"] == "orthogonal") & (columns["optimizer"] == "gd") & (columns["step"] == 200)
                  & (columns["class_group"] == 1))
        self.assertEqual(columns["error"][chosen].tolist(),
                         [result["error"].select(run=1, optimizer="gd", step=200, class_group=1).values])
        self.assertEqual(columns["loss"][chosen].tolist(), [result["loss"].select(run=1, optimizer="gd", step=200).values])

    def test_what_is_wrong_is_said_in_one_line(self):
        """no file, no HDF5, no result, no such variable, no such label"""
        (folder / "text.h5").write_text("text")
        with h5py.File(folder / "other.h5", "w") as file:
            file["x"] = [1.0]
        for name, part in (("none.h5", "no such file"), ("text.h5", "not an HDF5 file"), ("other.h5", "not a result file")):
            with self.assertRaisesRegex(rarefact.NotAResult, part):
                rarefact.open(folder / name)
        result = rarefact.open(folder / "rho.h5")
        with self.assertRaisesRegex(rarefact.NotAResult, "no variable lost"):
            result["lost"]
        with self.assertRaisesRegex(rarefact.NotAResult, "no optimizer muno; there are gd, signgd, muon$"):
            result["loss"].select(optimizer="muno")

    def test_damaged_files_are_refused_before_hdf5_opens_them(self):
        """bits flipped, ranges zeroed, ends cut off, with and without the checksum beside the file; none is believed"""
        right, draw = (folder / "rho.h5").read_bytes(), random.Random(1)
        path, beside = folder / "damaged.h5", folder / "damaged.h5.sha256"
        path.write_bytes(right)
        self.assertEqual(rarefact.open(path).title, rarefact.open(folder / "rho.h5").title)  # copied alone
        for number in range(200):
            data, at = bytearray(right), draw.randrange(len(right))
            if number % 3 == 0:
                data[at] ^= 1 << draw.randrange(8)
            elif number % 3 == 1:
                data[at:at + 4096] = bytes(len(data[at:at + 4096]))
            else:
                del data[at:]
            if data == right:
                continue
            path.write_bytes(data)
            beside.unlink(missing_ok=True)
            if number % 2:
                beside.write_text(f"{hashlib.sha256(right).hexdigest()}  damaged.h5\n")
            with self.subTest(number), self.assertRaises(rarefact.NotAResult):
                rarefact.open(path)


class Figures(unittest.TestCase):
    def test_every_kind_is_drawn_and_nothing_overlaps(self):
        """at the widths of a page and of a column; labels inside, apart and large enough; legends off the axes"""
        drawn = set()
        for name in EXPERIMENTS:
            for width, wide in ((None, None), (3.9, 6.75)):
                for kind, drawing, _ in kinds.drawings(rarefact.open(folder / f"{name}.h5"), width, wide):
                    with self.subTest(f"{kind.name} of {name}, {width}"):
                        self.assertEqual(layout_problems(drawing.figure), [])
                        self.assertTrue(drawing.rows)
                        for axis in drawing.figure.axes:
                            self.assertTrue(axis.has_data())
                    style.plt.close(drawing.figure)
                    drawn.add(kind.name)
        self.assertEqual(drawn, {kind.name for kind in kinds.KINDS})

    def test_the_csv_beside_a_figure_holds_the_numbers_of_the_result(self):
        """every point of class_errors, to the last digit"""
        drawing, _ = draw("class_errors", "class_errors", "--curves", "3")
        drawing.save(folder / "numbers.png")
        with open(folder / "numbers.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        result = rarefact.open(folder / "class_errors.h5")
        tail = result["error"].select(run=0, optimizer="gd", class_group=-1)
        measured = {int(row["step"]): float(row["error"]) for row in rows
                    if (row["optimizer"], row["kind"], row["class rank"]) == ("gd", "measured", "31500.5")}
        self.assertEqual(measured, dict(zip(tail.coords["step"].tolist(), tail.values.tolist())))

    def test_a_slope_is_fitted_to_the_points(self):
        """Muon's excess loss falls as T^-2: the title says so, and beside it stands the prediction"""
        drawing, _ = draw("scaling", "muon_scaling", "--against", "run.steps", "--where", "classes.group_size=1.25e14")
        (axis,) = drawing.figure.axes
        self.assertRegex(axis.get_title(), r"muon\nfitted −(1\.99\d|2\.00\d).*\npredicted −2\.000")
        style.plt.close(drawing.figure)

    def test_capacities_are_means_over_seeds_beside_the_claimed_powers(self):
        """the numbers of the CSV from those of the result; the published line has its slope"""
        drawing, _ = draw("capacity", "capacity", "--where", "classes.exponent=2")
        result = rarefact.open(folder / "capacity.h5")
        runs = [(np.asarray(result.params["embedding.dimension"]) == d) & (np.asarray(result.params["classes.exponent"]) == 2)
                for d in (8, 16, 32)]
        counts = result["recovered_count"].select(optimizer="muon").values[:, -1]
        drawn = {row[3]: row[4] for row in drawing.rows if row[1:3] == ("muon", "mean")}
        self.assertEqual(drawn, {d: counts[run].mean() for d, run in zip((8, 16, 32), runs)})
        half = {row[3]: row[4] for row in drawing.rows if row[1:3] == ("muon", "half interval")}
        a, b = counts[runs[2]]
        self.assertAlmostEqual(half[32], 12.71 * abs(a - b) / 2, places=9)
        line = {row[3]: row[4] for row in drawing.rows if row[1:3] == ("muon", "published exponent")}
        self.assertAlmostEqual(np.log(line[32] / line[8]) / np.log(4), 1.25, places=12)
        style.plt.close(drawing.figure)

    def test_files_have_embedded_fonts_and_the_width_that_was_asked_for(self):
        """PDF with TrueType fonts, PNG as wide as the column at 180 dots an inch, and the same bytes again"""
        words = ["class_errors.h5", "-o", "out/errors", "--width", "icml-column"]
        first = call("class_errors", *words)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertEqual(first.stdout.split(), [f"out/errors.{kind}" for kind in ("pdf", "svg", "png", "csv")])
        written = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
        self.assertIn(b"/FontFile2", written["errors.pdf"])
        self.assertNotIn(b"/Type3", written["errors.pdf"])
        self.assertEqual(struct.unpack(">I", written["errors.png"][16:20]), (585,))
        self.assertEqual(call("class_errors", *words).returncode, 0)
        self.assertEqual(written, {path.name: path.read_bytes() for path in (folder / "out").iterdir()})

    def test_every_rule_has_a_look_of_its_own(self):
        """colours from Okabe and Ito; dash and marker alone tell them apart, too; two optimizers of a rule differ"""
        looks = list(style.LOOKS.values())
        self.assertEqual(len({(str(dash), marker) for _, dash, marker in looks}), len(looks))
        self.assertEqual(len(set(style.RULES.values())), len(style.RULES))
        listed = program("list", "optimizers").stdout
        rules = {line.split()[0] for line in listed.splitlines() if line[:1].strip()}
        self.assertEqual(rules, set(style.RULES))

        class Twice:
            params = {}
            coords = {"optimizer": ["one", "gd", "two"]}
            experiment = {"optimizer": [{"name": "one", "rule": "muon"}, {"rule": "gd"}, {"name": "two", "rule": "muon"}]}

        found = style.optimizer_looks(Twice())
        self.assertEqual((found["one"]["color"], found["gd"]["color"]), ("#0072B2", "#D55E00"))
        self.assertEqual(len({look["color"] for look in found.values()}), 3)


class BadInput(unittest.TestCase):
    def test_results_without_labels_or_with_swept_rules_are_drawn(self):
        """label noise without gradient descent has no slope to name; a swept rule is not in the experiment"""
        head = ("name = 'odd'\n[classes]\nspectrum = 'power_law'\ncount = 200\nexponent = 1.5\n[data]\nlabel_noise = 0.05\n"
                "[run]\nsteps = 100\n[[optimizer]]\nname = 'o'\nrule = 'muon'\nstep_size = 0.3\n")
        for name, more in (("noisy", ""), ("rules", "[sweep]\n'optimizer.o.rule' = ['muon', 'gd']\n")):
            (folder / f"{name}.toml").write_text(head + more)
            run([folder / f"{name}.toml"], folder / f"{name}.h5")
            drawn = list(kinds.drawings(rarefact.open(folder / f"{name}.h5")))
            self.assertIn("losses", {kind.name for kind, _, _ in drawn})
            for _, drawing, _ in drawn:
                style.plt.close(drawing.figure)

    def test_a_diverged_run_is_named_and_drawn_as_far_as_it_goes(self):
        """one line; the other optimizer is whole"""
        (folder / "diverged.toml").write_text(
            "name = 'diverged'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[run]\nsteps = 50\n"
            "[[optimizer]]\nrule = 'momentum'\nstep_size = 1e308\n[[optimizer]]\nrule = 'muon'\nstep_size = 0.5\n")
        run([folder / "diverged.toml"], folder / "diverged.h5")
        result = rarefact.open(folder / "diverged.h5")
        self.assertEqual([label for _, label, _, _ in result.incomplete], ["momentum"])
        drawing, said = draw("losses", "diverged")
        self.assertRegex(said, r"^\S+diverged\.h5: run 0, momentum: diverged after step \d+; drawn as far as it goes\n$")
        self.assertIn("muon", {row[1] for row in drawing.rows})
        style.plt.close(drawing.figure)

    def test_what_has_no_digits_is_grey(self):
        """from the step on that `digits` names, with its own entry in the legend; before it and in the other run nothing is"""
        (folder / "grey.toml").write_text(
            "name = 'grey'\n[classes]\nspectrum = 'power_law'\nexponent = 1.5\ncount = 8\n[data]\nlabel_noise = 0.1\n[run]\nsteps = 160\n"
            "[[optimizer]]\nrule = 'muon'\nstep_size = 0.3\nmomentum = 0.9\n[[optimizer]]\nrule = 'signgd'\nstep_size = 0.1\n")
        run([folder / "grey.toml"], folder / "grey.h5")
        [(_, label, status, step)] = rarefact.open(folder / "grey.h5").incomplete
        self.assertEqual((label, status), ("muon", "digits_lost"))
        for kind, lines in (("losses", 2), ("class_errors", 5)):
            with self.subTest(kind):
                drawing, said = draw(kind, "grey")
                self.assertRegex(said, rf"muon: fewer than 3 digits are left from step {step} on, which are grey\n$")
                grey = [line for axis in drawing.figure.axes for line in axis.lines if line.get_label() == "fewer than 3 digits"]
                self.assertEqual(len(grey), lines)
                for line in grey:
                    self.assertEqual(line.get_color(), "0.75")
                    self.assertGreaterEqual(line.get_xdata()[1], step)
                    self.assertEqual(line.get_xdata()[-1], 160)
                style.plt.close(drawing.figure)

    def test_a_variable_that_is_not_there_is_named_with_the_key_that_records_it(self):
        """push, spectral measures; a key that is not swept, a value that it does not have"""
        for kind, name, words, part in (
                ("push", "rho", [], "no variable push; run with run.push = true"),
                ("capacity", "rho", [], "embedding.dimension is not swept"),
                ("isotropy", "class_errors", [], 'run with run.spectral_metrics = "on"'),
                ("class_errors", "rho", [], "2 steps with numbers are too few"),
                ("losses", "gap_many_steps", ["--where", "seed=1"], "seed is not swept; swept are embedding.kind"),
                ("losses", "gap_many_steps", ["--where", "embedding.kind=sphere"], "has the values identity, orthogonal"),
                ("scaling", "muon_scaling", ["--against", "run.stop"], "swept are .*run.steps"),
                ("heat_map", "muon_scaling", ["--value", "loss"], "fix it by --where")):
            with self.subTest(f"{kind} of {name}"), self.assertRaisesRegex(style.Missing, part):
                draw(kind, name, *words)

    def test_a_file_that_is_no_result_is_left_out_and_the_others_drawn(self):
        """one line, exit code 4; with nothing left exit code 2 and no file"""
        (folder / "text.h5").write_text("text")
        some = call("gap", "text.h5", "gap_one_step.h5", "-o", "some.svg")
        self.assertEqual((some.returncode, some.stderr), (4, "error: text.h5: not an HDF5 file\n"))
        self.assertTrue((folder / "some.svg").exists())
        none = call("all", "text.h5", "-o", "none")
        self.assertEqual((none.returncode, none.stderr),
                         (2, "error: text.h5: not an HDF5 file\nerror: nothing that could be drawn\n"))
        self.assertFalse((folder / "none").exists())

    def test_every_script_has_a_help_page(self):
        """what it draws, an example that can be typed, the widths"""
        for kind in kinds.KINDS:
            with self.subTest(kind.name):
                text = kind.script.parser().format_help()
                self.assertIn(f"rarefact plot {kind.name} ", text)
                self.assertIn("neurips-text", text)
                self.assertIn(f"| `{kind.name}` |", (ROOT / "docs" / "figures.md").read_text(encoding="utf-8"))

    def test_the_expected_numbers_of_the_papers_experiments_come_out(self):
        """those of the header comments: largest gaps after one step, ϱ at K = 3e15, steps to an error below 0.1, entropy of Muon"""
        result = rarefact.open(folder / "gap_one_step.h5")
        gap = result["gap"].values.max(axis=2)
        of = {(kind, label): gap[result.params["embedding.kind"] == kind, place].max()
              for kind in ("identity", "block_rotation") for place, label in enumerate(result.coords["optimizer"])}
        self.assertLess(max(of[kind, "muon"] for kind in ("identity", "block_rotation")), 0.02)
        self.assertEqual(of["identity", "signgd"], 0)
        self.assertGreater(of["block_rotation", "signgd"], 0.5)
        self.assertGreater(of["identity", "gd"], 0.9)
        result = rarefact.open(folder / "rho.h5")
        at = list(result.params["classes.count"]).index(3e15)
        self.assertEqual([f"{value:.2g}" for value in result["rho_at_threshold"].values[at, :, -1]], ["3.5e-15", "1.1e-05", "0.9"])
        result = rarefact.open(folder / "class_errors.h5")
        learned = (result["error"].values[0] < 0.1).all(axis=2)
        first = {label: int(result.coords["step"][learned[place].argmax()]) for place, label in enumerate(result.coords["optimizer"])}
        self.assertEqual((first["muon"], first["signgd"], first["adam"]), (13, 13, 28))
        entropy = rarefact.open(folder / "isotropy.h5")["update_entropy"].select(run=0, optimizer="muon").values
        self.assertGreater(entropy.min(), 1 - 1e-9)

    def test_every_experiment_of_the_papers_is_reproduced(self):
        """scripts/reproduce runs each file of experiments/paper/, and their headers name a claim, a source, a command and a time"""
        script = (ROOT / "scripts" / "reproduce").read_text(encoding="utf-8")
        files = sorted((ROOT / "experiments" / "paper").glob("*.toml"))
        self.assertTrue(files)
        for file in files:
            self.assertIn(f"run paper/{file.stem}\n", script)
            for part in ("# Claim:", "# Source:", "# Draw:", "# Time:", "Expected:"):
                self.assertIn(part, file.read_text(encoding="utf-8"), file.name)


if __name__ == "__main__":
    unittest.main()
