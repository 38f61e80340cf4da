"""Sweeps that run while Python continues."""

import atexit
import os
import sys

from . import program as programs
from .errors import Error, need, path_of, word
from .experiment import prepared
from .tables import as_list, options


class Request:
    """A request to the program about an experiment: the first words of the command, its working folder and standard input."""

    def __init__(self, experiment, axes=None, output=None, set=None, program=None):
        self.operand, text, folder, name = prepared(experiment, axes)
        self.output, self.here = output and word(output), os.getcwd()
        if folder is not None:
            # Paths in the experiment start at its folder, paths of results at the caller's.
            name = (set or {}).get("name", name)
            output = f"results/{name}.h5" if output is None and name else output
            output = output and os.path.join(self.here, output)
        self.words = options(set, output=output)
        self.how = {"folder": folder or self.here, "text": text, "program": program}

    def path(self, told):
        """The path of a file that the program reported."""
        return os.path.join(self.how["folder"], told)

    def shown(self, told):
        """path() as the user would write it."""
        return self.output if self.output is not None else os.path.relpath(self.path(told), self.here)

    def text_of(self, command, *more):
        return programs.text_of([command, self.operand, *self.words, *more], **self.how)

    def ask(self, command, *more):
        return programs.ask(command, self.operand, *self.words, *more, **self.how)

    def job(self, *more):
        return programs.Job(["run", self.operand, *self.words, *more], **self.how)


class Sweep:
    """A running or finished sweep. `output` is its result file; its points are stored beside it, so that the same call continues
    after a stop. It ends with Python: wait for it with result() or watch().

    axes      values of swept keys, added to those of the experiment: {"classes.exponent": linspace(1.1, 2, 10), "seed": range(5)}
    jobs      threads
    reuse     earlier results, whose points are taken over if they are in this sweep
    progress  as in run; shown by watch, result and table"""

    def __init__(self, experiment, axes=None, output=None, *, set=None, jobs=None, max_time=None, reuse=None, progress=True, program=None):
        self._request = Request(experiment, axes, output, set, program)
        self._program, self._progress = program, progress
        reused = [os.path.abspath(path_of(path)) for path in as_list(reuse or [])]
        self._job = self._request.job(*options(jobs=jobs, max_time=max_time, reuse=reused))
        self._job.wait_for_plan()
        self.output, self._path = self._request.shown(self._job.output), self._request.path(self._job.output)
        atexit.register(self._end_with_python)

    def __repr__(self):
        state = "running" if self.running else "finished" if self.finished else "stopped"
        return f"<Sweep {self.output}: {state}, {self.done} points done>"

    def _end_with_python(self):
        if self.running:
            print(f"{self.output}: stopped with Python, {self.done} points are stored; result() would have waited", file=sys.stderr)
            self._job.stop()

    @property
    def running(self):
        return self._job.code is None

    @property
    def finished(self):
        """True if the result exists."""
        return "end" in self._job.told and not self.running

    @property
    def done(self):
        """The number of points that are finished."""
        told = self._job.told
        if self.finished:
            return told["plan"]["points"] if "plan" in told else len(self._open().coords["run"])
        return told.get("progress", {}).get("done", told["plan"]["done"])

    def _open(self):
        return need(".result").Result(self.output if os.getcwd() == self._request.here else self._path)

    def watch(self):
        """Yields the number of finished points whenever it grows, until all are finished. Raises Error if the sweep fails; stop() ends
        the loop."""
        told = 0
        for _ in self._job.follow(self._progress):
            if (done := self.done) > told:
                told = done
                yield told
        if not self._job.stopped:
            self._job.require_done()

    def result(self):
        """Waits, and opens the result."""
        for _ in self.watch():
            pass
        self._job.require_done()
        return self._open()

    def partial(self, grid=False):
        """An xarray.Dataset of the points that are finished; the others have the status "missing" and NaN for numbers. With
        grid=True swept keys are dimensions: see Result.xarray."""
        points = f"{self._path}.points"
        if not self.finished:
            try:
                self._request.text_of("merge", "--partial")
            except Error:
                # A sweep that has just ended has a result and no points.
                if os.path.exists(points) or not os.path.exists(self._path):
                    raise
            if os.path.exists(partial := f"{points}/partial.h5"):
                return need(".result").Result(partial).xarray(grid)
        return self._open().xarray(grid)

    def table(self, **more):
        """Waits, and makes a table of the result: see Result.table."""
        return self.result().table(program=self._program, **more)

    def status(self):
        """The progress, a dict: points that are done, failed, running, missing and damaged, as the files say."""
        return self._request.ask("status")

    def stop(self):
        """Stops the sweep; finished points are stored, and the same call continues from them."""
        if self.running:
            self._job.stop()
