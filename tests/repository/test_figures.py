"""analysis/ draws every kind of figure from result files: numbers, files, layout, looks, and what it says about bad input."""

import argparse
import collections
import contextlib
import csv
import hashlib
import io
import random
import struct
import sys
import unittest

from project import ALL, PROGRAM, ROOT, SEED, packages, ran, scratch_folder, some
from project import rarefact as program

sys.path.insert(0, str(ROOT / "analysis"))
with packages():
    import h5py
    import matplotlib  # noqa: F401
    import numpy as np
    import rarefact
    from rarefact import plot, report
    from rarefact import program as programs
    from rarefact.figures import kinds, layout, runs, style, verdicts
    from figure_layout import layout_problems

PAPER = "experiments/figures/"
# Experiments by the name of their result, cut down to what a test has time for; those whose figures are fullest first.
EXPERIMENTS = {
    "imbalance": ["experiments/figures/imbalance_by_embedding.toml", "--set", "classes.count=15", "--set", "run.steps=60"],
    "class_errors": [PAPER + "class_errors.toml"],
    "gap_one_step": [PAPER + "gap_one_step.toml"],
    "gap_many_steps": [PAPER + "gap_many_steps.toml", "--set", "run.steps=200", "--set", "classes.count=30"],
    "rho": [PAPER + "rho.toml"],
    "muon_scaling": ["experiments/theorems/li2026/muon-scaling-law.toml"],
}


def setUpModule():
    global folder
    programs.default = PROGRAM
    folder = scratch_folder(unittest.addModuleCleanup)
    for name, words in EXPERIMENTS.items():
        run(words, folder / f"{name}.h5")


def run(words, output):
    ran("run", ROOT / words[0], *words[1:], "-o", output, "--progress", "none")


def made(name, text):
    """The result of an experiment, stored under its name."""
    (folder / f"{name}.toml").write_text(text)
    run([folder / f"{name}.toml"], folder / f"{name}.h5")
    return rarefact.open(folder / f"{name}.h5")


