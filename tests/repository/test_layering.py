"""A layer includes only layers to its left:

    core -> algebra -> model -> { optim, theory, io } -> query -> experiment -> metrics -> sim -> results -> sweep -> { tables, api } -> verify -> cli

The headers of include/rarefact are everybody's, and include one another alone.
"""

import re
import tempfile
import unittest
from pathlib import Path

from project import ROOT

# Rooms in one group never include one another; a room includes any room of a group to its left.
ORDER = [{"core"}, {"algebra"}, {"model"}, {"optim", "theory", "io"}, {"query"}, {"experiment"}, {"metrics"}]
ORDER += [{"sim"}, {"results"}, {"sweep"}, {"tables", "api"}, {"verify"}, {"cli"}]
MAY_INCLUDE = {room: set().union(*ORDER[:i]) for i, group in enumerate(ORDER) for room in group}
MAY_INCLUDE["main"] = {"cli"}  # src/main.cpp
MAY_INCLUDE = {room: others | {"rarefact"} for room, others in MAY_INCLUDE.items()} | {"rarefact": set()}
# Libraries that some layers alone may see: pattern of the include -> layers.
RESERVED = {
    r"(hdf5|hdf5_hl|H5\w+)\.h(pp)?$": {"io", "results"},
    r"toml\+\+": {"experiment"},
    r"boost/program_options": {"cli"},
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def layer_of(path):
    """The layer of a path below the project's root, or None: src/<layer>/..., src/main.cpp."""
    parts = Path(path).parts
    if parts[:2] == ("include", "rarefact"):
        return "rarefact"
    if parts == ("src", "main.cpp"):
        return "main"
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def violations(root):
    """Every forbidden include of the tree, as 'file includes name'. Raises where a folder is no layer."""
    found = []
    for path in sorted([*(root / "src").rglob("*.[ch]pp"), *(root / "include").rglob("*.hpp")]):
        file = path.relative_to(root)
        layer = layer_of(file)
        if layer not in MAY_INCLUDE:
            raise ValueError(f"{file} is in no layer")
        for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = Path(name).parts[0] if quote == '"' else None
            wrong_layer = target is not None and target != layer and target not in MAY_INCLUDE[layer]
            wrong_library = any(re.match(p, name) and layer not in owners for p, owners in RESERVED.items())
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
        """every include of src/ stays in its layer or goes to the left"""
        self.assertEqual(violations(ROOT), [])

    def test_a_tree_that_breaks_the_layers_is_caught(self):
        """each kind of forbidden include is found, and no legal one"""
        bad = {
            "src/core/up.hpp": '#include "io/toml.hpp"\n',
            "include/rarefact/run.hpp": '#include "core/types.hpp"\n',
            "src/theory/peek.hpp": '#  include "optim/muon.hpp"\n',
            "src/io/sideways.cpp": '#include "../theory/flow.hpp"\n',
            "src/sim/result.cpp": "#include <hdf5.h>\n",
            "src/io/options.cpp": "#include <boost/program_options.hpp>\n",
            "src/cli/text.cpp": "#include <toml++/toml.h>\n",
            "src/main.cpp": '#include "sim/simulate.hpp"\n',
        }
        good = {
            "src/sim/simulate.hpp": '#include "optim/muon.hpp"\n#include <vector>\n',
            "src/io/results.cpp": '#include <hdf5.h>\n#include "io/handles.hpp"\n#include "rarefact/error.hpp"\n',
            "src/cli/run.cpp": '#include <boost/program_options.hpp>\n#include "io/results.hpp"\n',
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
