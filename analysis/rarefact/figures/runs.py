"""The numbers that a figure shows: runs selected by swept keys, in cases whose runs differ only in the seed."""

import dataclasses
import sys

import numpy as np

from .. import tables
from ..errors import Error, NotAResult, nearest
from . import style
from .style import fixed_text, number

LABELS = {"loss": "loss L", "excess_loss": "excess loss L − L*", "error": "error, 1 − p̂(right)", "gap": "gap Δ of p̂(right)"}


class Missing(Error):
    """The file lacks what a figure needs, or an option is wrong; the text is one line."""


class TooMany(Missing):
    """There are more cases than the figure has room for; `where` selects the first of them."""

    def __init__(self, text, where):
        super().__init__(text)
        self.where = where


@dataclasses.dataclass(frozen=True)
class Case:
    title: str        # s = 1.5, T = 257; empty if there is only one case
    runs: np.ndarray  # they differ only in the seed
    place: tuple      # the values of the keys


@dataclasses.dataclass(frozen=True)
class Course:
    """Means over `count` runs that differ only in the seed, with half of the 95 % interval (NaN for one run)."""

    x: np.ndarray
    y: np.ndarray
    half: np.ndarray | None = None
    count: int = 1
    text: list | None = None  # cells of rarefact table; they say why a number is missing


def say(text):
    print(text, file=sys.stderr)


def opened_all(paths, read):
    """What `read` returns for the paths; (path, error) of those that are not results, which are printed; the exit code of the worst."""
    found, refused = [], []
    for path in paths:
        try:
            found.append(read(path))
        except NotAResult as error:
            say(f"error: {error}")
            refused.append((path, error))
    return found, refused, max((error.code for _, error in refused), default=0)


def require_swept(result, key, option):
    if key not in result.params:
        swept = ", ".join(result.params) or "no keys"
        raise Missing(f"{result.path}: {option}: {key} is not swept; swept are {swept}{nearest(key, result.params)}")


def present(result):
    """True for each run that is present; missing runs of a partial result have no classes."""
    return (result.array("class_count").values > 0).any(axis=1)


def chosen_runs(result, where):
    """The runs whose swept keys have the values of `where`, a list of KEY=VALUE; several of one key select any of these."""
    of_key = {}
    for text in where:
        key, _, wanted = text.partition("=")
        if key == "optimizer":
            labels(result, where)
            continue
        require_swept(result, key, f"--where {text}")
        values = result.params[key]
        same = np.array([str(value) == wanted or (not isinstance(value, str) and _close(value, wanted)) for value in values])
        if not same.any():
            raise Missing(f"{result.path}: --where {text}: {key} has the values {', '.join(dict.fromkeys(map(str, values)))}")
        of_key[key] = of_key.get(key, False) | same
    runs = np.logical_and.reduce([present(result), *of_key.values()])
    if not runs.any():
        raise Missing(f"{result.path}: --where: no run has all of these values")
    return np.flatnonzero(runs)


def require_labels(result, named, option):
    known = result.coords["optimizer"]
    for label in named:
        if label not in known:
            raise Missing(f"{result.path}: {option}{label}: the optimizers are {', '.join(known)}{nearest(label, known)}")


def labels(result, where):
    """The optimizers that optimizer=LABEL in `where` selects; by default all."""
    named = [text.partition("=")[2] for text in where if text.startswith("optimizer=")]
    require_labels(result, named, "--where optimizer=")
    return [label for label in result.coords["optimizer"] if not named or label in named]


def names(result, options):
    """Label -> the name of the optimizer in the figure, as --names chooses: that of its rule in papers, the label, or a text."""
    given = dict(text.split("=", 1) for text in options.names if "=" in text)
    require_labels(result, given, "--names ")
    for text in options.names:
        if "=" not in text and text not in ("papers", "labels"):
            raise Missing(f"--names: got {text}; expected papers, labels or LABEL=TEXT{nearest(text, ('papers', 'labels'))}")
    papers = {} if "labels" in options.names else style.PAPERS
    return {label: given.get(label, papers.get(label, label)) for label in result.coords["optimizer"]}


def looks(result, where):
    """Label -> look of the selected optimizers, the same as beside the others."""
    return {label: look for label, look in style.optimizer_looks(result).items() if label in labels(result, where)}


def _close(value, text):
    try:
        return abs(value - float(text)) <= 1e-9 * abs(value)
    except ValueError:
        return False


def is_seed(key):
    """True for the key of a seed, that of the run or of one stream."""
    return key == "seed" or (key.endswith(".seed") and not key.startswith("optimizer."))


