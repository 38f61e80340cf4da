"""Requests to the program about an experiment, and where their results are."""

from __future__ import annotations

import glob
import hashlib
import os
import weakref

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import program as programs
from .errors import Error, PathLike, path_of, word
from .experiment import Experimental, load, prepared
from .tables import as_list, options

if TYPE_CHECKING:
    from .sweeps import Sweep

sweeps: weakref.WeakSet[Sweep] = weakref.WeakSet()  # those of this Python


class Request:
    """A request to the program about an experiment: the first words of the command, its working folder and standard input."""

    def __init__(self, experiment: Experimental, axes: Mapping[Any, Any] | None = None, output: PathLike | None = None,
                 override: Mapping[str, Any] | None = None, program: PathLike | None = None) -> None:
        self.operand, text, folder, name = prepared(experiment, axes)
        self.output, self.here = None if output is None else word(output), os.getcwd()
        self.how: dict[str, Any] = {"folder": folder or self.here, "text": text, "program": program}
        self.words = options(override)
        self.asked = self.operand, text, self.words
        name = (override or {}).get("name", name or self._name_in_file())
        if self.output is None and isinstance(name, str):
            self.output = self._free(f"results/{name}")
        if self.output is not None:
            # Paths in the experiment start at its folder, paths of results at the caller's.
            self.words = [*self.words, f"--output={self.output if folder is None else os.path.join(self.here, self.output)}"]

    def _name_in_file(self) -> Any:
        """The name in the experiment file; None if the program will say what is wrong with the file."""
        try:
            return load(self.operand).get("name") if self.operand != "-" else None
        except Error:
            return None

    def _free(self, stem: str) -> str:
        """The result file by default: STEM.h5, or with 8 digits of the experiment's id if that is another experiment's."""
        path = os.path.join(self.here, f"{stem}.h5")
        others = [sweep for sweep in sweeps if sweep.running and sweep.path == path and sweep.request.asked != self.asked]
        if not others and not self._taken(path):
            return f"{stem}.h5"
        return f"{stem}-{hashlib.sha256(self.ask('run', '--dry-run')['experiment'].encode()).hexdigest()[:8]}.h5"

    def _taken(self, path: str) -> bool:
        """True if the result or the points there are another experiment's."""
        points = any(os.path.getsize(file) for file in glob.glob(f"{glob.escape(path)}.points/*.points"))
        if not points and not os.path.exists(path):
            return False
        try:
            told = self.ask("status", f"--output={path}")
        except Error:
            return False  # the run will say why
        mine = "done" not in told or bool(told["done"] or told["failed"] or told["running"])
        return told["result"] == "of a different experiment" or told["result"] == "not there yet" and not mine

    def path(self, told: str) -> str:
        """The path of a file that the program reported."""
        return os.path.join(self.how["folder"], told)

    def shown(self, told: str) -> str:
        """path() as the user would write it."""
        return self.output if self.output is not None else os.path.relpath(self.path(told), self.here)

    def text_of(self, command: str, *more: str) -> str:
        return programs.text_of([command, self.operand, *self.words, *more], **self.how)

    def ask(self, command: str, *more: str) -> Any:
        return programs.ask(command, self.operand, *self.words, *more, **self.how)

    def merged(self, path: str, *words: str, partial: bool = False) -> str:
        """Joins the points beside the result `path` and returns the file with them: that of the finished ones, if partial and some are
        missing, else the result."""
        points = f"{path}.points"
        try:
            self.text_of("merge", *words, *options(partial=partial))
        except Error:
            # A sweep that has just ended has a result and no points.
            if not partial or os.path.exists(points) or not os.path.exists(path):
                raise
        found = f"{points}/partial.h5"
        return found if partial and os.path.exists(found) else path

    def job(self, *, reuse: Any = None, **given: Any) -> programs.Job:
        """Starts rarefact run with these options."""
        reused = [os.path.abspath(path_of(path)) for path in as_list(reuse or [])]
        return programs.Job(["run", self.operand, *self.words, *options(reuse=reused, **given)], **self.how)
