"""The commands of the program as functions. All take program=, the path of the program."""

from . import program as programs
from .errors import need, path_of
from .request import Request
from .tables import as_list, options


def _each(items):
    """The items, and those of lists among them."""
    return [part for item in items for part in as_list(item)]


class Rows(list):
    """A list of dicts, the rows of a table."""

    def dataframe(self):
        """The rows as a pandas.DataFrame."""
        return need("pandas").DataFrame(self)


class Verdicts(Rows):
    """The verdicts of rarefact verify, a dict per statement."""

    def dataframe(self):
        """A row for each finding: the measured and the published number, and the verdict on the statement."""
        return need("pandas").DataFrame([{**finding, "id": row["id"], "finding": finding["id"], "statement_verdict": row["verdict"]}
                                         for row in self for finding in row["findings"]])


def run(experiment, output=None, *, override=None, jobs=None, max_time=None, checkpoint=None, reuse=None, shard=None, strict=False,
        progress=True, program=None):
    """Runs an experiment, a dict or the path of its file, and opens the result. An existing result is only opened.

    output      the result file; by default results/NAME.h5 or, if that is another experiment's, results/NAME-1a2b3c4d.h5 with digits
                of the experiment's id
    override    values that override the experiment's, {"optimizer.muon.step_size": 0.1}
    jobs        threads; by default one for each core
    max_time    the longest time, "3h50m"; the same call continues from there
    checkpoint  how often the state of a long run is stored, "60s"
    reuse       earlier results, whose points are taken over if they are in this sweep
    shard       (i, n): only part i of n of a sweep, 0 <= i < n, on any machine; the answer is that of status(), and merge() joins the parts
    strict      an optimizer that diverged is an Error
    progress    True: a bar in a terminal or a notebook; False; or a function that is called with each event, a dict
    program     the path of the program

    Raises Error, with key, line and hint of every problem in the experiment. After Ctrl-C the same call continues."""
    request = Request(experiment, None, output, override, program)
    part = shard if isinstance(shard, str) or shard is None else "/".join(map(str, shard))
    job = request.job(jobs=jobs, max_time=max_time, checkpoint=checkpoint, reuse=reuse, shard=part, strict=strict)
    try:
        for _ in job.follow(progress):
            pass
    except Exception:  # raised by the user's progress function
        job.stop()
        raise
    job.require_done(strict, part=shard is not None)
    return need(".result").Result(request.shown(job.output)) if shard is None else request.ask("status")


def merge(experiment, output=None, *, override=None, jobs=None, strict=False, partial=False, program=None):
    """Joins the parts of a sweep that run(..., shard=) computed, into the bytes that a run without parts writes. Returns the Result.

    experiment, output, override   as in the calls of run
    jobs      threads
    strict    an optimizer that diverged is an Error
    partial   join the points that are there; the others have the status "missing" and no numbers
    program   the path of the program

    Raises Error, with the missing points, if some are missing."""
    request = Request(experiment, None, output, override, program)
    return need(".result").Result(request.merged(request.output, *options(jobs=jobs, strict=strict), partial=partial))


def plan(experiment, output=None, *, override=None, program=None):
    """The plan of a run, as a dict: the experiment with its defaults, engines with reasons and memory; for a sweep points and time."""
    return Request(experiment, None, output, override, program).ask("run", "--dry-run")


def status(experiment, output=None, *, override=None, program=None):
    """The progress of a sweep, a dict: points that are done, failed, running, missing and damaged."""
    return Request(experiment, None, output, override, program).ask("status")


def info(result, *, program=None):
    """The contents of a result file, a dict."""
    return programs.ask("info", path_of(result), program=program)


def check(*results, program=None):
    """The integrity of result files: Rows, one for each file."""
    return Rows(programs.ask("check", *map(path_of, _each(results)), program=program, fine=(0, 3, 4)))


def verify(*ids, quick=False, precision=None, override=None, output=None, program=None):
    """Runs checks of published statements, by id or pattern such as "wang2025/*"; by default all. Returns Verdicts."""
    words = options(override, quick=quick, precision=precision, output=output)
    return Verdicts(programs.ask("verify", *_each(ids), *words, program=program, fine=(0, 1)))


def explain(key=None, *, program=None):
    """Meaning, default and legal values of a key of the experiment; without a key of all keys."""
    return programs.ask("explain", *([key] if key else []), program=program)


def schema(*, program=None):
    """The JSON Schema of an experiment, a dict."""
    return programs.ask("explain", "--schema", program=program)


def listed(kind=None, *, program=None):
    """The rows of a catalogue: optimizers, embeddings, spectra, metrics, theorems, predictions ...; without a kind the catalogues."""
    return Rows(programs.ask("list", *([kind] if kind else []), program=program))


def init(name="experiment", *, program=None):
    """Writes NAME.toml, a small experiment with comments to start from, and returns its path."""
    return programs.text_of(["init", name], program=program).strip()


def version(*, program=None):
    """The version of the program, in a line."""
    return programs.text_of(["--version"], program=program).splitlines()[0]
