"""The Python package as in a notebook: a cell that is changed and run again, what a result shows of itself, completion, parts of a sweep."""

import ast
import builtins
import inspect
import pickle
import re
import unittest
from pathlib import Path

from project import ROOT, packages
from test_python import AXES, FACTS, SLOW, SLOW_AXES, InFolder, rf, setUpModule  # noqa: F401

with packages():
    import h5netcdf  # noqa: F401
    import numpy as np
    import xarray

THREE = {"classes.exponent": [1, 2], "run.steps": [5, 20], "data.label_noise": [0.0, 0.1]}
WARM = FACTS | {"classes": FACTS["classes"] | {"exponent": 2.0}}


class Outputs(InFolder):
    def test_a_changed_experiment_gets_a_file_of_its_own(self):
        """under the same name: dicts, files, overrides, sweeps; each call again opens its own result"""
        paths = [rf.run(e).path for e in (FACTS, WARM, FACTS, WARM)]
        self.assertEqual((paths[0], paths[:2]), ("results/facts.h5", paths[2:]))
        self.assertRegex(paths[1], r"^results/facts-[0-9a-f]{8}\.h5$")
        self.assertEqual(rf.open(paths[1]).experiment["classes"]["exponent"], 2)
        Path("facts.toml").write_text(rf.toml(WARM))
        self.assertEqual(rf.run("facts.toml").path, paths[1])
        self.assertEqual(rf.run(FACTS, override={"classes.exponent": 2.0}).path, paths[1])
        self.assertEqual(rf.run(rf.load("facts.toml")).path, paths[1])
        swept = [rf.sweep(e, AXES).result().path for e in (FACTS, WARM | {"seed": 3}, FACTS)]
        self.assertEqual(len({*swept, *paths}), 4 if swept[0] != swept[1] else 3)
        self.assertEqual(swept[0], swept[2])

    def test_points_of_another_sweep_are_left_alone(self):
        """of one that is stopped and of one that runs, under the same name; both come to their end"""
        s = rf.sweep(SLOW, SLOW_AXES, jobs=1)
        next(s.watch())
        other = rf.sweep(SLOW | {"classes": SLOW["classes"] | {"group_size": 50}}, SLOW_AXES, jobs=1)
        self.assertEqual((s.output, other.output[:13]), ("results/slow.h5", "results/slow-"))
        s.stop()
        later = rf.sweep(SLOW | {"classes": SLOW["classes"] | {"group_size": 20}}, {"seed": [1]})
        self.assertEqual(later.result().path[:13], "results/slow-")
        self.assertEqual(len({s.output, other.output, later.output}), 3)
        self.assertEqual([len(one.result().coords["run"]) for one in (rf.sweep(SLOW, SLOW_AXES), other)], [20, 20])

    def test_no_message_names_an_option_of_the_command_line(self):
        """refusals of runs, tables and figures, and an output of another experiment"""
        r = rf.run(FACTS, "mine.h5")
        grid = rf.sweep(FACTS, AXES, "grid.h5").result()
        for call, part in ((lambda: rf.run(WARM, "mine.h5"), "move it away or choose another output="),
                           (lambda: rf.run(FACTS, "a.h5", jobs=0), "jobs: got"),
                           (lambda: rf.run(FACTS, "a.h5", shard=(0, 2)), "shard: the experiment has no"),
                           (lambda: rf.run(FACTS, "a.h5", reuse=r), "reuse: the experiment has no"),
                           (lambda: rf.run(FACTS, "a.h5", max_time="soon"), "max_time"),
                           (lambda: rf.run(FACTS | {"sweep": AXES}, "a.h5", shard=3), 'shard: got "3"; expected i/n'),
                           (lambda: rf.merge(FACTS, "a.h5"), "merge: the experiment has no [sweep]; rarefact.run writes its result"),
                           (lambda: rf.verify("nope"), 'no check is called "nope"; rarefact.list("theorems") has them all'),
                           (lambda: rf.plot.losses(r, log="z"), "rarefact.plot.losses: log: invalid choice: 'z'"),
                           (lambda: rf.run(FACTS, "a.h5", override={"run.stepz": 1}), 'override={"run.stepz": 1}: '),
                           (lambda: rf.run(FACTS | {"sweep": AXES}, "a.h5", shard="3/2"), "shard: got"),
                           (lambda: r.table(at=17.5), "at: "), (lambda: r.table(value="error", class_=[3, 4]), "class_ is given"),
                           (lambda: r.table(over="max", at=3), "omit at, below"), (lambda: r.table(sustained=True), "it is for below=X"),
                           (lambda: grid.table(value="loss"), "put each on rows or columns, or fix it with where"),
                           (lambda: rf.plot.curves(grid, against="seeds"), "against seeds: "),
                           (lambda: rf.plot.curves(r, at=3), "at, over and below: they are for against"),
                           (lambda: rf.plot.curves(r, flor=1), "no option flor; did you mean floor?"),
                           (lambda: rf.plot.heat_map(rf.sweep(FACTS, THREE, "three.h5").result()), "fix it by where={")):
            with self.subTest(part):
                error = self.refused(call, part)
            for text in (str(error), *(problem.message for problem in error.problems)):
                self.assertIsNone(re.search(r"(?<!\w)--?[a-z]|rarefact [a-z]", text.replace("- ", "")), text)
        with self.assertRaises(rf.Error) as caught:
            rf.merge(FACTS | {"sweep": AXES}, "b.h5")
        self.assertTrue(str(caught.exception).endswith("\nrarefact.run computes them"), str(caught.exception))

    def test_nothing_in_a_signature_has_the_name_of_a_builtin(self):
        """of all functions of the package"""
        for path in (ROOT / "analysis").rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                    named = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                    self.assertEqual([name for name in named if hasattr(builtins, name)], [], f"{path}:{node.lineno}")


