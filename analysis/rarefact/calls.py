"""The commands of the program as functions. All take program=, the path of the program."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import program as programs
from .errors import PathLike, need, path_of
from .experiment import Experimental
from .request import Request
from .tables import as_list, options

if typing.TYPE_CHECKING:
    import pandas

    from .result import Result

Progress = bool | Callable[[dict[str, Any]], object]


def _each(items: Iterable[Any]) -> list[Any]:
    """The items; lists among them are replaced by their items."""
    return [part for item in items for part in as_list(item)]


class Rows(list[dict[str, Any]]):
    """A list of dicts, the rows of a table."""

    def dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame."""
        return need("pandas").DataFrame(self)


class Verdicts(Rows):
    """The verdicts of rarefact verify, a dict per statement."""

    def dataframe(self) -> pandas.DataFrame:
        """A row for each finding: the measured and the published number, and the verdict on the statement."""
        return need("pandas").DataFrame([{**finding, "id": row["id"], "finding": finding["id"], "statement_verdict": row["verdict"]}
                                         for row in self for finding in row["findings"]])


@typing.overload
def run(experiment: Experimental, output: PathLike | None = None, *, override: Mapping[str, Any] | None = None, jobs: int | None = None,
        max_time: str | None = None, checkpoint: str | None = None, reuse: Any = None, shard: None = None, strict: bool = False,
        progress: Progress = True, program: PathLike | None = None) -> Result: ...


@typing.overload
def run(experiment: Experimental, output: PathLike | None = None, *, override: Mapping[str, Any] | None = None, jobs: int | None = None,
        max_time: str | None = None, checkpoint: str | None = None, reuse: Any = None, shard: tuple[int, int] | str, strict: bool = False,
        progress: Progress = True, program: PathLike | None = None) -> dict[str, Any]: ...


def run(experiment: Experimental, output: PathLike | None = None, *, override: Mapping[str, Any] | None = None, jobs: int | None = None,
        max_time: str | None = None, checkpoint: str | None = None, reuse: Any = None, shard: tuple[int, int] | str | None = None,
        strict: bool = False, progress: Progress = True, program: PathLike | None = None) -> Result | dict[str, Any]:
    """Runs an experiment and opens the result. An existing result is only opened.

    experiment  a dict, or the path of an experiment file
    output      the result file; by default results/NAME.h5 or, if that is another experiment's, results/NAME-1a2b3c4d.h5 with digits
                of the experiment's id
    override    values that override the experiment's, {"optimizer.muon.step_size": 0.1}
    jobs        threads; by default one for each core
    max_time    the longest time, "3h50m"; the same call continues from there
    checkpoint  how often the state of a long run is stored, by default "60s"
    reuse       earlier results; points that they share with this sweep are copied
    shard       (i, n): only part i of n of a sweep, 0 <= i < n, on any machine; returns what status() does, and merge() joins the parts
    strict      raise Error if an optimizer diverged or a quadrature misses its tolerance
    progress    True: a bar in a terminal or a notebook; False; or a function that is called with each event, a dict
    program     the path of the program

    Raises Error, with key, line and hint of every problem in the experiment. After Ctrl-C the same call continues."""
    request = Request(experiment, None, output, override, program)
    part = None if shard is None else "/".join(map(str, as_list(shard)))
    job = request.job(jobs=jobs, max_time=max_time, checkpoint=checkpoint, reuse=reuse, shard=part, strict=strict)
    try:
        for _ in job.follow(progress):
            pass
    except Exception:  # raised by the user's progress function
        job.stop()
        raise
    job.require_done(strict, part=shard is not None)
    return need(".result").Result(request.shown(job.output)) if shard is None else request.ask("status")