def seeds_of(result):
    """The swept seeds of every run that has several."""
    return {key: values for key, values in result.params.items() if is_seed(key) and len(set(values)) > 1}


def varying(result, runs, given=()):
    """The swept keys that distinguish the runs, without those determined by `given` and earlier keys. Step sizes come late and
    seeds last, so that a key that varies with a seed is listed and not averaged over."""
    keys, names = [], [()] * len(runs)
    for key in given:
        names = [(*name, result.params[key][run]) for name, run in zip(names, runs)]
    for key in sorted(result.params, key=lambda key: (is_seed(key), key.startswith("optimizer."), key)):
        more = [(*name, result.params[key][run]) for name, run in zip(names, runs)]
        if key not in given and len(set(more)) > len(set(names)):
            keys.append(key)
            names = more
    return keys


def free_keys(result, runs=None, given=()):
    """varying() without seeds; by default of all runs."""
    return [key for key in varying(result, np.flatnonzero(present(result)) if runs is None else runs, given) if not is_seed(key)]


def case_text(result, run, keys):
    """The values of these swept keys, with the symbols of the glossary: s = 1.5, T = 257."""
    return ", ".join(fixed_text(key, number(result.params[key][run])) for key in keys)


def all_cases(result):
    """The free keys, slowest-varying first, and the cases of a result."""
    keys = sorted(free_keys(result), key=lambda key: np.count_nonzero(result.params[key][1:] != result.params[key][:-1]))
    return keys, gathered(result, np.flatnonzero(present(result)), keys)


def gathered(result, runs, keys):
    """A Case for each combination of values of the keys, in the order of the file."""
    found = {}
    for run in runs:
        found.setdefault(tuple(plain(result.params[key][run]) for key in keys), []).append(run)
    return [Case(case_text(result, same[0], keys), np.array(same), place) for place, same in found.items()]


def cases(result, options, most=1, given=()):
    """Every swept key of the selected runs except the seed and those in `given`, and the runs grouped by them. Raises TooMany for more than
    `most` cases."""
    runs = chosen_runs(result, options.where)
    keys = free_keys(result, runs, given)
    found = gathered(result, runs, keys)
    if len(found) > most:
        where = [f"{key}={result.params[key][found[0].runs[0]]}" for key in keys]
        room = "one case" if most == 1 else f"{most} cases"
        raise TooMany(f"{result.path}: {len(found)} cases by {', '.join(keys)}, and there is room for {room}; fix them by "
                      + " ".join(f"--where {text}" for text in where), where)
    return keys, found


def plain(value):
    """The value of a key in Case.place; None for a run without the key."""
    return None if value == "-" or value != value else value


def answers(result, names, axes, **more):
    """A dict: values of the axes -> an Answer for each variable, by rarefact table with these further options."""
    for name in names:
        if name.isidentifier():
            result.array(name)
    if more.get("class_") is None or not of_class_text(result, names[0], str(more["class_"])):
        more.pop("class_", None)
    try:
        return {tuple(map(plain, place)): cells for place, cells in tables.averages(result, axes, names, **more).items()}
    except Error as error:
        kind = Error if error.code == 3 else Missing
        said = str(error).partition("\n")[0].removeprefix("error: ").removeprefix(f"{result.path}: ")
        raise kind(f"{result.path}: {said}", code=error.code) from None


def with_prediction(result, name, options=None):
    """The variable and its prediction; that of the mean over samples if every case has several, no run has another prediction, and
    runs are not drawn one by one."""
    one, mean = f"{name}_predicted", f"{name}_predicted_mean"
    own = "data.seed" in result.params or "seed" in result.experiment.get("data", {})
    seeds, selected = result.params.get("data.seed" if own else "seed"), chosen_runs(result, getattr(options, "where", ()))
    means = seeds is not None and all(len(set(seeds[case.runs])) > 1 for case in gathered(result, selected, free_keys(result, selected)))
    if mean in result and means and not np.isfinite(result.array(one).values).any():
        return [name] if getattr(options, "runs", "") == "thin" else [name, mean]
    return [name, one] if one in result else [name]