class Parts(InFolder):
    def test_parts_of_a_sweep_are_joined(self):
        """run by part, merged to the bytes of a whole run; before the end the missing points are listed or left out"""
        e = FACTS | {"sweep": AXES}
        rf.run(e, "whole.h5")
        told = rf.run(e, "parts.h5", shard=(0, 3))
        self.assertEqual((told["done"], told["missing"], told["result"]), (2, 4, "not there yet"))
        with self.assertRaisesRegex(rf.Error, "4 of 6 points missing") as caught:
            rf.merge(e, "parts.h5")
        self.assertEqual(caught.exception.code, 4)
        part = rf.merge(e, "parts.h5", partial=True)
        self.assertEqual((part.path, sum(row[2] == "missing" for row in part.incomplete)), ("parts.h5.points/partial.h5", 8))
        for i in (1, 2):
            rf.run(e, "parts.h5", shard=f"{i}/3")
        self.assertEqual(rf.merge(e, "parts.h5").path, "parts.h5")
        self.assertEqual(Path("parts.h5").read_bytes(), Path("whole.h5").read_bytes())
        self.assertEqual(rf.merge(e, "parts.h5", partial=True).path, "parts.h5")
        rf.run(e, shard=(0, 1))
        self.assertEqual(rf.merge(e).path, "results/facts.h5")
        more = FACTS | {"sweep": AXES | {"seed": range(3)}}
        events = []
        rf.run(more, "more.h5", reuse=["whole.h5"], progress=events.append)
        self.assertTrue(all(event["points"] == 9 and event["done"] >= 6 for event in events), events)