def draw(kind, name, *words):
    """The drawing of a kind from a result, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        result = rarefact.open(folder / f"{name}.h5")
        runs.say_incomplete(result)
        drawing = plot.KINDS[kind].draw([result], plot.KINDS[kind].script.parser().parse([result.path, *words]))
    return drawing, said.getvalue()


def call(kind, *words):
    """A figure as users draw it."""
    return program("plot", kind, *words, folder=folder)


class Reader(unittest.TestCase):

    def test_tidy_columns_are_the_same_numbers_line_by_line(self):
        """one line a run, optimizer and step, swept keys beside them; padding is left out"""
        result = rarefact.open(folder / "gap_many_steps.h5")
        columns = result.tidy("error", "loss")
        self.assertEqual(len({len(column) for column in columns.values()}), 1)
        chosen = ((columns["embedding.kind"] == "orthogonal") & (columns["optimizer"] == "gd") & (columns["step"] == 200)
                  & (columns["class_group"] == 1))
        self.assertEqual(columns["error"][chosen].tolist(),
                         [result["error"].sel(run=1, optimizer="gd", step=200)[1]])
        self.assertEqual(columns["loss"][chosen].tolist(), [result["loss"].sel(run=1, optimizer="gd", step=200)])

    def test_damaged_files_are_refused_before_hdf5_opens_them(self):
        """bits flipped, ranges zeroed, ends cut off, with and without the checksum beside the file; none is believed"""
        right, draw = (folder / "rho.h5").read_bytes(), random.Random(SEED)
        path, beside = folder / "damaged.h5", folder / "damaged.h5.sha256"
        path.write_bytes(right)
        self.assertEqual(rarefact.open(path).title, rarefact.open(folder / "rho.h5").title)  # copied alone
        for number in some(range(200)):
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
        """in a column, with RAREFACT_ALL=1 at every published width; labels inside, apart and large enough; legends off the axes"""
        widths, times = sorted(set(style.WIDTHS.values()))[:None if ALL else 1], collections.Counter()
        for name in EXPERIMENTS:
            result = rarefact.open(folder / f"{name}.h5")
            for width in widths:
                for kind, drawing, *_ in kinds.drawings(result, width, width, lambda kind: not times[kind.name, width]):
                    with self.subTest(f"{kind.name} of {name}, {width}"):
                        self.assertEqual(layout_problems(drawing.figure), [])
                        self.assertTrue(drawing.rows)
                        for axis in drawing.figure.axes:
                            self.assertTrue(axis.has_data())
                    times[kind.name, width] += 1
        self.assertEqual(set(times), {(kind.name, width) for kind in kinds.KINDS for width in widths})

    def test_85_of_125_trajectories_of_the_figure_of_embeddings_have_predictions(self):
        """of the first step, at the size of the figure: 25 of them with identity embeddings, 15 with each of the others"""
        run(["experiments/figures/imbalance_by_embedding.toml", "--set", "run.steps=1"], folder / "one_step.h5")
        result = rarefact.open(folder / "one_step.h5")
        predicted = np.isfinite(result["error_predicted"].values[:, :, 1]).any(axis=2)
        self.assertEqual(collections.Counter(np.repeat(result.params["embedding.kind"], 5)[predicted.ravel()]),
                         {kind: 25 if kind == "identity" else 15 for kind in set(result.params["embedding.kind"])})

    def test_the_csv_beside_a_figure_holds_the_numbers_of_the_result(self):
        """every point of class_errors, to the last digit that rounding leaves"""
        drawing, _ = draw("class_errors", "class_errors", "--curves", "3")
        drawing.save(folder / "numbers.png")
        with open(folder / "numbers.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        result = rarefact.open(folder / "class_errors.h5")
        ranks = np.exp(result["class_log_rank"].values[0])
        for rank in dict.fromkeys(row["class rank"] for row in rows):
            group = result["error"].sel(run=0, optimizer="gd")[:, np.abs(ranks - float(rank)).argmin()]
            measured = {int(row["step"]): float(row["error"]) for row in rows
                        if (row["optimizer"], row["kind"], row["class rank"]) == ("gd", "measured", rank)}
            self.assertEqual(list(measured), group.step.values.tolist())
            np.testing.assert_allclose(list(measured.values()), group.values, rtol=1e-10)

    def test_a_slope_is_fitted_to_the_points(self):
        """Muon's excess loss falls as T^-2: the title says so and from which points, and beside it stands the prediction"""
        drawing, _ = draw("curves", "muon_scaling", "--value", "excess_loss", "--against", "run.steps", "--where", "classes.group_size=1.25e14",
                          "--fit")
        self.assertRegex(drawing.figure.axes[0].get_title(), r"\nslope \(predicted\), 257–2049, n\u00a0=\u00a04\nMuon −(1\.99\d|2\.00\d) ± \S+ \(−\1\)$")

    def test_a_fitted_slope_is_that_of_claims(self):
        """slope and interval of all plotted points, in title and CSV, equal those of `slope` in a claim on the same runs"""
        made("fit", "name = 'fit'\n[classes]\nspectrum = 'power_law'\ncount = 200\nexponent = 1.5\n[data]\nlabel_noise = 0.2\n"
                    "[run]\nsteps = 10\nrecord = {log = 10}\ndigits = 'off'\n[[optimizer]]\nrule = 'gd'\nstep_size = '1/p_max'\n"
                    "[sweep]\n'run.steps' = [10, 100, 1000, 10000]\n"
                    "[claim]\ntitle = 'fit'\n[[claim.finding]]\nid = 'all'\nat = 'last'\n"
                    "measured = 'slope(log(excess_loss), log(key(\"run.steps\")))'\nequals = -0.66238\nplus_minus = 1e-4\n"
                    "[[claim.curve]]\ntitle = 'c'\nat = 'last'\nx = 'key(\"run.steps\")'\nx_label = 'T'\ny = {excess = 'excess_loss'}\n")
        done = program("verify", "fit.toml", "-o", "verdict.h5", folder=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [check] = verdicts.open_report(folder / "verdict.h5").checks
        [finding] = check.findings
        [curve] = verdicts.draw_curves(check, argparse.Namespace(width=3)).figure.axes
        self.assertEqual((curve.get_xlabel(), curve.get_ylabel()), ("T", "excess"))
        drawing, _ = draw("curves", "fit", "--value", "excess_loss", "--against", "run.steps", "--fit")
        rows = [dict(zip(drawing.header, row)) for row in drawing.rows if row[3] == "measured"]
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual([row[name] for name in ("fit_from", "fit_to", "fit_points")], [10, 10000, 4])
            for name, known in (("slope", "measured"), ("slope_low", "low"), ("slope_high", "high")):
                self.assertAlmostEqual(row[name] / finding[known], 1, delta=1e-12)
        self.assertEqual(drawing.figure.axes[0].get_title(), "slope (predicted), 10–10000, n\u00a0=\u00a04\nGD −0.662 ± 0.52 (−0.662)")
        # A band below the curve, from end to end of the range, with the slope; the axes are logarithmic, so that it is straight.
        [axis] = drawing.figure.axes
        [band] = [line for line in axis.lines if line.get_label() == "fitted"]
        fitted = np.array([row[-4:-2] for row in drawing.rows if row[3] == "fitted"], float)
        np.testing.assert_array_equal(fitted, band.get_xydata())
        self.assertEqual((fitted[0, 0], fitted[-1, 0], axis.get_xscale(), axis.get_yscale()), (10, 10000, "log", "log"))
        np.testing.assert_allclose(np.diff(np.log(fitted[:, 1])) / np.diff(np.log(fitted[:, 0])), finding["measured"], rtol=1e-9)
        # From 100 on three points are left, from 1000 on no slope and no band.
        x, y = np.log(np.array([[row["run.steps"], row["value"]] for row in rows][1:]).T)
        for start, slope in (("100", np.polyfit(x, y, 1)[0]), ("1000", np.nan)):
            drawing, _ = draw("curves", "fit", "--value", "excess_loss", "--against", "run.steps", "--fit-from", start)
            row = dict(zip(drawing.header, drawing.rows[0]))
            np.testing.assert_allclose(row["slope"], slope, rtol=1e-9)
            self.assertEqual("fitted" in {row[3] for row in drawing.rows}, start == "100")
            self.assertEqual(row["fit_from"], float(start))

    def test_a_threshold_is_no_number_where_it_is_not_reached(self):
        """classes that some runs do not learn have no step in the CSV, which says in how many they are not learned"""
        result = made("thresholds", "name = 'thresholds'\n[classes]\nspectrum = 'power_law'\ncount = 12\nexponent = 1.2\n[data]\nmode = 'minibatch'\nbatch = 2\n"
                                    "[run]\nsteps = 40\nclasses = 'all'\n[[optimizer]]\nrule = 'gd'\nstep_size = 40.0\n[sweep]\nseed = {range = [0, 7]}\n")
        learned = (result.array("error").values[:, 0] < 0.1).any(axis=1)  # run, class
        counts = learned.sum(axis=0)
        self.assertTrue({7} < set(counts.tolist()))
        drawing, _ = draw("threshold", "thresholds")
        self.assertEqual(sorted(row[3] for row in drawing.rows), list(range(1, 13)))
        for row in drawing.rows:
            count = counts[round(row[3]) - 1]
            self.assertEqual(row[2], "reached" if count == 7 else f"not reached ({7 - count} of 7)")
            self.assertEqual(row[4] == "", count < 7)
        self.assertTrue(all(row[4] == "" or row[4] <= 40 for row in drawing.rows))
        written = drawing.save(folder / "thresholds.pdf")[1].read_text()
        self.assertNotIn(",60", written)
        drawing, _ = draw("threshold", "thresholds", "--runs", "thin")
        self.assertIn(f"not reached ({7 - counts[-1]} of 7)", {row[2] for row in drawing.rows})

    def test_a_band_of_ranks_is_that_of_all_its_classes(self):
        """or refused, with the way to have it; nodes of a quadrature are marked"""
        for name, classes in (("some", "[1, 2, \"last\"]"), ("every", '"all"'), ("nodes", '"groups"')):
            made(f"band_{name}", "name = 'band'\n[classes]\nspectrum = 'power_law'\ncount = 10000\nexponent = 1.0\n"
                 f"[run]\nsteps = 20\nclasses = {classes}\n[[optimizer]]\nrule = 'gd'\nstep_size = '1/p_max'\n")
        with self.assertRaisesRegex(rarefact.Error, "no class row has ranks 3 to 9999; run.classes = "):
            draw("curves", "band_some", "--value", "error", "--class", "rank:1-10000")
        every, _ = draw("curves", "band_every", "--value", "error", "--class", "rank:1-10000")
        nodes, _ = draw("curves", "band_nodes", "--value", "error", "--class", "rank:1-10000")
        right = rarefact.open(folder / "band_every.h5").array("error").values[0, 0].mean(axis=1)
        for drawing in (every, nodes):
            np.testing.assert_allclose([row[5] for row in drawing.rows if row[3] == "measured"], right, rtol=1e-9)
        self.assertIn("mean of ranks 1 to 10000", every.figure.axes[0].get_ylabel().replace("\n", " "))
        self.assertNotIn("≈", every.figure.axes[0].get_ylabel())
        self.assertIn("(≈: quadrature nodes)", nodes.figure.axes[0].get_ylabel().replace("\n", " "))

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

    def test_names_are_shown_as_they_are(self):
        """dollars are no mathematics, a name that begins with _ is in the legend"""
        names = ["$x^$", "costs 5$ or 6$", "_hidden", " a"]
        made("names", "name = 'names'\n[classes]\nspectrum = 'uniform'\ncount = 8\n[run]\nsteps = 20\n" + "".join(
                      f"[[optimizer]]\nrule = 'gd'\nname = '{name}'\nstep_size = {at + 1}\n" for at, name in enumerate(names)))
        drawing, _ = draw("losses", "names")
        self.assertEqual([text.get_text() for text in drawing.figure.legends[0].get_texts()], [*names, "predicted"])
        drawing.save(folder / "names.pdf")
        self.assertEqual([axis.get_title() for axis in draw("class_errors", "names")[0].figure.axes], [name.strip() for name in names])

    def test_a_sweep_is_drawn_against_a_key(self):
        """the largest gap along each run, with its prediction where that is known, and the first step below a threshold"""
        drawing, _ = draw("curves", "imbalance", "--value", "gap", "--over", "max", "--against", "classes.exponent")
        result = rarefact.open(folder / "imbalance.h5")
        for kind, name in (("measured", "gap"), ("predicted", "gap_predicted")):
            shown = {row[4]: row[5] for row in drawing.rows if row[:4] == ("embedding: identity", "gap", "gd", kind)}
            values = result[name].sel(optimizer="gd").max("step")[result.params["embedding.kind"] == "identity"]
            self.assertEqual(list(shown), values.param_classes_exponent.values.tolist())
            np.testing.assert_allclose(list(shown.values()), values.values, rtol=1e-10)
        self.assertEqual({row[2] for row in drawing.rows if row[:4:3] == ("embedding: noisy", "predicted")}, set())
        self.assertEqual(layout_problems(drawing.figure), [])
        of_s = [row[5] for row in drawing.rows]
        drawing, _ = draw("curves", "imbalance", "--value", "gap", "--over", "max", "--against", "classes.exponent", "--x", "2*s")
        self.assertEqual([row[5] for row in drawing.rows], of_s)
        self.assertEqual({row[4] for row in drawing.rows}, {2 * s for s in result.params["classes.exponent"]})
        drawing, _ = draw("curves", "imbalance", "--below", "0.5", "--against", "classes.exponent", "--where", "embedding.kind=noisy")
        self.assertEqual({type(float(row[5])) for row in drawing.rows}, {float})

    def test_every_rule_has_a_look_of_its_own(self):
        """dash and marker alone tell them apart, and every rule of the program has one"""
        looks = list(style.LOOKS.values())
        self.assertEqual(len({(str(dash), marker) for _, dash, marker in looks}), len(looks))
        self.assertEqual(len(set(style.RULES.values())), len(style.RULES))
        listed = program("list", "optimizers").stdout
        rules = {line.split()[0] for line in listed.splitlines() if line[:1].strip()} - {"formula"}
        self.assertEqual(rules, set(style.RULES))


class Seeds(unittest.TestCase):
    """Runs that differ in the seed alone: five runs for each of two exponents."""

    @classmethod
    def setUpClass(cls):
        cls.result = made("seeds", "name = 'seeds'\n[classes]\nspectrum = 'power_law'\nexponent = 1.2\ncount = 8\n[embedding]\nkind = 'gaussian'\ndimension = 12\n"
                                   "[run]\nsteps = 60\nclasses = 'all'\n[[optimizer]]\nrule = 'gd'\nstep_size = 20.0\n"
                                   "[[optimizer]]\nrule = 'muon'\nstep_size = 0.3\n"
                                   "[sweep]\nseed = {range = [0, 5]}\n'classes.exponent' = [1.1, 2.0]\n")
        cls.five = np.flatnonzero(cls.result.params["classes.exponent"] == 2)

    def test_they_share_a_curve_with_its_interval(self):
        """the mean of the five and Student's 95 % at every step, in the CSV and in the band; a legend that says so"""
        drawing, _ = draw("curves", "seeds", "--where", "classes.exponent=2", "--value", "error", "--class", "head")
        tail = self.result["error"].values[self.five, 1, :, 0]
        drawn = np.array([row[4:7] for row in drawing.rows if row[1:4] == ("error", "muon", "measured")])
        np.testing.assert_array_equal(drawn[:, 0], self.result.coords["step"])
        np.testing.assert_allclose(drawn[:, 1], tail.mean(axis=0), rtol=1e-9)
        np.testing.assert_allclose(drawn[:, 2], 2.776445 * tail.std(axis=0, ddof=1) / np.sqrt(5), rtol=1e-5)
        (axis,) = drawing.figure.axes
        blue = matplotlib.colors.to_rgba(style.LOOKS["blue"][0], 0.2)
        [band] = [each.get_paths()[0].vertices for each in axis.collections if tuple(each.get_facecolor()[0]) == blue]
        shown = drawn[drawn[:, 0] > 0]
        for edge in (shown[:, 1] + shown[:, 2], np.maximum(shown[:, 1] - shown[:, 2], shown[:, 1] / 100)):
            self.assertLessEqual(set(edge.round(12)), set(band[:, 1].round(12)))
        (legend,) = drawing.figure.legends
        self.assertIn("95 % interval of the mean of 5 seeds", [text.get_text() for text in legend.get_texts()])
        self.assertEqual(layout_problems(drawing.figure), [])

    def test_each_can_be_drawn_thin(self):
        """five lines for each optimizer, numbered in the CSV"""
        drawing, _ = draw("losses", "seeds", "--where", "classes.exponent=2", "--runs", "thin")
        (axis,) = drawing.figure.axes
        self.assertEqual(sum(line.get_label() == "Muon" for line in axis.lines), 5)
        self.assertEqual({row[7] for row in drawing.rows}, {0, 1, 2, 3, 4})
        self.assertEqual({row[6] for row in drawing.rows}, {""})

    def test_a_prediction_of_the_mean_over_samples_is_beside_means_alone(self):
        """of signs on batches, whatever seed draws the samples; not beside single runs"""
        for seed, kind in (("seed", "class_errors"), ("data.seed", "curves")):
            batches = made(
                "batches", "name = 'batches'\n[classes]\nspectrum = 'power_law'\nexponent = 1.2\ncount = 8\n[data]\nmode = 'minibatch'\nbatch = 4\n"
                           f"[run]\nsteps = 20\n[[optimizer]]\nrule = 'signgd'\nstep_size = 0.1\n[sweep]\n'{seed}' = {{range = [0, 5]}}\n")
            mean = batches["error_predicted_mean"].values[0, 0, :, -1]
            with self.subTest(kind, seed=seed):
                drawing, _ = draw(kind, "batches")
                predicted = [row[-3] for row in drawing.rows if "predicted" in row]
                np.testing.assert_allclose(predicted[-21:], mean, rtol=1e-9)
                drawing, _ = draw(kind, "batches", "--where", f"{seed}=1")
                self.assertEqual([row for row in drawing.rows if "predicted" in row], [])
                drawing, _ = draw(kind, "batches", "--runs", "thin")
                self.assertEqual([row for row in drawing.rows if "predicted" in row], [])
                self.assertEqual(len({row[-1] for row in drawing.rows}), 5)
            (folder / "batches.h5").unlink()

    def test_runs_of_one_sample_have_no_prediction_of_a_mean(self):
        """seeds that leave the samples alone, or change with another key: the figure does not compare one sample with the mean"""
        text = (folder / "batches.toml").read_text().partition("[sweep]")[0].replace("'batches'", "'one_sample'").replace("[run]", "seed = 7\n[run]")
        for sweep in ("seed = {range = [0, 5]}", "'classes.count, data.seed' = [[8, 1], [9, 2]]"):
            made("one_sample", f"{text}[sweep]\n{sweep}\n")
            drawing, _ = draw("curves", "one_sample")
            self.assertEqual([row for row in drawing.rows if "predicted" in row], [])
            (folder / "one_sample.h5").unlink()

    def test_every_kind_draws_them_together(self):
        """no run is picked out: the rows of each kind hold intervals, and other swept keys make panels"""
        for kind in ("class_errors", "losses", "threshold", "curves"):
            with self.subTest(kind):
                drawing, said = draw(kind, "seeds")
                self.assertEqual({row[0] for row in drawing.rows}, {"s = 1.1", "s = 2"})
                self.assertTrue(any(row[-2] not in ("", 0) for row in drawing.rows))
                self.assertEqual(said, "")
        drawing, _ = draw("gap", "seeds", "--where", "classes.exponent=2")
        gap = self.result["gap"].values[self.five, 1].mean(axis=0)
        np.testing.assert_allclose([row[5] for row in drawing.rows if row[2:4] == ("muon", "measured")], gap, rtol=1e-9)

    def test_optimizers_are_selected(self):
        """by --where optimizer=LABEL, by each kind; the look stays"""
        for kind in plot.KINDS:
            with self.subTest(kind):
                drawing, _ = draw(kind, "seeds", "--where", "classes.exponent=2", "--where", "optimizer=muon",
                                  *(["--rows", "optimizer", "--columns", "seed"] if kind == "heat_map" else []))
                place = drawing.header.index("optimizer") + (kind == "heat_map")
                self.assertEqual({row[place] for row in drawing.rows}, {"muon"})

    def test_a_heat_map_shows_steps_to_the_rarest_class_unasked(self):
        """the mean over seeds, how many get there, and with --sustained the last crossing instead of the first"""
        drawing, _ = draw("heat_map", "seeds")
        error, steps = self.result["error"].values[:, :, :, -1], self.result.coords["step"]
        first = [steps[(error[run, 1] < 0.1).argmax()] for run in self.five]
        cell = {(row[1], row[2]): row[3:5] for row in drawing.rows}[2.0, "muon"]
        self.assertAlmostEqual(cell[0], np.mean(first))
        self.assertFalse([row for row in drawing.rows if row[3] != row[3]])  # not reached: the text of the cell
        self.assertAlmostEqual(cell[1], 2.77645 * np.std(first, ddof=1) / np.sqrt(5), places=4)

    def test_what_has_no_room_is_named_with_what_fixes_it(self):
        """a key that would make too many panels; `all` draws the first case of such a sweep and says which"""
        with self.assertRaisesRegex(runs.Missing, r"imbalance.h5: 25 cases by classes.exponent, embedding.kind, and there is room for "
                                    r"6 cases; fix them by where=\{\"classes.exponent\": 1.1, \"embedding.kind\": \"identity\"\}$"):
            draw("curves", "imbalance")
        [(_, drawing, words, _)] = kinds.drawings(rarefact.open(folder / "imbalance.h5"), wanted=lambda kind: kind.name == "losses")
        self.assertEqual(words, ["--where", "classes.exponent=1.1", "--where", "embedding.kind=identity"])
        self.assertEqual(drawing.figure._suptitle.get_text(), "$s$ = 1.1, embedding: identity")
        kinds_of_two = ["--where", "embedding.kind=identity", "--where", "embedding.kind=noisy"]
        drawing, _ = draw("losses", "imbalance", "--where", "classes.exponent=1.1", *kinds_of_two)
        self.assertEqual([axis.get_title() for axis in drawing.figure.axes], ["embedding: identity", "embedding: noisy"])


class Papers(unittest.TestCase):
    """What a figure of a paper needs."""

    def texts(self, drawing):
        return [text.get_text() for text in drawing.figure.legends[0].get_texts()]

    def test_optimizers_have_their_names_in_papers(self):
        """in legends, titles and on the axes of a map; labels or own texts on request; the CSV has the labels"""
        drawing, _ = draw("gap", "gap_many_steps")
        self.assertEqual(self.texts(drawing), ["GD", "SignGD", "Muon", "predicted"])
        self.assertEqual({row[2] for row in drawing.rows}, {"gd", "signgd", "muon"})
        self.assertEqual([axis.get_title() for axis in drawing.figure.axes][0], "embedding: identity, 200\u00a0steps")
        drawing, _ = draw("gap", "gap_many_steps", "--names", "labels", "--names", "muon=Muon (ours)")
        self.assertEqual(self.texts(drawing), ["gd", "signgd", "Muon (ours)", "predicted"])
        drawing, _ = draw("class_errors", "class_errors")
        self.assertEqual([axis.get_title() for axis in drawing.figure.axes], ["GD", "NGD", "Adam", "SignGD", "Muon"])
        self.assertEqual((self.texts(drawing)[0], self.texts(drawing)[-2:]), ("group 1 (most frequent)", ["group 32 (rarest)", "predicted"]))
        self.assertEqual([style.fixed_text(*pair) for pair in (("optimizer.muon.step_size", 0.1), ("embedding.dimension", 8), ("classes.shift", 1))],
                         ["Muon step size = 0.1", "d = 8", "classes.shift = 1"])
        for given, part in (("lables", "got lables; expected papers, labels or LABEL=TEXT; did you mean labels"), ("moun=x", "did you mean muon")):
            with self.assertRaisesRegex(rarefact.Error, part):
                draw("gap", "gap_many_steps", "--names", given)

    def test_symbols_are_mathematics(self):
        """in titles and on axes, with numbers as they are read; names with dollars stay as they are"""
        drawing, _ = draw("curves", "muon_scaling", "--value", "excess_loss", "--against", "run.steps", "--where", "classes.group_size=1.25e14")
        [axis, *_] = drawing.figure.axes
        for text, shown in ((drawing.figure._suptitle, "$C$ = 1.25×10¹⁴"), (axis.title, "$s$ = 1.5"), (axis.xaxis.label, "$T$ (run.steps)"),
                            (axis.yaxis.label, "excess loss $L−L^*$ [nat]")):
            self.assertEqual((text.get_text(), text.get_parse_math()), (shown, True))
        self.assertEqual({row[0] for row in drawing.rows}, {"s = 1.5", "s = 2", "s = 3"})
        for key, value, shown in (("seed", "03", "3"), ("optimizer", "007", "007"), ("classes.shift", "-", "-"), ("x", "1-2", "1-2"), ("x", ".5e-7", "5×10⁻⁸")):
            self.assertEqual(style.fixed_text(key, value), f"{key} = {shown}")
        for text in ("a$ s = 1", "classes = 3", "loss of K", "Ls = 2"):
            self.assertEqual(style.mathematics(text), {"text": text, "parse_math": False})

    def test_axes_are_what_is_asked_for(self):
        """--log of either axis or none, --ylim; nonsense is refused"""
        for log in ("x", "y"):
            drawing, _ = draw("losses", "class_errors", "--log", log)
            [axis] = drawing.figure.axes
            self.assertEqual((axis.get_xscale() == "log", axis.get_yscale() == "log"), ("x" in log, "y" in log))
            self.assertEqual(layout_problems(drawing.figure), [])
        drawing, _ = draw("curves", "gap_many_steps", "--ylim", "1e-3,2")
        self.assertEqual({axis.get_ylim() for axis in drawing.figure.axes}, {(1e-3, 2.0)})
        self.assertEqual(plot.losses(folder / "class_errors.h5", ylim=(-1, 9), log="none").axes[0].get_ylim(), (-1, 9))
        for given in ("1", "2,1", "a,b", "1,2,3", "0,1"):
            with self.assertRaisesRegex(rarefact.Error, "ylim: got .*; expected (two|positive) numbers"):
                draw("losses", "class_errors", f"--ylim={given}")

    def test_expressions_are_drawn_as_variables_are(self):
        """a quotient of steps in a map, with a label; curves of the head; a mistake in one is a line"""
        drawing, _ = draw("heat_map", "imbalance", "--rows", "embedding.kind", "--columns", "classes.exponent", "--label", "tail over head",
                          "--value", "last(first_where(error < 0.1), class)/first(first_where(error < 0.1), class)")
        error = rarefact.open(folder / "imbalance.h5")["error"].sel(run=0, optimizer="gd").values
        first = [(error[:, row] < 0.1).argmax() for row in (0, -1)]
        self.assertEqual({row[:3]: row[3] for row in drawing.rows}["gd", "identity", 1.1], first[1] / first[0])
        self.assertEqual(drawing.figure.axes[-1].get_ylabel(), "tail over head")
        drawing, _ = draw("curves", "class_errors", "--value", "log(error)", "--class", "head")
        self.assertEqual(drawing.figure.axes[0].get_ylabel(), "log(error), head")
        with self.assertRaisesRegex(rarefact.Error, "eror"):
            draw("curves", "class_errors", "--value", "log(eror)")

    def test_panels_fill_their_rows(self):
        """three in one row at the width of a page and never as 2 + 1; five in a column in two rows; no figure is higher than a page"""
        scaling = ("curves", "muon_scaling", "--value", "excess_loss", "--against", "run.steps", "--fit", "--where", "classes.group_size=1.25e14")
        largest = ("curves", "imbalance", "--value", "gap", "--over", "max", "--against", "classes.exponent")
        for words, width, shape in some(((("gap", "gap_many_steps"), 5.5, (1, 3)), (("gap", "gap_many_steps"), 3.25, (1, 3)),
                                         (("class_errors", "class_errors"), 3.25, (2, 3)), (("class_errors", "class_errors"), 6.75, (1, 5)),
                                         (("heat_map", "imbalance"), 5.5, (2, 3)), (("heat_map", "imbalance"), 3.25, (5, 1)),
                                         (scaling, 5.5, (1, 3)), (scaling, 4.5, (3, 1)), (scaling, 3.25, (3, 1)), (largest, 6.75, (2, 3)),
                                         (largest, 3.25, (3, 2)))):
            drawing, _ = draw(*words, "--width", str(width))
            grid = drawing.figure.axes[0].get_subplotspec().get_gridspec()
            self.assertEqual((grid.nrows, grid.ncols), shape, (words, width))
            self.assertEqual(layout_problems(drawing.figure), [], (words, width))
            self.assertLess(drawing.figure.get_size_inches()[1], 9.5)

    def test_titles_do_not_squash_panels(self):
        """in a column, where titles and labels have several lines: axes are at least as high as half their width and 0.6 inches"""
        for kind, name in some((("gap", "gap_one_step"), ("class_errors", "class_errors"), ("heat_map", "imbalance"))):
            drawing, _ = draw(kind, name, "--width", "icml-column")
            drawing.settle()
            for axis in drawing.figure.axes:
                wide, high = axis.get_window_extent().size / drawing.figure.dpi
                self.assertGreater(high, max(0.6, wide / 2 if kind != "heat_map" else 0))

    def test_results_side_by_side_have_a_row_each(self):
        """with a panel for each kind of embeddings"""
        figure = plot.gap([folder / "gap_one_step.h5", folder / "gap_many_steps.h5"], width=6.75)
        self.assertEqual(len(figure.axes), 6)
        self.assertEqual(layout_problems(figure), [])

    def test_no_marker_hides_another(self):
        """three optimizers with the gap 0, at the same abscissas and along the steps: each has markers that can be seen"""
        for words in (["--value", "gap", "--over", "max", "--against", "classes.exponent"],
                      ["--value", "gap", "--where", "classes.exponent=1.5"]):
            drawing, _ = draw("curves", "imbalance", *words, "--where", "embedding.kind=identity")
            [axis] = drawing.figure.axes
            lines = [line for line in axis.lines if line.get_marker() not in ("", "None", None) and len(line.get_xdata())]
            self.assertEqual(len(lines), 5)
            seen = []
            for line in sorted(lines, key=lambda line: line.get_zorder()):
                for place in layout.markers_of(line):
                    near = [size for other, size in seen if (abs(other - place) < 0.005).all()]
                    self.assertTrue(not near or line.get_markerfacecolor() == "none" and line.get_markersize() >= min(near), words)
                seen += [(place, line.get_markersize()) for place in layout.markers_of(line)]


class Notebook(unittest.TestCase):
    def test_a_kind_is_a_function_that_returns_the_figure(self):
        """of a result or a path; options as the command has them; files where they are asked for; nothing of the notebook changes"""
        before = dict(matplotlib.rcParams)
        result = rarefact.open(folder / "imbalance.h5")
        one = plot.curves(result, value=["error", "gap"], where={"embedding.kind": "noisy", "classes.exponent": 1.5}, class_="max")
        other = plot.curves(folder / "imbalance.h5", value=["error", "gap"], where=["embedding.kind=noisy", "classes.exponent=1.5"],
                            class_="max", output=folder / "book" / "curves.svg", width="icml-column")
        self.assertIsInstance(one, matplotlib.figure.Figure)
        self.assertEqual([len(axis.lines) for axis in one.axes], [len(axis.lines) for axis in other.axes])
        self.assertEqual(sorted(path.name for path in (folder / "book").iterdir()), ["curves.csv", "curves.svg"])
        self.assertEqual(dict(matplotlib.rcParams), before)
        self.assertNotIn("matplotlib.pyplot", sys.modules)
        with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "none", "savefig.facecolor": "red"}):
            other.savefig(folder / "book" / "again.svg", metadata={"Date": None})
        self.assertEqual((folder / "book" / "again.svg").read_bytes(), (folder / "book" / "curves.svg").read_bytes())
        self.assertLessEqual({kind.name for kind in kinds.KINDS}, set(dir(plot)))
        self.assertIn("class_", plot.curves.__doc__)

    def test_mistakes_are_one_line_with_the_nearest_name(self):
        """of the kind, the option, its value, the variable, the class, the key, the result; what a figure lacks; the command says the same"""
        path = folder / "class_errors.h5"
        with self.assertRaisesRegex(AttributeError, "unknown kind of figure curvs; did you mean curves"):
            plot.curvs
        for kind, name, named, part in (
                ("curves", "class_errors", {"vaule": "loss"}, "no option vaule; did you mean value"),
                ("curves", "class_errors", {"runs": "all"}, "invalid choice: 'all'"),
                ("curves", "class_errors", {"value": "eror"}, "no variable eror; did you mean error"),
                ("curves", "class_errors", {"value": "engine"}, "value: engine has no steps"),
                ("curves", "class_errors", {"value": "push"}, "no variable push"),
                ("curves", "class_errors", {"class_": 99}, "class_: got .99.; expected head, tail, min, max, a row of class_group, 0 to 31"),
                ("losses", "class_errors", {"width": 99}, "width: got 99; expected icml-column"),
                ("heat_map", "class_errors", {"rows": "sed"}, "sed is not swept"),
                ("class_errors", "rho", {}, "2 steps with numbers are too few"),
                ("losses", "gap_many_steps", {"where": {"seed": 1}}, "seed is not swept; swept are embedding.kind"),
                ("losses", "gap_many_steps", {"where": {"optimizer": "muo"}}, "the optimizers are gd, .*; did you mean muon"),
                ("losses", "gap_many_steps", {"where": {"embedding.kind": "sphere"}}, "has the values identity, orthogonal"),
                ("curves", "muon_scaling", {"against": "run.stop"}, "swept are .*run.steps"),
                ("curves", "imbalance", {"against": "embedding.kind", "where": {"classes.exponent": 2}}, "has texts"),
                ("curves", "imbalance", {"over": "max"}, "they are for against=KEY"),
                ("heat_map", "muon_scaling", {"value": "loss"}, "fix it by where=")):
            with self.subTest(f"{kind} of {name} {named}"), self.assertRaisesRegex(rarefact.Error, part) as caught:
                getattr(plot, kind)(folder / f"{name}.h5", **named)
            self.assertNotIn("\n", str(caught.exception))
            self.assertEqual(caught.exception.code, 2)
            self.assertNotIsInstance(caught.exception, rarefact.NotAResult)
        with self.assertRaisesRegex(rarefact.Error, "got int; expected a result or the path"):
            plot.losses(3)
        for words, part in ((["curves", path, "--vaule", "loss"],
                             "error: rarefact plot curves: there is no option --vaule; did you mean --value?\n"),
                            (["curvs", path], 'error: unknown kind of figure "curvs"; the kinds are all, .*; did you mean curves?\n')):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(plot.main([str(word) for word in words]), 2)
            self.assertRegex(said.getvalue(), f"^{part.replace('?', '[?]')}$")


