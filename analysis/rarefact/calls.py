"""The commands of the program as functions. All take program=, the path of the program."""

import os

from . import program as programs
from .errors import need
from .sweeps import Request, options


class Rows(list):
    """Dicts, each a row of a table."""

    def dataframe(self):
        """The rows as a pandas.DataFrame."""
        return need("pandas").DataFrame(self)


class Verdicts(Rows):
    """What rarefact verify found, a dict for each statement."""

    def dataframe(self):
        """A line for each finding: what was measured beside what is published, and the verdict on the statement."""
        return need("pandas").DataFrame([{**finding, "id": row["id"], "finding": finding["id"], "statement_verdict": row["verdict"]}
                                         for row in self for finding in row["findings"]])


def _path(result):
    return os.fspath(getattr(result, "path", result))


def run(experiment, output=None, *, set=None, jobs=None, max_time=None, checkpoint=None, strict=False, progress=True, program=None):
    """Runs an experiment, a dict or the path of its file, and opens the result; one that is there already is only opened.

    output    the result file, by default results/NAME.h5
    set       values put over the experiment's, {"optimizer.muon.step_size": 0.1}
    progress  True: a bar in a terminal or a notebook; False; or a function that is called with each event, a dict

    An Error has the problems of the experiment with key, line and hint. After Ctrl-C the same call goes on."""
    request = Request(experiment, None, output, set, program)
    job = request.job(*options(jobs=jobs, max_time=max_time, checkpoint=checkpoint, strict=strict))
    try:
        for _ in job.follow(progress):
            pass
    except Exception:  # of a progress of the user
        job.stop()
        raise
    job.require_done(strict)
    return need(".result").Result(request.shown(job.output))


def plan(experiment, output=None, *, set=None, program=None):
    """What run would do, a dict: the experiment with its defaults, engines with reasons and memory; of a sweep points and time."""
    return Request(experiment, None, output, set, program).ask("run", "--dry-run")


def status(experiment, output=None, *, set=None, program=None):
    """How far a sweep is, a dict: points that are done, failed, running, missing and damaged."""
    return Request(experiment, None, output, set, program).ask("status")


def info(result, *, program=None):
    """What is in a result file, a dict."""
    return programs.ask("info", _path(result), program=program)


def check(*results, program=None):
    """The integrity of result files: Rows, one for each file."""
    return Rows(programs.ask("check", *map(_path, results), program=program, fine=(0, 3, 4)))


def verify(*ids, quick=False, precision=None, set=None, output=None, program=None):
    """Runs our checks of published statements, by id or pattern such as "wang2025/*", or all: Verdicts."""
    words = options(set, quick=quick, precision=precision, output=output)
    return Verdicts(programs.ask("verify", *ids, *words, program=program, fine=(0, 1)))


def explain(key=None, *, program=None):
    """What a key of the experiment means, its default and legal values; without a key all of them."""
    return programs.ask("explain", *([key] if key else []), program=program)


def schema(*, program=None):
    """The JSON Schema of an experiment, a dict."""
    return programs.ask("explain", "--schema", program=program)


def listed(kind=None, *, program=None):
    """What can be named: rows of optimizers, embeddings, spectra, metrics, theorems or predictions; without a kind these kinds."""
    return Rows(programs.ask("list", *([kind] if kind else []), program=program))


def init(name="experiment", *, program=None):
    """Writes NAME.toml, a small experiment with comments to start from, and returns its path."""
    return programs.text_of(["init", name], program=program).strip()


def version(*, program=None):
    """The version of the program, in a line."""
    return programs.text_of(["--version"], program=program).splitlines()[0]
