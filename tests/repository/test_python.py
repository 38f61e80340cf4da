"""The Python package: experiments as dicts, runs and sweeps, answers of the program, and what it says when something is wrong."""

import contextlib
import copy
import fractions
import hashlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import unittest
from pathlib import Path
from unittest import mock

from project import PROGRAM, ROOT, needs_program, packages, scratch_folder, stored_points

sys.path.insert(0, str(ROOT / "analysis"))
import rarefact as rf  # noqa: E402

with packages():
    import h5py
    import numpy as np
    import pandas
    import xarray  # noqa: F401

FACTS = {"name": "facts", "classes": {"spectrum": "grouped_power_law", "groups": 6, "group_size": 100, "exponent": 1.5},
         "run": {"steps": 20, "digits": "off"},
         "optimizer": [{"rule": "gd", "step_size": 100.0}, {"rule": "muon", "step_size": 0.5}]}
AXES = {"classes.exponent": rf.linspace(1, 2, 3), "seed": range(2)}
# Points of some hundredths of a second each.
SLOW = FACTS | {"name": "slow", "classes": FACTS["classes"] | {"groups": 48}, "run": {"steps": 120, "digits": "off"}}
SLOW_AXES = {"classes.exponent": rf.linspace(1, 2, 5), "seed": range(4)}


def setUpModule():
    needs_program()


