"""docs/how-to.md: its NumPy does what the program does."""

import ast
import re
import tomllib
import unittest

from project import ROOT, needs_program, packages, ran, scratch_folder, text_of

with packages():
    import h5py
    import numpy as np

PAGE = "docs/how-to.md"
RULES = ROOT / "experiments" / "rules"
STEPS = 10
# At 0.1 the errors of averaged Shampoo are rounding after a step: its first one is 20/p_l.
STEP_SIZES = {"shampoo_averaged": 1e-4}
FILE = """name = "{name}"
[classes]
spectrum = "power_law"
count = 12
exponent = 1.5
[run]
steps = {steps}
classes = "all"
digits = "off"
[[optimizer]]
rule = "formula"
step_size = {step_size}
{definitions}
"""


def notebook():
    """The block of the page: its helpers and memory, and the training loop below them."""
    block = next(block for block in re.findall(r"^```python\n(.*?)^```", text_of(PAGE), re.DOTALL | re.MULTILINE) if "def polar" in block)
    at = block.index("W, m, v, mu =")
    return block[:at], block[at:]


class Pasted(ast.NodeTransformer):
    """A formula as one pastes it: ema and decay become states with a name, prev(m) the value that was kept."""

    def __init__(self, lines, started):
        self.lines, self.started = lines, started

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.id
        if name == "prev":
            return ast.Name(f"old_{node.args[0].id}", ast.Load())
        if name not in ("ema", "decay"):
            return node
        value, keep = map(ast.unparse, node.args)
        state = f"a{len(self.started)}"
        self.started.append(state)
        self.lines.append(f"{state} = {keep}*{state} + {f'(1 - {keep})' if name == 'ema' else '1'}*({value})")
        return ast.Name(state, ast.Load())


def pasted(optimizer):
    """The definitions of an optimizer as lines of Python, each after those it needs, and the states that start at 0."""
    formulas = {**optimizer.get("let", {}), **optimizer.get("state", {}), "D": optimizer["direction"]}
    states, lines, started = optimizer.get("state", {}), [], []
    done = set()

    def write(name):
        if name in done:
            return
        done.add(name)
        tree = ast.parse(formulas[name], mode="eval")
        old = {id(call.args[0]) for call in ast.walk(tree) if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "prev"}
        for part in ast.walk(tree):
            if isinstance(part, ast.Name) and part.id in formulas and part.id != name and id(part) not in old:
                write(part.id)
        text = ast.unparse(Pasted(lines, started).visit(tree))
        lines.append(f"{name} = {text}")

    for name in formulas:
        write(name)
    return [*(f"old_{name} = {name}" for name in states), *lines], [*states, *started]


def in_numpy(optimizer, step_size=0.1):
    """Errors of every class after the steps, by the helpers of the page."""
    lines, states = pasted(optimizer)
    page = {}
    exec(notebook()[0], page)
    # Its own p and K stay what they are where a rule has parameters of that name; with identity embeddings T is G.
    names = page | {"ambient": lambda value: value} | optimizer.get("param", {}) | dict.fromkeys(states, 0.0)
    W = np.zeros((12, 12))
    errors = [page["error"](W)]
    for t in range(1, STEPS + 1):
        gradient = page["gradient"](W)
        names |= {"t": t, "W": W, "G": gradient, "T": gradient}
        exec("\n".join(lines), names)
        W = W - step_size*names["D"]
        errors.append(page["error"](W))
    return np.array(errors)


def definitions_of(text):
    """The lines of an experiment file that say its rule."""
    return "\n".join(line for line in text.splitlines() if re.match(r"(param|state|let)\.|direction", line))


class Formulas(unittest.TestCase):
    def setUp(self):
        needs_program()

    def test_a_formula_pasted_into_numpy_gives_the_steps_of_the_program(self):
        """the block of the page, and the formulas of all rules without eigenbases, on the dense engine and the chosen one"""
        folder, compared = scratch_folder(self.addCleanup), 0
        for path in sorted(RULES.glob("*.toml")):
            text = path.read_text(encoding="utf-8")
            if re.search(r"\b(eigenbasis|top)\(", text):
                continue
            step_size = STEP_SIZES.get(path.stem, 0.1)
            expected = in_numpy(tomllib.loads(text)["optimizer"][0], step_size)
            file = folder / f"{path.stem}.toml"
            file.write_text(FILE.format(name=path.stem, steps=STEPS, step_size=step_size, definitions=definitions_of(text)))
            for engine in ("dense", "auto"):
                with self.subTest(f"{path.stem} on {engine}"):
                    result = folder / f"{path.stem}_{engine}.h5"
                    ran("run", file, "--set", f"run.engine={engine}", "-o", result, "--progress", "none")
                    with h5py.File(result) as stored:
                        found = stored["error"][0, 0]
                    np.testing.assert_allclose(found, expected, rtol=1e-9)
                    compared += 1
        self.assertGreaterEqual(compared, 22)

    def test_the_block_of_the_page_is_what_its_own_experiment_does(self):
        """NorMuon by hand, line by line: the same errors after ten steps as the formulas of the file that the page begins with"""
        names, printed = {}, []
        names["print"] = printed.append
        exec("".join(notebook()), names)
        text = re.search(r"<!-- file: normuon.toml -->\n```toml\n(.*?)```", text_of(PAGE), re.DOTALL)[1]
        expected = in_numpy(tomllib.loads(text)["optimizer"][0])
        np.testing.assert_allclose(printed[0], expected[-1], rtol=1e-12)
        self.assertTrue((expected[-1] < expected[0]).all())


if __name__ == "__main__":
    unittest.main()
