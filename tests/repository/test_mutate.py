"""scripts/mutate: what it changes and what it leaves alone. The mutants themselves are run by hand."""

import importlib.machinery
import importlib.util
import unittest

from project import ROOT


loader = importlib.machinery.SourceFileLoader("mutate", str(ROOT / "scripts/mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)


def mutated(text):
    """Every mutant of a text, as texts."""
    return sorted(text[:at] + new + text[at + len(old) :] for at, old, new in mutate.changes(text))


class Changes(unittest.TestCase):
    def test_operators_comparisons_and_constants_are_changed_one_at_a_time(self):
        """each kind of mutant"""
        for text, expected in {
            "a + b": ["a - b"],
            "a < b": ["a <= b", "a > b"],
            "a == b": ["a != b"],
            "a && !b": ["a && b", "a || !b"],
            "f(-x)": ["f(x)"],
            "x *= y": ["x /= y"],
            "std::max(a, b)": ["std::min(a, b)"],
            "return true;": ["return false;"],
            "n = 24;": ["n = 25;"],
            "x = 0.5;": ["x = 0.25;", "x = 1.0;"],
            "x = 1e-8;": ["x = 2e-08;", "x = 5e-09;"],
            "x = 0.0;": ["x = -1.0;", "x = 1.0;"],
        }.items():
            self.assertEqual(mutated(text), expected, text)

    def test_what_is_no_code_of_its_own_is_left_alone(self):
        """comments, texts, preprocessor lines, templates, static_asserts, pointers, digits of names"""
        for text in ["// a + 1", "/* 1 */", '"a + 1"', "'+'", "#if A > 1", "static_assert(a + 1 == b);", 'R"(a + 1)"',
                     "template <int N>", "std::vector<double> x;", "const double* x", "Real50 x2;", "p->q", "operator==(x)"]:
            self.assertEqual(mutated(text), [], text)

    def test_the_same_seed_draws_the_same_mutants_of_all_rooms(self):
        """and there are thousands"""
        first, again, other = mutate.mutants(ROOT, 1), mutate.mutants(ROOT, 1), mutate.mutants(ROOT, 2)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertGreater(len(first), 3000)
        self.assertEqual({m["file"].split("/")[1] for m in first}, set(mutate.SEEN_BY))
        for mutant in first[:200]:
            line = (ROOT / mutant["file"]).read_text(encoding="utf-8").split("\n")[mutant["line"] - 1]
            self.assertTrue(line[mutant["column"] - 1 :].startswith(mutant["old"]), mutant)


if __name__ == "__main__":
    unittest.main()