class BadInput(unittest.TestCase):
    def test_a_key_that_is_true_or_false_is_chosen_as_it_is_written(self):
        """by `plot all`, too; a single run has no interval"""
        result = made("push", "name = 'push'\n[classes]\nspectrum = 'power_law'\ncount = 8\nexponent = 1.5\n[run]\nsteps = 20\n[[optimizer]]\nrule = 'gd'\n"
                              "step_size = 1.0\n[sweep]\n'run.push, run.steps' = [[true, 20], [false, 30]]\n'classes.exponent' = [1.1, 1.3, 1.5, 2.0]\n")
        self.assertEqual(set(result.params["run.push"]), {"true", "false"})
        drawing, _ = draw("losses", "push", "--where", "run.push=true", "--where", "classes.exponent=1.5")
        self.assertEqual({row[4] for row in drawing.rows if row[3] == "measured"}, set(range(21)))
        drawn = {kind.name: words for kind, _, words, _ in kinds.drawings(result)}
        self.assertIn("losses", drawn)
        self.assertTrue({"run.push=true", "classes.exponent=1.1"} & set(drawn["losses"]))

    def test_results_without_digits_or_with_swept_rules_are_drawn(self):
        """label noise without gradient descent has no slope to name; a swept rule is not in the experiment; least squares has no gap"""
        head = ("name = 'odd'\n[classes]\nspectrum = 'power_law'\ncount = 110\nexponent = 1.5\n[data]\nlabel_noise = 0.05\n"
                "[run]\nsteps = 100\ndigits = 'off'\n[[optimizer]]\nname = 'o'\nrule = 'muon'\nstep_size = 0.3\n")
        for name, more in (("noisy", ""), ("rules", "[sweep]\n'optimizer.o.rule' = ['muon', 'gd']\n"),
                           ("squares", "[model]\nloss = 'least_squares'\n")):
            some = {"losses", "curves", "gap"}
            drawn = {kind.name for kind, *_ in kinds.drawings(made(name, head + more), wanted=lambda kind: kind.name in some)}
            self.assertEqual(drawn, some - ({"gap"} if name == "squares" else set()))
        self.assertEqual(layout.LogNumbers()(np.inf), "")  # matplotlib tries such a tick for losses near the largest double

    def test_a_diverged_run_is_named_and_drawn_as_far_as_it_goes(self):
        """one line; the other optimizer is whole"""
        result = made("diverged", "name = 'diverged'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[run]\nsteps = 50\n"
                                  "[[optimizer]]\nrule = 'momentum'\nstep_size = 1e308\n[[optimizer]]\nrule = 'muon'\nstep_size = 0.5\n")
        self.assertEqual([label for _, label, _, _ in result.incomplete], ["momentum"])
        drawing, said = draw("losses", "diverged")
        self.assertRegex(said, r"^\S+diverged\.h5: run 0, momentum: diverged after step \d+; drawn up to there\n$")
        self.assertIn("muon", {row[2] for row in drawing.rows})

    def test_what_has_no_digits_is_grey(self):
        """from the step on that `digits` names up to the last with any, with its own entry in the legend; before it nothing is"""
        made("grey", "name = 'grey'\n[classes]\nspectrum = 'power_law'\nexponent = 1.5\ncount = 8\n[data]\nlabel_noise = 0.1\n[run]\nsteps = 160\n"
                     "[[optimizer]]\nrule = 'muon'\nstep_size = 0.3\nmomentum = 0.9\n[[optimizer]]\nrule = 'signgd'\nstep_size = 0.1\n")
        [(_, label, status, step)] = rarefact.open(folder / "grey.h5").incomplete
        self.assertEqual((label, status), ("muon", "digits_lost"))
        for kind, lines in (("losses", 2), ("class_errors", 5)):
            with self.subTest(kind):
                drawing, said = draw(kind, "grey")
                self.assertRegex(said, rf"muon: fewer than 3 digits are left from step {step} on, drawn grey\n$")
                grey = [line for axis in drawing.figure.axes for line in axis.lines if line.get_label() == "fewer than 3 digits"]
                self.assertEqual(len(grey), lines)
                for line in grey:
                    self.assertEqual(line.get_color(), "0.75")
                    self.assertGreaterEqual(line.get_xdata()[1], step)
                    self.assertLessEqual(line.get_xdata()[-1], 160)

    def test_without_a_result_all_figures_and_reports_end_like_a_table(self):
        """3 without the file, 4 if it is no result; nothing is written"""
        (folder / "text.h5").write_text("text")
        for name, code in (("none.h5", 3), ("text.h5", 4)):
            for main, words in ((plot.main, ["all"]), (report.main, [])):
                said = io.StringIO()
                with self.subTest(f"{name} {words}"), contextlib.redirect_stderr(said):
                    self.assertEqual(main([*words, str(folder / name), "-o", str(folder / "never.html")]), code)
                self.assertRegex(said.getvalue(), rf"^error: \S+{name}: (no such file|not an HDF5 file)\n")
        self.assertEqual([*folder.glob("never*")], [])

    def test_a_file_that_is_no_result_is_left_out_and_the_others_drawn(self):
        """one line, exit code 4"""
        (folder / "text.h5").write_text("text")
        some = call("gap", "text.h5", "gap_one_step.h5", "-o", "some.svg")
        self.assertEqual((some.returncode, some.stderr), (4, "error: text.h5: not an HDF5 file\n"))
        self.assertTrue((folder / "some.svg").exists())


if __name__ == "__main__":
    unittest.main()
