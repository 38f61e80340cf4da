"""The schema of rarefact explain --schema allows every experiment of the project, and refuses what is certainly wrong."""

import json
import tomllib
import unittest

from project import ROOT, needs_program, packages, rarefact

with packages():
    import jsonschema


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        schema = json.loads(rarefact("explain", "--schema").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_every_experiment_is_allowed(self):
        """all files below experiments/ but those that claims include"""
        files = [file for file in sorted((ROOT / "experiments").rglob("*.toml")) if "\nname = " in file.read_text(encoding="utf-8")]
        self.assertGreater(len(files), 30)
        for file in files:
            with self.subTest(file.name):
                self.assertEqual([error.message for error in self.validator.iter_errors(tomllib.loads(file.read_text(encoding="utf-8")))], [])

    def test_what_is_certainly_wrong_is_refused(self):
        """unknown keys and tables, wrong types, names that are none, numbers out of bounds, axes without values"""
        good = tomllib.loads((ROOT / "experiments" / "scale" / "zipf_at_scale.toml").read_text(encoding="utf-8"))

        self.assertTrue(self.validator.is_valid(good))
        formula = {"rule": "formula", "step_size": 0.1, "param": {"mu": 0.9}, "state": {"m": "mu*m + G"}, "direction": "m"}
        self.assertTrue(self.validator.is_valid({**good, "optimizer": [formula]}))
        rule = good["optimizer"][0]
        for table, value in (("runs", {}), ("run", {"stepz": 3}), ("run", {"steps": "many"}), ("run", {"steps": 0}),
                             ("classes", {"spectrum": "zipf"}), ("data", {"label_noise": 1.0}), ("data", {"label_noise": -0.1}),
                             ("optimizer", [{**rule, "rule": "muno"}]), ("optimizer", {"rule": "gd"}),
                             ("optimizer", [{**rule, "param": 3}]), ("optimizer", [{**rule, "param": {"mu": "0.9"}}]),
                             ("optimizer", [{**rule, "param": {"m-u": 0.9}}]), ("optimizer", [{**rule, "let": {"o": 1}}]),
                             ("embedding", {"query": {"kinds": "identity"}}), ("sweep", {"seed": []}),
                             ("sweep", {"seed": {"range": [1]}}), ("sweep", {"seed": 3})):
            bad = {**good, table: {**good.get(table, {}), **value} if isinstance(value, dict) and table != "optimizer" else value}
            self.assertFalse(self.validator.is_valid(bad), f"{table} = {value!r}")


if __name__ == "__main__":
    unittest.main()
