"""A layer includes only layers to its left:

    core -> algebra -> model -> { optim, theory, metrics } -> sim -> io -> verify -> cli
"""

import os
import re
import tempfile
import unittest
from pathlib import Path

from project import ROOT

BELOW_RULES = {"core", "algebra", "model"}
RULES = {"optim", "theory", "metrics"}
MAY_INCLUDE = {
    "core": set(),
    "algebra": {"core"},
    "model": {"core", "algebra"},
    "optim": BELOW_RULES,
    "theory": BELOW_RULES,
    "metrics": BELOW_RULES,
    "sim": BELOW_RULES | RULES,
    "io": BELOW_RULES | RULES | {"sim"},
    "verify": BELOW_RULES | RULES | {"sim", "io"},
    "cli": BELOW_RULES | RULES | {"sim", "io", "verify"},
    "main": {"cli"},  # src/main.cpp
}
# Libraries that one layer alone may see: pattern of the include -> layer.
RESERVED = {
    r"(hdf5|hdf5_hl|H5\w+)\.h(pp)?$": "io",
    r"rarefact/io/hdf5\.hpp$": "io",  # io's own header that brings it in
    r"boost/program_options": "cli",
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def layer_of(path):
    """The layer of a path below the project's root, or None: include/rarefact/<layer>/..., src/<layer>/..., src/main.cpp."""
    parts = Path(path).parts
    if parts == ("src", "main.cpp"):
        return "main"
    for start in (("include", "rarefact"), ("src",)):
        if parts[: len(start)] == start and len(parts) > len(start) + 1:
            return parts[len(start)]
    return None


def target_layer(file, quote, name):
    """The layer that an include of `file` leads to, or None if it leaves the project."""
    if name.startswith("rarefact/"):
        return layer_of(Path("include") / name)
    if quote == '"':
        return layer_of(os.path.normpath(Path(file).parent / name))
    return None


def violations(root):
    """Every forbidden include of the tree, as 'file includes name'. Raises where a folder is no layer."""
    found = []
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            file = path.relative_to(root)
            layer = layer_of(file)
            if layer not in MAY_INCLUDE:
                raise ValueError(f"{file} is in no layer")
            for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
                target = target_layer(file, quote, name)
                wrong_layer = target is not None and target != layer and target not in MAY_INCLUDE[layer]
                wrong_library = any(re.match(p, name) and layer != owner for p, owner in RESERVED.items())
                if wrong_layer or wrong_library:
                    found.append(f"{file} includes {name}")
    return found


class Layering(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = Path(folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Path(folder.name)

    def test_the_project_keeps_its_layers(self):
        """every include of include/ and src/ stays in its layer or goes to the left"""
        self.assertEqual(violations(ROOT), [])

    def test_a_tree_that_breaks_the_layers_is_caught(self):
        """each kind of forbidden include is found, and no legal one"""
        bad = {
            "include/rarefact/core/up.hpp": '#include "rarefact/io/toml.hpp"\n',
            "include/rarefact/theory/peek.hpp": '#  include <rarefact/optim/muon.hpp>\n',
            "src/metrics/sideways.cpp": '#include "../theory/flow.hpp"\n',
            "src/sim/result.cpp": "#include <hdf5.h>\n",
            "src/cli/handles.cpp": '#include "rarefact/io/hdf5.hpp"\n',
            "src/io/options.cpp": "#include <boost/program_options.hpp>\n",
            "src/main.cpp": '#include "rarefact/sim/simulate.hpp"\n',
        }
        good = {
            "include/rarefact/sim/simulate.hpp": '#include "rarefact/optim/muon.hpp"\n#include <vector>\n',
            "src/io/results.cpp": '#include <hdf5.h>\n#include "handles.hpp"\n#include "rarefact/core/error.hpp"\n',
            "src/cli/run.cpp": '#include <boost/program_options.hpp>\n#include "rarefact/io/results.hpp"\n',
            "src/model/spectrum.cpp": '#include <boost/math/special_functions/zeta.hpp>\n',
        }
        found = violations(self.tree(bad | good))
        self.assertEqual(sorted(line.split(" includes ")[0] for line in found), sorted(bad))

    def test_a_folder_that_is_no_layer_is_refused(self):
        """a new folder has to be given its place first"""
        with self.assertRaisesRegex(ValueError, "in no layer"):
            violations(self.tree({"src/utilities/strings.cpp": ""}))


if __name__ == "__main__":
    unittest.main()
