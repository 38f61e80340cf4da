"""The Python package in a notebook: a bar below the cell, errors, and an interrupt."""

import os
import unittest

from project import PROGRAM, ROOT, needs_program, packages, scratch_folder

with packages():
    import h5py  # noqa: F401
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat.v4

CELLS = [f"""import rarefact as rf
e = {{"name": "notes", "classes": {{"spectrum": "grouped_power_law", "groups": 24, "group_size": 100, "exponent": 1.5}},
     "run": {{"steps": 3000, "digits": "off"}}, "optimizer": [{{"rule": "muon", "step_size": 0.5}}]}}
r = rf.run(e, "run.h5", program={PROGRAM!r})
r""",
         f"rf.run(e | {{'seed': 'x'}}, 'none.h5', program={PROGRAM!r})",
         # What the notebook's stop button sends.
         f"""import os, signal, threading
threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
rf.run(e | {{"run": {{"steps": 10**9, "record": "log"}}}}, "long.h5", program={PROGRAM!r})"""]


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_program()
        cls.folder = scratch_folder(cls.addClassCleanup)
        os.environ |= {"PYTHONPATH": str(ROOT / "analysis"), "IPYTHONDIR": str(cls.folder),
                       "JUPYTER_RUNTIME_DIR": str(cls.folder / "runtime"), "MPLCONFIGDIR": str(cls.folder)}
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbclient.NotebookClient(book, timeout=50, allow_errors=True, resources={"metadata": {"path": str(cls.folder)}}).execute()
        cls.outputs = [cell.outputs for cell in book.cells]

    def test_the_progress_is_a_bar_that_ends_with_the_result(self):
        """one output that is updated, of HTML and of text; the last of it names the file"""
        shown, result = self.outputs[0]
        self.assertEqual(shown.output_type, "display_data")
        self.assertEqual((shown.data["text/plain"], shown.data["text/html"]), ("result: run.h5", "result: run.h5"))
        self.assertEqual(result.data["text/plain"], "<Result run.h5: 1 run, 1 optimizer, 3001 step, 24 class_group>")

    def test_a_mistake_and_an_interrupt_say_what_to_do(self):
        """rf.Error with the key; KeyboardInterrupt that says how to go on; no file is left half"""
        mistake, interrupted = self.outputs[1][-1], self.outputs[2][-1]
        self.assertEqual(mistake.ename, "Error")
        self.assertIn('seed: got the string "x"', mistake.evalue)
        self.assertEqual(interrupted.ename, "KeyboardInterrupt")
        self.assertIn("the same call continues", interrupted.evalue)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.h5")), ["run.h5"])


if __name__ == "__main__":
    unittest.main()