class InFolder(unittest.TestCase):
    """Tests in a folder of their own, with the program under test first on PATH."""

    def setUp(self):
        folder, before = scratch_folder(self.addCleanup), os.getcwd()
        (folder / "bin").mkdir()
        (folder / "bin" / "rarefact").symlink_to(Path(PROGRAM).resolve())
        self.addCleanup(os.chdir, before)
        os.chdir(folder)
        patch = mock.patch.dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
        patch.start()
        self.addCleanup(patch.stop)

    def refused(self, call, *parts):
        """The Error of the call: one line with the parts."""
        with self.assertRaises(rf.Error) as caught:
            call()
        self.assertNotIn("\n", str(caught.exception))
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return caught.exception

    def still_running(self):
        """The programs of this test that have not ended."""
        lines = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                lines.append(path.read_bytes())
        return [line for line in lines if line.startswith(f"{os.getcwd()}/bin/rarefact".encode())]

    def python(self, code, **more):
        return subprocess.Popen([sys.executable, "-B", "-c", code], env=os.environ | {"PYTHONPATH": str(ROOT / "analysis")},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


class Experiments(InFolder):
    def test_what_is_written_is_read_back(self):
        """every experiment of the project, odd texts and keys: TOML of the dict, parsed, is the dict"""
        for path in sorted((ROOT / "experiments").rglob("*.toml")):
            e = rf.load(path)
            self.assertEqual(tomllib.loads(rf.toml(e)), e, path)
        odd = {"name": 'a "b"\\\n\t\x7fß漢', "run": {"x.y": 1, "": [], "p": Path("a/b")},
               "sweep": {("a", "b.c"): [(1, 0.5)], "seed": range(2, 4)},
               "optimizer": [{"state": {"m": "0"}, "f": -0.0, "big": 10**20}]}
        read = {"name": odd["name"], "run": {"x.y": 1, "": [], "p": "a/b"}, "sweep": {"a, b.c": [[1, 0.5]], "seed": [2, 3]},
                "optimizer": [{"state": {"m": "0"}, "f": -0.0, "big": 1e20}]}
        self.assertEqual(tomllib.loads(rf.toml(odd)), read)

    def test_numbers_of_other_packages_keep_their_value(self):
        """NumPy's floats of all sizes, whole numbers, truth values and arrays; pandas, xarray, Fraction; exactly or not at all"""
        for given, wanted in ((np.float32(0.1), 0.10000000149011612), (np.float16(0.1), 0.0999755859375), (np.int8(-3), -3),
                              (np.uint64(2**63), 2.0**63), (np.bool_(True), True), (np.array(2.5), 2.5), (np.str_("gd"), "gd"),
                              (np.linspace(0, 1, 3, dtype=np.float32), [0.0, 0.5, 1.0]), (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
                              (np.array([0.1], np.float32), [0.10000000149011612]), (pandas.Series([1, 2]), [1, 2]),
                              (xarray.DataArray([0.5]), [0.5]), (fractions.Fraction(1, 4), 0.25), (np.longdouble(0.5), 0.5),
                              ([np.float32(0.1), 1], [0.10000000149011612, 1])):
            (read,) = tomllib.loads(rf.toml({"x": given})).values()
            self.assertEqual((read, type(read)), (wanted, type(wanted)), given)
        self.refused(lambda: rf.toml({"x": fractions.Fraction(1, 3)}), "x: 1/3 is no double; the nearest is 0.333")
        self.refused(lambda: rf.toml({"x": 2**80 + 1}), "is no double")
        if np.finfo(np.longdouble).eps < 1e-17:
            self.refused(lambda: rf.toml({"x": np.longdouble(1) / 3}), "is no double")

    def test_a_rule_as_formulas_is_a_dict_of_dicts(self):
        """NorMuon appended to the optimizers, its parameter swept; a mistake is an Error with the formula's line and column"""
        e = copy.deepcopy(FACTS)
        rule = dict(rule="formula", name="normuon", step_size=0.1, param={"mu": np.float32(0.5)},
                    state={"m": "mu*m + G", "v": "0.95*v + 0.05*rowmean(o**2)"},
                    let={"o": "polar(m)", "q": "o / (sqrt(v) + 1e-10)"}, direction="norm(o)/norm(q) * q")
        e["optimizer"].append(rule)
        self.assertIn('\nparam.mu = 0.5\nstate.m = "mu*m + G"\n', rf.toml(e))
        self.assertEqual(tomllib.loads(rf.toml(e)), e)
        r = rf.run(e, "formula.h5", override={"run.spectral_metrics": "off"})
        self.assertEqual(r.incomplete, [])
        self.assertIn("normuon: answers: permutations only, because of rowmean(o**2)", r.attributes["rules"])
        grid = rf.sweep(e, {"optimizer.normuon.param.mu": [0.0, 0.5]}, "mu.h5", progress=False).result()
        error = grid["error"].sel(optimizer="normuon", step=20)[:, -1].values
        self.assertEqual(error[1], r["error"].sel(run=0, optimizer="normuon", step=20)[-1])
        self.assertNotEqual(error[0], error[1])
        wrong = copy.deepcopy(e)
        wrong["optimizer"][2]["let"]["o"] = "polr(m)"
        error = self.refused(lambda: rf.run(wrong, "none.h5"), "there is no function 'polr'; did you mean polar?")
        line = rf.toml(wrong).split("\n").index('let.o = "polr(m)"') + 1
        self.assertEqual((error.line, error.problems[0].column, error.code), (line, 10, 2))
        self.assertFalse(Path("none.h5").exists())
        wrong["optimizer"][2]["let"] = {"o": None}
        self.refused(lambda: rf.run(wrong, "none.h5"), "optimizer.let.o: got None")

    def test_what_has_no_place_in_an_experiment_is_named(self):
        """None, a set, a complex number, an object, a key that is no text, half a character: one line with the key"""
        for item in (None, {1}, 1j, object(), b"gd"):
            error = self.refused(lambda: rf.toml({"run": {"steps": item}}), "run.steps: got ", "expected a number")
            self.assertEqual((error.key, error.code, error.line), ("run.steps", 2, None))
        self.assertEqual(self.refused(lambda: rf.toml({"seed": None}), "got None").hint, "leave the key out for its default")
        self.refused(lambda: rf.toml({1: 2}), "got a int as a key")
        self.refused(lambda: rf.toml({"name": "\ud800"}), "name: '\\ud800' cannot be written in UTF-8")
        self.refused(lambda: rf.run(42), "experiment: got a int; expected a dict or the path of a TOML file")
        ring = {"run": {}}
        ring["run"]["x"] = ring
        for call, part in ((lambda: rf.run(ring), "run: holds itself"), (lambda: rf.run("a\0.toml"), "got 'a\\x00.toml'"),
                           (lambda: rf.run(FACTS, b"a.h5"), "got b'a.h5'"), (lambda: rf.open(b"a.h5"), "got b'a.h5'"),
                           (lambda: rf.load("a\0"), "without NUL"), (lambda: rf.info("\ud800.h5"), "half characters"),
                           (lambda: rf.run(FACTS, override=[1]), "override: got a list"), (lambda: rf.verify(override={"seed": 2}), "override: changes"),
                           (lambda: rf.sweep(FACTS, [1]), "axes: got a list"),
                           (lambda: rf.run(FACTS, program="r\0"), "got 'r\\x00'")):
            self.refused(call, part)
        self.assertEqual(os.listdir(), ["bin"])

    def test_an_experiment_remembers_where_its_paths_start(self):
        """copies of a loaded experiment, too; results start at the working folder"""
        Path("deep").mkdir()
        Path("deep/counts.tsv").write_text("word\tcount\na\t5\nb\t3\nc\t1\n")
        Path("deep/own.toml").write_text(rf.toml(FACTS | {"name": "own", "classes": {"spectrum": "file", "path": "counts.tsv"}}))
        e = rf.load("deep/own.toml")
        for one in (e, e.copy(), copy.copy(e), copy.deepcopy(e), e | {"seed": 3}):
            self.assertEqual(one.folder, str(Path("deep").resolve()))
        self.assertEqual(rf.run(e, "here.h5").path, "here.h5")
        self.assertEqual(rf.run(e).path, "results/own.h5")
        self.assertEqual(rf.run("deep/own.toml").path, "results/own.h5")
        self.assertEqual(rf.sweep("deep/own.toml", {"seed": [1, 2]}, "both.h5").result().params["seed"].tolist(), [1, 2])
        more = rf.sweep("deep/own.toml", {"seed": [1, 2, 3]}, "more.h5", reuse=rf.open("both.h5"))
        self.assertEqual((more._job.told["plan"]["done"], len(more.result().coords["run"])), (2, 3))
        self.assertEqual(rf.sweep("deep/own.toml", {"seed": [1]}, override={"name": "swept"}).result().path, "results/swept.h5")
        self.assertEqual(sorted(path.name for path in Path("deep").iterdir()), ["counts.tsv", "own.toml"])
        self.refused(lambda: rf.run(dict(e), "there.h5"), f"{os.getcwd()}/counts.tsv: no such file")

    def test_a_file_that_is_no_experiment_is_named(self):
        """missing, a folder, no UTF-8, no TOML: with line and column"""
        self.assertEqual(self.refused(lambda: rf.load("none.toml"), "none.toml: no such file; rarefact.init()").code, 3)
        Path("bad.toml").write_text("name = 'x'\nseed = = 1\n")
        error = self.refused(lambda: rf.load("bad.toml"), "bad.toml:2:8: ")
        self.assertEqual((error.line, error.problems[0].file), (2, "bad.toml"))
        Path("bytes.toml").write_bytes(b"name = '\xff'")
        self.refused(lambda: rf.load("bytes.toml"), "bytes.toml: not a text in UTF-8")
        self.refused(lambda: rf.load("bin"), "bin: Is a directory")


class Runs(InFolder):
    def test_a_run_gives_its_result(self):
        """of a dict, of a path; xarray and pandas objects with names, coordinates and units; the same call again opens it"""
        r = rf.run(FACTS, output="mine.h5")
        self.assertEqual((r.path, repr(r)), ("mine.h5", "<Result mine.h5: 1 run, 2 optimizer, 21 step, 6 class_group>"))
        whole = r.xarray()
        self.assertEqual((whole.error.dims, whole.loss.attrs["units"]), (("run", "optimizer", "step", "class_group"), "nat"))
        self.assertEqual(whole.loss.sel(run=0, optimizer="muon", step=20).item(), r["loss"].values[0, 1, 20])
        frame = r.dataframe("error", "error_predicted")
        self.assertEqual(list(frame.columns), ["run", "optimizer", "step", "class_group", "error", "error_predicted"])
        self.assertEqual(len(frame), 2 * 21 * 6)
        self.assertIn("excess_loss", r.dataframe().columns)
        written = Path("mine.h5").stat().st_mtime_ns
        self.assertEqual(rf.run(FACTS, output="mine.h5").attributes["values_sha256"], r.attributes["values_sha256"])
        self.assertEqual(Path("mine.h5").stat().st_mtime_ns, written)
        Path("facts.toml").write_text(rf.toml(FACTS))
        self.assertEqual(rf.run("facts.toml").path, "results/facts.h5")
        self.assertEqual(Path("results/facts.h5").read_bytes(), Path("mine.h5").read_bytes())
        self.assertEqual(rf.open("mine.h5").xarray().identical(whole), True)

    def test_bands_are_read_by_name(self):
        """Result.xarray() and dataframe(): a band is the plain mean of its classes"""
        bands = {"many": "rank <= 3", "few": "rank > 9"}
        r = rf.run(FACTS | {"classes": {"spectrum": "power_law", "count": 12, "exponent": 1.0},
                            "run": {"steps": 5, "digits": "off", "bands": bands}}, "bands.h5")
        seen = r.xarray()
        self.assertEqual(list(seen.band.values), ["many", "few", "medium"])
        for band, classes in {"many": slice(0, 3), "few": slice(9, 12), "medium": slice(3, 9)}.items():
            np.testing.assert_allclose(seen.band_error.sel(band=band), seen.error[..., classes].mean("class_group"), rtol=1e-12)
        rows = r.dataframe("band_error")
        self.assertEqual(len(rows), 2 * 6 * 3)
        self.assertEqual(set(rows["band"]), {"many", "few", "medium"})

    def test_values_can_be_put_over_an_experiment(self):
        """set= of a dict and of a file, by dotted keys, numbers exactly; the result has them"""
        r = rf.run(FACTS, override={"name": "other", "optimizer.muon.step_size": np.float32(0.3), "run.record": [0, 20]})
        self.assertEqual((r.path, r["step_size"].values[0, 1]), ("results/other.h5", float(np.float32(0.3))))
        self.assertEqual(r.coords["step"].tolist(), [0, 20])

    def test_mistakes_have_key_line_and_hint(self):
        """all at once; of a file with its line, of a dict with that of its text; code 2 and nothing written"""
        bad = FACTS | {"run": {"stepz": 20}, "optimizer": [{"rule": "mun", "step_size": 1}]}
        with self.assertRaises(rf.Error) as caught:
            rf.run(bad)
        error = caught.exception
        self.assertEqual(error.code, 2)
        rule = next(problem for problem in error.problems if problem.key == "optimizer.rule")
        self.assertEqual((rule.hint, rule.file), ("muon", "rarefact.toml(experiment)"))
        self.assertIn('"mun"', rf.toml(bad).splitlines()[rule.line - 1])
        self.assertIn("run.stepz", {problem.key for problem in error.problems})
        Path("bad.toml").write_text(rf.toml(bad))
        with self.assertRaises(rf.Error) as caught:
            rf.run("bad.toml")
        self.assertEqual({(problem.file, problem.line, problem.key) for problem in caught.exception.problems},
                         {("bad.toml", problem.line, problem.key) for problem in error.problems})
        self.assertRegex(str(caught.exception), r"(?m)^bad.toml:\d+:\d+: optimizer.rule: got ")
        error = self.refused(lambda: rf.sweep(FACTS, {"classes.exponnt": [1]}), "exponnt")
        self.assertIn("exponent", error.hint)
        self.assertEqual(self.refused(lambda: rf.run("none.toml"), "none.toml").code, 3)
        self.refused(lambda: rf.run(FACTS, override={"run.steps": 0}), "run.steps")
        self.refused(lambda: rf.run(FACTS, jobs=0), "jobs: ", "expected an integer >= 1")
        self.assertEqual(sorted(os.listdir()), ["bad.toml", "bin"])

    def test_what_ends_badly_says_so(self):
        """a run that diverges is in incomplete, and with strict an Error with code 1; the end of max_time one with code 75"""
        wild = {"name": "wild", "classes": {"spectrum": "uniform", "count": 4}, "run": {"steps": 50},
                "optimizer": [{"rule": "momentum", "step_size": 1e308}]}
        with self.assertWarnsRegex(UserWarning, "momentum diverged"):
            r = rf.run(wild, "wild.h5")
        self.assertEqual([row[2] for row in r.incomplete], ["diverged"])
        Path("wild.h5").unlink()
        with self.assertWarns(UserWarning):
            error = self.refused(lambda: rf.run(wild, "wild.h5", strict=True), "wild.h5 is written", "Result.incomplete")
        self.assertEqual(error.code, 1)
        long = SLOW | {"run": {"steps": 10**8, "record": "log", "digits": "off"}}
        error = self.refused(lambda: rf.run(long, max_time="1s"), "stopped (max_time): the same call continues")
        self.assertEqual(error.code, 75)

    def test_the_progress_is_a_line_a_bar_or_a_call(self):
        """events reach a function; a terminal's line is no wider than it and leaves nothing; files get nothing"""
        seen = []
        rf.run(SLOW | {"run": {"steps": 4000, "digits": "off"}}, "long.h5", progress=seen.append)
        self.assertTrue(seen)
        self.assertEqual({(event["event"], event["steps"]) for event in seen}, {("progress", 4000)})
        with self.assertRaises(ZeroDivisionError):
            rf.run(SLOW | {"run": {"steps": 10**8, "record": "log", "digits": "off"}}, "endless.h5", progress=lambda event: 1 / 0)
        self.assertEqual(self.still_running(), [])
        from rarefact import progress
        self.assertEqual(progress.line({"optimizer": "gd", "step": 10, "steps": 200}), "[#.......................] gd 10 of 200 steps")
        with mock.patch("sys.stderr", io.StringIO()) as err, mock.patch.dict(os.environ, COLUMNS="30"):
            self.assertIsInstance(progress.bar(True), progress.Quiet)
            err.isatty = lambda: True
            bar = progress.bar(True)
            bar.show({"optimizer": "gd", "step": 10, "steps": 200})
            bar.close("")
            self.assertEqual(err.getvalue(), "\r[#.......................] gd\x1b[K\r\x1b[K")
        self.assertIsInstance(progress.bar(False), progress.Quiet)

    def test_an_interrupted_run_goes_on(self):
        """Ctrl-C stops the program, which says how to go on; the same call finishes, to the same bytes"""
        code = (f"import rarefact as rf\nprint('begun', flush=True)\n"
                f"rf.run({SLOW | {'sweep': SLOW_AXES}!r}, 'slow.h5', jobs=2)\nprint('done')")
        def points():
            return len(stored_points("slow.h5.points"))
        stopped = 0
        for _ in range(3):
            process, before = self.python(code), points()
            process.stdout.readline()
            while points() == before and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertEqual(self.still_running(), [])
            if Path("slow.h5").exists():
                break
            self.assertRegex(err, r"KeyboardInterrupt: stopped.*the same call continues")
            stopped += points() > before
        self.assertGreaterEqual(stopped, 1)
        r = rf.run(SLOW | {"sweep": SLOW_AXES}, "slow.h5")
        self.assertEqual(len(r.coords["run"]), 20)
        rf.run(SLOW | {"sweep": SLOW_AXES}, "again.h5")
        self.assertEqual(Path("again.h5").read_bytes(), Path("slow.h5").read_bytes())


class Sweeps(InFolder):
    def test_a_sweep_is_watched_while_it_runs(self):
        """the number of points grows; what is not there is NaN and missing; at the end it is the result"""
        def holes(part):
            missing = (part.status == "missing").all("optimizer")
            np.testing.assert_array_equal(part.loss.isnull().all(("optimizer", "step")), missing)
            self.assertEqual(part.param_seed.values.tolist(), [0, 1, 2, 3] * 5)
            return int(missing.sum())

        e = SLOW | {"sweep": SLOW_AXES}
        rf.run(e, "grid.h5", shard=(0, 4))
        self.assertEqual(holes(rf.merge(e, "grid.h5", partial=True).xarray()), 15)
        s = rf.sweep(SLOW, SLOW_AXES, output="grid.h5", jobs=1)
        counts = []
        for done in s.watch():
            counts.append(done)
            part = s.partial()
            self.assertLessEqual(holes(part), 20 - done)
        self.assertEqual(counts, sorted(set(counts)))
        self.assertEqual((counts[-1], holes(part)), (20, 0))
        self.assertTrue(s.finished)
        self.assertEqual(repr(s), "<Sweep grid.h5: finished, 20 points done>")
        whole = s.result().xarray()
        self.assertTrue(part.identical(whole))
        grid = s.partial(grid=True)
        self.assertEqual(dict(grid.loss.sizes), {"optimizer": 2, "step": 121, "param_classes_exponent": 5, "param_seed": 4})
        place = grid.loss.sel(param_classes_exponent=1.25, param_seed=3)
        self.assertEqual(place.values.tolist(), whole.loss.isel(run=7).values.tolist())
        self.assertEqual(list(s.watch()), [20])

    def test_a_table_of_a_sweep_is_a_frame(self):
        """by swept keys and optimizers, with several values; mistakes are those of rarefact table"""
        s = rf.sweep(FACTS, AXES, output="grid.h5")
        frame = s.table(rows="classes.exponent", columns="optimizer", value="error", below=0.1)
        self.assertEqual((frame.index.name, frame.index.tolist()), ("classes.exponent", [1, 1.5, 2]))
        self.assertEqual(set(frame["muon", "n"]), {2})
        r = s.result()
        self.assertEqual(r.table(rows="optimizer,classes.exponent", columns="step", value="loss", at=[0, 20]).shape, (6, 6))
        axis = {"rows": "classes.exponent,optimizer", "value": "loss"}
        self.assertTrue(r.table(**axis, at=[]).equals(r.table(**axis)))
        frame = r.table(rows=["classes.exponent", "seed"], value="loss", where={"optimizer": "gd", "seed": np.arange(2)})
        self.assertEqual((frame.index.names, len(frame)), (["classes.exponent", "seed"], 6))
        np.testing.assert_allclose(frame.iloc[:, 0], r["loss"].sel(optimizer="gd", step=20), rtol=1e-12)
        frame = r.table(rows="seed", columns="classes.exponent,optimizer", value=["loss", "gap"], at=20)
        self.assertEqual(frame.columns.names, ["classes.exponent", "optimizer", "value"])
        np.testing.assert_allclose(frame[1.5, "muon", "gap"], r["gap"].sel(optimizer="muon", step=20)[2:4], rtol=1e-12)
        named = FACTS | {"optimizer": [{"rule": "gd", "name": name, "step_size": 1.0} for name in ("001", "NA", "1e3")]}
        r = rf.sweep(named, {"embedding.kind": ["orthogonal", "identity"], "seed": [2, 1]}, "labels.h5").result()
        self.assertEqual(r.table(value="loss", where={"embedding.kind": "identity", "seed": 1}).index.tolist(), ["001", "NA", "1e3"])
        self.assertEqual(r.table(rows="embedding.kind", columns="optimizer", value="loss").index.tolist(), ["orthogonal", "identity"])
        grid = r.xarray(grid=True)
        self.assertEqual((grid.param_embedding_kind.values.tolist(), grid.param_seed.values.tolist()), (["orthogonal", "identity"], [2, 1]))
        self.refused(lambda: r.table(value="loss", where={"seed": []}), "where: seed")
        self.refused(lambda: s.table(rows="classes.exponet", columns="optimizer", value="error"), "classes.exponet")
        self.refused(lambda: s.table(rows="classes.exponent", columns="optimizer,seed", value="eror"), "eror")

    def test_a_table_is_read_from_json(self):
        """texts with commas and quotes, whole numbers, an interval without an end; a mistake has its key"""
        odd = FACTS | {"optimizer": [{"rule": "gd", "name": name, "step_size": 1.0} for name in ('a,"b"', "007", " c")]}
        r = rf.run(odd, "odd.h5")
        self.assertEqual(r.table(columns="optimizer", rows="step", at=[0, 20]).columns.tolist(), ['a,"b"', "007", " c"])
        self.assertEqual(str(r.table(value="class_count", rows="class", columns="optimizer").dtypes.unique()), "[dtype('int64')]")
        told = {"description": "d", "value": "v", "average": "median", "row_keys": ["k"], "row_heads": [[1], [2]], "column_keys": [], "column_heads": [[]],
                "number": [[13], [None]], "text": [["13 [10, >40]"], ["diverged"]], "runs": [[5], [5]], "low": [[10], [None]], "high": [[None], [None]]}
        with mock.patch("rarefact.program.ask", return_value=told):
            frame = r.table()
        self.assertEqual((frame.columns.tolist(), frame.loc[1].tolist()), (["median", "low", "high", "n"], [13, 10, np.inf, 5]))
        self.assertEqual((frame["median"][2], frame["high"].isna().tolist()), ("diverged", [False, True]))
        self.assertIn("at: ", self.refused(lambda: r.table(at=3.5)).problems[0].message)

    def test_a_sweep_that_is_there_is_only_opened(self):
        """the same call again gives the same result at once; without axes those of the experiment are swept"""
        rf.sweep(FACTS, AXES).result()
        s = rf.sweep(FACTS | {"sweep": AXES})
        self.assertEqual((list(s.watch()), s.done, s.output), ([6], 6, "results/facts.h5"))
        self.assertEqual(s.status()["done"], 6)
        self.assertEqual(rf.sweep(FACTS, output="one.h5").result().coords["run"].tolist(), [0])

    def test_a_sweep_that_is_stopped_or_killed_goes_on(self):
        """stop() ends watch quietly and result() with code 75; kill -9 is named; finished points are not computed again"""
        s = rf.sweep(SLOW, SLOW_AXES, "grid.h5", jobs=1)
        for done in s.watch():
            if done >= 4:  # all seeds of the first exponent
                s.stop()
        self.assertEqual((s.running, s.finished), (False, False))
        error = self.refused(s.result, "stopped", "the same call continues")
        self.assertEqual(error.code, 75)
        kept = s.status()
        self.assertGreaterEqual(kept["done"], done)
        self.assertEqual(kept["done"] + kept["missing"], 20)
        s.partial()
        rf.plot.curves("grid.h5.points/partial.h5", against="classes.exponent", below=0.9)  # points that are missing are not drawn
        s = rf.sweep(SLOW, SLOW_AXES, "grid.h5", jobs=1)
        self.assertEqual(s.done, kept["done"])
        s._job.process.kill()
        self.refused(s.result, "rarefact was ended by SIGKILL; the same call continues")
        self.assertEqual(len(rf.sweep(SLOW, SLOW_AXES, "grid.h5").result().coords["run"]), 20)

    def test_a_sweep_ends_with_python(self):
        """a script that does not wait is told so; its points are kept"""
        process = self.python(f"import rarefact as rf\ns = rf.sweep({SLOW!r}, {SLOW_AXES!r}, 'grid.h5', jobs=1)\nnext(s.watch())\n")
        _, err = process.communicate(timeout=60)
        self.assertRegex(err, r"^grid.h5: stopped with Python, \d+ points are stored; result\(\) would have waited\n$")
        self.assertGreater(rf.status(SLOW | {"sweep": SLOW_AXES}, "grid.h5")["done"], 0)
        endless = SLOW | {"run": {"steps": 10**9, "record": "log", "digits": "off"}}
        for end in (signal.SIGKILL, signal.SIGTERM):
            process = self.python(f"import rarefact as rf\ns = rf.sweep({endless!r}, {{'seed': [1]}}, 'long.h5')\nprint(1, flush=True)\ns.result()\n")
            process.stdout.readline()
            self.assertTrue(self.still_running())
            process.send_signal(end)
            process.communicate(timeout=60)
            for _ in range(500):
                if not self.still_running():
                    break
                time.sleep(0.01)
            self.assertEqual(self.still_running(), [])


class Answers(InFolder):
    def test_the_program_answers(self):
        """plan, status, info, check, explain, list, schema, version, init"""
        told = rf.plan(FACTS)
        self.assertEqual([row["optimizer"] for row in told["engines"]], ["gd", "muon"])
        self.assertFalse(Path("results").exists())
        r = rf.run(FACTS)
        self.assertEqual(rf.info(r)["title"], "facts")
        self.assertEqual(rf.info(r)["values_sha256"], r.attributes["values_sha256"])
        self.assertEqual([row["sound"] for row in rf.check(r, "results/facts.h5")], [True, True])
        self.assertEqual(rf.explain("run.steps")[0]["key"], "run.steps")
        self.assertIn("muon", rf.list("optimizers").dataframe().name.tolist())
        self.assertIn("properties", rf.schema())
        self.assertRegex(rf.version(), r"rarefact \d")
        self.assertEqual(tomllib.loads(Path(rf.init("first")).read_text())["name"], "first")
        self.refused(lambda: rf.explain("run.stepz"), "run.stepz")
        self.refused(lambda: rf.list("optimisers"), "optimizers")
        self.refused(lambda: rf.info("none.h5"), "none.h5")
        self.refused(lambda: rf.init("first"), "first.toml")
        Path("damaged.h5").write_bytes(Path("results/facts.h5").read_bytes()[:-100])
        self.assertEqual([row["sound"] for row in rf.check([r, "damaged.h5"], "none.h5")], [True, False, False])

    def test_statements_are_verified(self):
        """by pattern; a line for each finding"""
        found = rf.verify(["wang2025/one-step-[gs]*d", "li2026/muon-noisy"], quick=True)
        self.assertEqual([row["id"] for row in found], ["wang2025/one-step-gd", "wang2025/one-step-signgd-coupled",
                                                       "wang2025/one-step-signgd-decoupled", "li2026/muon-noisy"])
        frame = found.dataframe()
        self.assertEqual(frame.id.tolist(), [row["id"] for row in found for _ in row["findings"]])
        self.assertLessEqual({"id", "statement_verdict", "quantity", "measured", "published"}, set(frame.columns))
        self.refused(lambda: rf.verify("wang2025/none"), "wang2025/none")

    def test_a_result_says_what_it_does_not_have(self):
        """a variable, an optimizer, a class, a step: one line with the nearest or those there are"""
        r = rf.run(FACTS)
        for call, part in ((lambda: r["eror"], "no variable eror; did you mean error?"),
                           (lambda: r["colour"], "no variable colour; rarefact.info lists those of the file"),
                           (lambda: r.dataframe("los"), "no variable los; did you mean loss?"),
                           (lambda: r.table(value="los"), 'no variable "los"; did you mean loss?')):
            self.assertEqual((self.refused(call, part).code, type(self.refused(call))), (2, rf.Error))
        Path("text.h5").write_text("text")
        Path("folder.h5").mkdir()
        with h5py.File("other.h5", "w") as file:
            file["x"] = [1.0]
        for name, part in (("none", "no such file"), ("text", "not an HDF5 file"), ("other", "not a result file"),
                           ("folder", "not a plain file")):
            self.assertIsInstance(self.refused(lambda: rf.open(f"{name}.h5"), f"{name}.h5: {part}"), rf.NotAResult)

    def test_a_file_of_another_version_or_without_its_texts_is_no_result(self):
        """a schema version of the future, a variable without a name, an experiment that is not TOML; the checksum is right"""
        for name, change, part in (("version", lambda file: file.attrs.modify("schema_version", 99), "its schema version is 99"),
                                   ("name", lambda file: file["loss"].attrs.pop("long_name"), "the variable loss lacks its long_name"),
                                   ("text", lambda file: file.attrs.modify("experiment", "name = "), "its experiment is not TOML")):
            shutil.copy(rf.run(FACTS).path, f"{name}.h5")
            with h5py.File(f"{name}.h5", "r+") as file:
                change(file)
            digest = hashlib.sha256(Path(f"{name}.h5").read_bytes()).hexdigest()
            Path(f"{name}.h5.sha256").write_text(f"{digest}  {name}.h5\n")
            self.assertIsInstance(self.refused(lambda: rf.open(f"{name}.h5"), part), rf.NotAResult)


class Missing(InFolder):
    def test_the_program_is_found(self):
        """named, on PATH, in the installation the package belongs to; else one line says what to do"""
        installed = Path("prefix/share/rarefact/analysis")
        shutil.copytree(ROOT / "analysis" / "rarefact", installed / "rarefact", ignore=shutil.ignore_patterns("__pycache__"))
        code = "import rarefact as rf\ntry: print(rf.version())\nexcept rf.Error as error: print(error.code, error)"

        def asked(**more):
            done = subprocess.run([sys.executable, "-B", "-c", code], env={"PYTHONPATH": str(installed), "PATH": "/nowhere"} | more,
                                  capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            return done.stdout
        self.assertRegex(asked(), r"^3 the program rarefact is not on PATH and not built; build it with scripts/quickstart, or name it")
        self.assertRegex(asked(PATH=os.environ["PATH"]), r"^rarefact \d")
        Path("prefix/bin").mkdir()
        Path("prefix/bin/rarefact").symlink_to(Path(PROGRAM).resolve())
        self.assertRegex(asked(), r"^rarefact \d")
        self.refused(lambda: rf.version(program="none/rarefact"), "none/rarefact: no such program")
        for call in (lambda: rf.run(FACTS, program="true"), lambda: rf.info("x.h5", program="true")):
            self.refused(call, "the program ended with exit code 0 and no answer; is it rarefact?")
        self.assertEqual(rf.version(program=Path(PROGRAM)), rf.version())
        self.assertEqual(rf.run(FACTS, program="prefix/bin/rarefact").path, "results/facts.h5")

    def test_the_pyproject_lists_every_package(self):
        """a wheel has all folders with modules, and the version is that of the program"""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        folders = {path.parent.relative_to(ROOT / "analysis") for path in (ROOT / "analysis" / "rarefact").rglob("*.py")}
        self.assertEqual(sorted(".".join(folder.parts) for folder in folders), sorted(project["tool"]["setuptools"]["packages"]))
        self.assertIn(project["project"]["version"], rf.version())

    def test_a_package_that_is_not_there_is_one_line(self):
        """importing and running need none; h5py, pandas, xarray and matplotlib are named where they are used"""
        code = f"""import sys
absent = {{"h5py", "numpy", "pandas", "xarray", "matplotlib", "IPython"}}
sys.modules.update(dict.fromkeys(absent))
import rarefact as rf
def line(call):
    try: call()
    except rf.Error as error: print(error)
line(lambda: rf.run({FACTS!r}))
def give(*names):
    for name in names: del sys.modules[name]
give("h5py", "numpy")
r = rf.open("results/facts.h5")
for call in (r.dataframe, r.xarray, r.table, lambda: rf.plot.class_errors(r)): line(call)
"""
        process = self.python(code)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertEqual(re.findall(r"^the Python package (\w+) is missing \(Debian: apt-get install python3-\1; else: pip install \1\)$",
                                    out, re.MULTILINE), ["h5py", "pandas", "xarray", "pandas", "matplotlib"], out)
        self.assertEqual(len(out.splitlines()), 5)


class Page(InFolder):
    def test_the_page_about_python_runs(self):
        """the blocks of docs/python-and-cpp.md, one after the other, with the outputs shown there and the figure"""
        page = (ROOT / "docs" / "python-and-cpp.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        process = self.python("\n".join(blocks))
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, err), (0, ""), err)
        shown = re.findall(r"```python\n(?:.(?!```))*.```\n\n```\n(.*?)```", page, re.DOTALL)
        self.assertGreater(len(shown), 3)
        for part in shown:
            self.assertIn(part, re.sub(r" +\n", "\n", out))
        self.assertTrue(Path("class_errors.pdf").exists())


if __name__ == "__main__":
    unittest.main()