def courses(result, names, keys, axis, options, shown_x=None, **more):
    """A dict: (*case, optimizer) -> for each variable its courses along "step", "class" or a swept key, or what an expression is there:
    the mean or, with --runs thin, a course per seed."""
    thin = list(seeds_of(result)) if getattr(options, "runs", "") == "thin" else []
    found = {}
    for place, cells in answers(result, [*names, *([shown_x] if shown_x else [])], [*keys, "optimizer", *thin, axis],
                                where=options.where, **more).items():
        x = float(cells[-1].mean if shown_x else str(place[-1]).partition(":")[0])
        seed = place[len(keys) + 1:-1]
        found.setdefault(place[:len(keys) + 1], {}).setdefault(seed, []).append((x, cells))

    def course(points, at):
        points = sorted(points, key=lambda point: point[0])
        cells = [cells[at] for _, cells in points]
        return Course(np.array([x for x, _ in points]), np.array([cell.mean for cell in cells], float),
                      np.array([cell.half for cell in cells], float), max(cell.count for cell in cells),
                      [cell.text for cell in cells])

    return {place: [[course(points, at) for points in seeds.values()] for at in range(len(names))] for place, seeds in found.items()}


def moment(options, below=None):
    """The options of rarefact table that choose a step."""
    return {"at": options.at, "over": options.over, "below": below, "sustained": options.sustained}


def of_bands(result, name):
    """True for a variable over bands of classes."""
    return name.isidentifier() and "band" in result.array(name).dims


def by_band(result, names, group):
    """Each variable with the class that is drawn; for variables over bands every band, one by one, unless one is chosen."""
    bands = [str(band) for band in result.coords.get("band", [])]
    return [(name, one) for name in names
            for one in (bands if of_bands(result, name) and group not in bands else [group])]


def moment_text(result, name, options, below, group=None):
    """The label of an axis for values at the chosen step."""
    if options.label:
        return options.label
    group = of_class_text(result, name, group or options.group)
    if below is not None:
        return f"{'lasting' if options.sustained else 'first'} step with {name}\u00a0<\u00a0{below:g}{group}"
    along = {"max": "largest", "min": "least"}.get(options.over)
    known = result.array(name) if name.isidentifier() else None
    text, units = (LABELS.get(name) or known.long_name, known.units) if known else (name, "1")
    text += group
    return (f"{along} {text}{',' * (',' in text)} during the run" if along else text) + (f" [{units}]" if units not in ("", "1") else "")


def of_class_text(result, name, group):
    """The class of a variable over classes, such as ', tail', or the band of one over bands; else empty."""
    if not name.isidentifier():  # an expression, of which the table takes the tail, too, if it is of classes
        return "" if group == "tail" else f", {group}"
    if of_bands(result, name):
        return f" {group}"
    if "class_group" not in result.array(name).dims:
        return ""
    if group.startswith("rank:"):
        nodes = (np.abs(result.array("class_count").values % 1 - 0.5) < 0.5 - 1e-6).any()
        return f", mean of ranks {group.removeprefix('rank:').replace('-', ' to ')}{' (≈: quadrature nodes)' if nodes else ''}"
    return f", {dict(max='largest of the class rows', min='least of the class rows').get(group, group)}"


def of_classes(result):
    """The variable that measures how well a class is learned: its error or, for least squares, its coefficient."""
    return "error" if "error" in result else "coefficient"


def learns(result):
    """True if an error falls below 0.1 in a run of several steps without label noise, which may keep errors higher."""
    if "error" not in result:
        return False
    noise = result.params.get("data.label_noise", [experiment_value(result, 0, "data.label_noise") or 0])
    return len(result.coords["step"]) > 2 and not any(noise) and bool((result.array("error").values < 0.1).any())


def incomplete(result):
    """A line for each kind of incomplete run; their available numbers are drawn."""
    troubles = {}
    for run, label, status, step in result.incomplete:
        troubles.setdefault((label, status), []).append((run, step))
    for (label, status), places in troubles.items():
        run, step = places[0]
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        ends = {"missing": "missing, and left out", "diverged": f"diverged after step {step}; drawn up to there",
                "digits_lost": f"fewer than 3 digits are left from step {step} on, drawn grey"}
        yield f"run {run}{more}, {label}: {ends.get(status, f'{status}; drawn as far as it goes')}"


def say_incomplete(result):
    for line in incomplete(result):
        say(f"{result.path}: {line}")


def digits_of(result, name):
    """The name of the variable that has the digits of this one; None if they were not measured."""
    return next((variable for variable in (f"{name}_digits", "digits") if variable in result), None)


def require_steps(result, steps):
    if len(steps) < 3:
        raise Missing(f"{result.path}: {len(steps)} steps with numbers are too few for a curve; record more (run.record)")


def experiment_value(result, run, key):
    """The value of a key in a run: the swept value, or else that of the experiment."""
    if key in result.params:
        return result.params[key][run]
    value = result.experiment
    for name in key.split("."):
        value = value.get(name, {}) if isinstance(value, dict) else {}
    return None if value == {} else value
