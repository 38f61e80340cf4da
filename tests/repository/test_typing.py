"""The types and texts of the Python package, for editors and type checkers."""

import inspect
import re
import subprocess
import sys
import unittest

from project import ROOT, packages, scratch_folder

sys.path.insert(0, str(ROOT / "analysis"))
with packages():
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import mypy  # noqa: F401
    import rarefact as rf

# What a checker infers in the program of a user, and what it refuses.
USER = '''import rarefact as rf
reveal_type(rf.run({"name": "a"}, jobs=2))
reveal_type(rf.run("a.toml", shard=(0, 2)))
reveal_type(rf.sweep("a.toml", {"seed": [1]}).done)
reveal_type(rf.open("a.h5").names)
rf.run("a.toml", job=2)
rf.run("a.toml", jobs="two")
rf.open("a.h5").table(belw=0.1)
'''


def public():
    """Name -> function, for the functions of the package and the methods of its classes."""
    for name in rf.__all__:
        one = getattr(rf, name)
        if inspect.isclass(one) and one in (rf.Result, rf.Sweep):
            yield f"{name}()", one
            yield from ((f"{name}.{method}", part) for method, part in vars(one).items()
                        if method[0] != "_" and inspect.isfunction(part))
        elif inspect.isfunction(one):
            yield name, one
    yield from ((f"plot.{name}", getattr(rf.plot, name)) for name in rf.plot.KINDS)


class Typing(unittest.TestCase):
    def test_mypy_finds_no_mistake(self):
        """in the package, whose public functions are annotated; a user's mistakes are found by its annotations"""
        self.assertTrue((ROOT / "analysis/rarefact/py.typed").exists())
        folder = scratch_folder(self.addCleanup)
        (folder / "user.py").write_text(USER, encoding="utf-8")
        run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", folder / "cache",
                              "--no-color-output", "-p", "rarefact", "-m", "user"],
                             cwd=ROOT / "analysis", env={"MYPYPATH": str(folder)}, capture_output=True, text=True)
        lines = run.stdout.splitlines()
        self.assertRegex(lines[-1], "^Found 3 errors in 1 file ", run.stdout + run.stderr)
        for number, part in enumerate(("rarefact.result.Result", "dict[", "int", "list[", '"run" matches', '"run" matches', '"belw"'), 2):
            self.assertTrue(any(f"user.py:{number}: " in line and part in line for line in lines), (number, part, run.stdout))

    def test_every_argument_is_annotated_and_documented(self):
        """of each function and method that a user calls: a line that begins with its name"""
        found = dict(public())
        self.assertLessEqual({"run", "open", "list", "Sweep()", "Result()", "Result.table", "Sweep.partial", "plot.curves"}, set(found))
        for name, one in found.items():
            text = inspect.getdoc(one) or ""
            self.assertTrue(text, name)
            arguments = [argument for argument in inspect.signature(one).parameters.values() if argument.name != "self"]
            for argument in arguments:
                self.assertRegex(text, rf"(?m)^ *{re.escape(argument.name)} {{2,}}\S", name)
                self.assertIsNot(argument.annotation, inspect.Parameter.empty, f"{name}: {argument.name}")


if __name__ == "__main__":
    unittest.main()