class Shown(InFolder):
    def test_a_result_shows_itself(self):
        """problem, engines with reasons, a picture, notes; text from a file is no tag; without matplotlib the text does"""
        wild = FACTS | {"name": "<b>wild", "classes": {"spectrum": "uniform", "count": 4}, "data": {"label_noise": 0.0},
                        "run": {"steps": 50}, "optimizer": [{"rule": "momentum", "step_size": 1e308}]}
        with self.assertWarns(UserWarning):
            r = rf.run(wild, "wild.h5")
        page = r._repr_html_()
        for part in ("&lt;b&gt;wild", "(wild.h5)", "frequencies: uniform; K = 4; embedding: identity; 50 steps",
                     "<td>momentum</td>", "diverged after step", "<li>"):
            self.assertIn(part, page)
        self.assertNotIn("<b>wild", page)
        swept = rf.sweep(FACTS, AXES).result()._repr_html_()
        for part in ("embedding: identity; 20 steps; s: 1, 1.5, 2; seed: 0, 1", "data:image/svg+xml;base64,"):
            self.assertIn(part, swept)
        more = {"init": {"kind": "gaussian", "scale": 0.1}, "embedding": {"query": {"kind": "gaussian", "dimension": 9}, "answer": {"kind": "orthogonal"}},
                "data": {"mode": "minibatch", "batch": 8, "label_noise": 0.2}}
        self.assertIn("query embedding: gaussian; embedding.query.dimension = 9; answer embedding: orthogonal; start: gaussian; "
                      "init.scale = 0.1; data: minibatch; α = 0.2; B = 8; 20 steps", rf.run(FACTS | more, "more.h5")._repr_html_())
        with unittest.mock.patch.dict("sys.modules", {"rarefact.pages.card": None}):
            self.assertIsNone(r._repr_html_())

    def test_variables_and_figures_are_completed(self):
        """attributes of a result, also of one that is copied to another process; kinds of figures with their options"""
        r = rf.run(FACTS, "mine.h5")
        self.assertTrue(r.loss.identical(r["loss"]))
        self.assertTrue(pickle.loads(pickle.dumps(r)).loss.identical(r.loss))
        missing = rf.errors.MissingPackage("h5py")
        self.assertEqual(str(pickle.loads(pickle.dumps(missing))), str(missing))
        self.assertLessEqual({*r.names, "table", "xarray"}, set(dir(r)))
        self.assertEqual(r._ipython_key_completions_(), r.names)
        with self.assertRaisesRegex(AttributeError, "mine.h5: no variable los; did you mean loss?"):
            r.los
        self.assertFalse(hasattr(r, "weights"))
        stored = rf.run(FACTS | {"classes": {"spectrum": "power_law", "count": 6, "exponent": 1.5}, "run": {"steps": 3, "weights": True, "engine": "dense"}},
                        "weights.h5")
        self.assertEqual((stored.weights.dims, stored.weights.shape), (("run", "optimizer", "output", "input"), (1, 2, 6, 6)))
        self.assertEqual(len(frame := stored.dataframe("weights")), 2 * 6 * 6)
        self.assertEqual(frame.query("optimizer == 'muon' and output == 2 and input == 4").weights.item(), stored.weights.values[0, 1, 2, 4])
        np.testing.assert_allclose(np.linalg.norm(stored.weights, axis=(2, 3)), stored.weight_frobenius_norm.sel(step=3), rtol=1e-12)
        self.assertEqual(dir(rf), sorted(rf.__all__))
        self.assertEqual(dir(rf.plot), ["class_errors", "curves", "gap", "heat_map", "losses", "threshold"])
        self.assertEqual(dir(rf.plot), [getattr(rf.plot, name).__name__ for name in dir(rf.plot)])
        self.assertLessEqual({"result", "output", "value", "width", "class_", "fit"}, set(inspect.signature(rf.plot.curves).parameters))
        with self.assertRaisesRegex(AttributeError, "unknown kind of figure curve; did you mean curves?"):
            rf.plot.curve

    def test_numbers_go_to_netcdf_and_zarr(self):
        """all variables and the grid of a sweep, by both writers of NetCDF; what is read back is the same"""
        r = rf.sweep(FACTS, AXES).result()
        for name, whole in (("all", r.xarray()), ("grid", r.xarray(grid=True))):
            writers = [(f"{name}_{engine}.nc", lambda path, engine=engine: whole.to_netcdf(path, engine=engine),
                        lambda path, engine=engine: xarray.load_dataset(path, engine=engine)) for engine in ("h5netcdf", "netcdf4")]
            try:
                import zarr  # noqa: F401
                writers.append((f"{name}.zarr", whole.to_zarr, lambda path: xarray.open_zarr(path).load()))
            except ModuleNotFoundError:
                pass
            for path, write, read in writers:
                write(path)
                back = read(path)
                self.assertEqual(set(back.variables), set(whole.variables), path)
                for variable in ("loss", "error", "engine", "param_seed", "optimizer", "status"):
                    self.assertEqual(back[variable].dims, whole[variable].dims)
                    np.testing.assert_array_equal(back[variable].values, whole[variable].values, path)
                self.assertEqual(back.loss.attrs["units"], "nat")
                self.assertEqual(back.attrs["values_sha256"], whole.attrs["values_sha256"])


if __name__ == "__main__":
    unittest.main()