def merge(experiment: Experimental, output: PathLike | None = None, *, override: Mapping[str, Any] | None = None, jobs: int | None = None,
          strict: bool = False, partial: bool = False, program: PathLike | None = None) -> Result:
    """Joins the parts of a sweep that run(..., shard=) computed, into the bytes that a run without parts writes, and opens the result.

    experiment  as in the calls of run
    output      as in the calls of run
    override    as in the calls of run
    jobs        threads; by default one for each core
    strict      raise Error if an optimizer diverged or a quadrature misses its tolerance
    partial     join the points that are there; the others have the status "missing" and no numbers
    program     the path of the program

    Raises Error, with the missing points, if some are missing."""
    request = Request(experiment, None, output, override, program)
    return need(".result").Result(request.merged(request.output or "", *options(jobs=jobs, strict=strict), partial=partial))


def plan(experiment: Experimental, output: PathLike | None = None, *, override: Mapping[str, Any] | None = None,
         program: PathLike | None = None) -> dict[str, Any]:
    """The plan of a run, as a dict: the experiment with its defaults, engines with reasons and memory; for a sweep points and time.

    experiment  a dict, or the path of an experiment file
    output      the result file of the run, as in run
    override    values that override the experiment's
    program     the path of the program"""
    return Request(experiment, None, output, override, program).ask("run", "--dry-run")


def status(experiment: Experimental, output: PathLike | None = None, *, override: Mapping[str, Any] | None = None,
           program: PathLike | None = None) -> dict[str, Any]:
    """The progress of a sweep, a dict: points that are done, failed, running, missing and damaged.

    experiment  a dict, or the path of an experiment file
    output      the result file of the sweep, as in run
    override    values that override the experiment's
    program     the path of the program"""
    return Request(experiment, None, output, override, program).ask("status")


def info(result: Result | PathLike, *, program: PathLike | None = None) -> dict[str, Any]:
    """The contents of a result file, a dict.

    result   a Result, or the path of its file
    program  the path of the program"""
    return programs.ask("info", path_of(result), program=program)


def check(*results: Any, program: PathLike | None = None) -> Rows:
    """The integrity of result files: Rows, one for each file.

    results  Results, paths, or lists of them
    program  the path of the program"""
    return Rows(programs.ask("check", *map(path_of, _each(results)), program=program, fine=(0, 3, 4)))


def verify(*ids: Any, quick: bool = False, precision: int | None = None, override: Mapping[str, Any] | None = None,
           output: PathLike | None = None, program: PathLike | None = None) -> Verdicts:
    """Runs checks of published statements. Returns Verdicts.

    ids        ids, patterns such as "wang2025/*", or files with claims; by default all statements
    quick      fewer points: seconds instead of minutes
    precision  50: compute again in 50 digits, and count the right digits of every number
    override   values that override those of the checks' experiments
    output     a file for all verdicts and curves, verdicts.h5, which a report shows
    program    the path of the program"""
    words = options(override, quick=quick, precision=precision, output=output)
    return Verdicts(programs.ask("verify", *_each(ids), *words, program=program, fine=(0, 1)))


def explain(key: str | None = None, *, program: PathLike | None = None) -> list[dict[str, Any]]:
    """Meaning, default and legal values of a key of the experiment.

    key      the key, "run.steps"; by default all keys
    program  the path of the program"""
    return programs.ask("explain", *([key] if key else []), program=program)


def schema(*, program: PathLike | None = None) -> dict[str, Any]:
    """The JSON Schema of an experiment, a dict.

    program  the path of the program"""
    return programs.ask("explain", "--schema", program=program)


def listed(kind: str | None = None, *, program: PathLike | None = None) -> Rows:
    """The rows of a catalogue.

    kind     optimizers, embeddings, spectra, metrics, theorems, predictions ...; by default the catalogues are listed
    program  the path of the program"""
    return Rows(programs.ask("list", *([kind] if kind else []), program=program))


def init(name: str = "experiment", *, program: PathLike | None = None) -> str:
    """Writes NAME.toml, a small experiment with comments to start from, and returns its path.

    name     the name of the experiment
    program  the path of the program"""
    return programs.text_of(["init", name], program=program).strip()


def version(*, program: PathLike | None = None) -> str:
    """The version of the program, in a line.

    program  the path of the program"""
    return programs.text_of(["--version"], program=program).splitlines()[0]
