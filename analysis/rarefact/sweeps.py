"""Sweeps that run while Python continues."""

from __future__ import annotations

import atexit
import os
import sys

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .calls import Progress
from .errors import PathLike, need
from .experiment import Experimental
from .request import Request, sweeps

if TYPE_CHECKING:
    import pandas
    import xarray

    from .result import Result


class Sweep:
    """A running or finished sweep. `output` is its result file; its points are stored beside it, so that the same call continues
    after a stop. It ends with Python: wait for it with result() or watch().

    experiment  a dict, or the path of an experiment file
    axes        values of swept keys, added to those of the experiment: {"classes.exponent": linspace(1.1, 2, 10), "seed": range(5)}
    output      the result file; by default as in run
    override    values that override the experiment's
    jobs        threads; by default one for each core
    max_time    the longest time, "3h50m"; the same call continues from there
    reuse       earlier results; points that they share with this sweep are copied
    progress    as in run; shown by watch, result and table
    program     the path of the program"""

    def __init__(self, experiment: Experimental, axes: Mapping[Any, Any] | None = None, output: PathLike | None = None, *,
                 override: Mapping[str, Any] | None = None, jobs: int | None = None, max_time: str | None = None, reuse: Any = None,
                 progress: Progress = True, program: PathLike | None = None) -> None:
        self.request = Request(experiment, axes, output, override, program)
        self._program, self._progress = program, progress
        self._job = self.request.job(jobs=jobs, max_time=max_time, reuse=reuse)
        self._job.wait_for_plan()
        self.output, self.path = self.request.shown(self._job.output), self.request.path(self._job.output)
        atexit.register(self._end_with_python)
        sweeps.add(self)

    def __repr__(self) -> str:
        state = "running" if self.running else "finished" if self.finished else "stopped"
        return f"<Sweep {self.output}: {state}, {self.done} points done>"

    def _end_with_python(self) -> None:
        if self.running:
            print(f"{self.output}: stopped with Python, {self.done} points are stored; result() would have waited", file=sys.stderr)
            self._job.stop()

    @property
    def running(self) -> bool:
        """True until the program has ended."""
        return self._job.code is None

    @property
    def finished(self) -> bool:
        """True if the result exists."""
        return "end" in self._job.told and not self.running

    @property
    def done(self) -> int:
        """The number of points that are finished."""
        told = self._job.told
        if self.finished:
            return told["plan"]["points"] if "plan" in told else len(self._open().coords["run"])
        return told.get("progress", {}).get("done", told["plan"]["done"])

    def _open(self) -> Result:
        return need(".result").Result(self.output if os.getcwd() == self.request.here else self.path)

    def watch(self) -> Iterator[int]:
        """Yields the number of finished points whenever it grows, until all are finished. Raises Error if the sweep fails; stop() ends
        the loop."""
        told = 0
        for _ in self._job.follow(self._progress):
            if (done := self.done) > told:
                told = done
                yield told
        if not self._job.stopped:
            self._job.require_done()

    def result(self) -> Result:
        """Waits, and opens the result."""
        for _ in self.watch():
            pass
        self._job.require_done()
        return self._open()

    def partial(self, grid: bool = False) -> xarray.Dataset:
        """An xarray.Dataset of the points that are finished; the others have the status "missing" and NaN for numbers.

        grid  make swept keys dimensions: see Result.xarray"""
        if self.finished:
            return self._open().xarray(grid)
        return need(".result").Result(self.request.merged(self.path, partial=True)).xarray(grid)

    def table(self, **more: Any) -> pandas.DataFrame:
        """Waits, and makes a table of the result: see Result.table.

        more  the arguments of Result.table"""
        return self.result().table(program=self._program, **more)

    def status(self) -> dict[str, Any]:
        """The progress, a dict: points that are done, failed, running, missing and damaged, as the files say."""
        return self.request.ask("status")

    def stop(self) -> None:
        """Stops the sweep; finished points are stored, and the same call continues from them."""
        if self.running:
            self._job.stop()
