"""The numbers that a figure shows: runs selected by swept keys, in cases whose runs differ only in the seed."""

import dataclasses
import sys

import numpy as np

from ..errors import NotAResult, nearest
from .style import fixed_text, number

# Student's t, 97.5 %, for 1 to 10 degrees of freedom; above, the expansion below has four right digits.
STUDENT = [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814]

LABELS = {"loss": "loss L", "excess_loss": "excess loss L − L*", "error": "error, 1 − p̂(right)", "gap": "gap Δ of p̂(right)"}


class Missing(NotAResult):
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


def say(text):
    print(text, file=sys.stderr)


def require_swept(result, key, option):
    if key not in result.params:
        swept = ", ".join(result.params) or "no keys"
        raise Missing(f"{result.path}: {option}: {key} is not swept; swept are {swept}{nearest(key, result.params)}")


def present(result):
    """Whether each run is present; missing runs of a partial result have no classes."""
    return (result.array("class_count").values > 0).any(axis=1)


def chosen_runs(result, where):
    """The runs whose swept keys have the values of `where`, a list of KEY=VALUE."""
    runs = present(result)
    for text in where:
        key, _, wanted = text.partition("=")
        require_swept(result, key, f"--where {text}")
        values = result.params[key]
        same = np.array([str(value) == wanted or (not isinstance(value, str) and _close(value, wanted)) for value in values])
        if not same.any():
            raise Missing(f"{result.path}: --where {text}: {key} has the values {', '.join(dict.fromkeys(map(str, values)))}")
        runs &= same
    if not runs.any():
        raise Missing(f"{result.path}: --where: no run has all of these values")
    return np.flatnonzero(runs)


def _close(value, text):
    try:
        return abs(value - float(text)) <= 1e-9 * abs(value)
    except ValueError:
        return False


def varying(result, runs, given=()):
    """The swept keys that distinguish the runs, without those determined by `given` and earlier ones. Step sizes come late and the
    seed last, so that a key that changes with the seed is named and not averaged over."""
    keys, names = [], [()] * len(runs)
    for key in given:
        names = [(*name, result.params[key][run]) for name, run in zip(names, runs)]
    for key in sorted(result.params, key=lambda key: (key == "seed", key.startswith("optimizer."), key)):
        more = [(*name, result.params[key][run]) for name, run in zip(names, runs)]
        if key not in given and len(set(more)) > len(set(names)):
            keys.append(key)
            names = more
    return keys


def free_keys(result, runs=None, given=()):
    """The keys of varying() without the seed; default: those of all runs."""
    return [key for key in varying(result, np.flatnonzero(present(result)) if runs is None else runs, given) if key != "seed"]


def case_text(result, run, keys):
    """The values of these swept keys, with the symbols of the glossary: s = 1.5, T = 257."""
    return ", ".join(fixed_text(key, number(result.params[key][run])) for key in keys)


def all_cases(result):
    """The free keys, slowest-varying first, and the cases of a result."""
    keys = sorted(free_keys(result), key=lambda key: np.count_nonzero(result.params[key][1:] != result.params[key][:-1]))
    return keys, gathered(result, np.flatnonzero(present(result)), keys)


def gathered(result, runs, keys):
    """The runs in cases, one for each combination of values of the keys, in the order of the file."""
    found = {}
    for run in runs:
        found.setdefault(tuple(result.params[key][run] for key in keys), []).append(run)
    return [Case(case_text(result, same[0], keys), np.array(same)) for same in found.values()]


def cases(result, options, most=1, given=()):
    """The selected runs, grouped by every swept key except the seed and those in `given`. Raises TooMany for more than `most` cases."""
    runs = chosen_runs(result, options.where)
    keys = free_keys(result, runs, given)
    found = gathered(result, runs, keys)
    if len(found) > most:
        where = [f"{key}={result.params[key][found[0].runs[0]]}" for key in keys]
        room = "one case" if most == 1 else f"{most} cases"
        raise TooMany(f"{result.path}: {len(found)} cases by {', '.join(keys)}, and there is room for {room}; fix them by "
                      + " ".join(f"--where {text}" for text in where), where)
    return found


def along(result, chosen, key):
    """The sorted values of a swept key, and the runs as seed x value, with as many seeds as every value has."""
    require_swept(result, key, "the axis")
    moving = result.params[key][chosen]
    if isinstance(moving[0], str):
        raise Missing(f"{result.path}: {key} has texts as values and cannot be a numeric axis; use a heat map")
    values = np.unique(moving)
    same = [chosen[moving == value] for value in values]
    return values, np.array([each[:min(map(len, same))] for each in same]).T


def student(freedom):
    """The 97.5 % quantile of Student's t."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z = 1.959964
    return (z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3))


def over_seeds(values):
    """Mean and half the 95 % interval (Student's t) over the first axis; NaN where a run has no number, because the mean of the others
    would mislead. A single run has no interval."""
    count, mean = len(values), np.mean(values, axis=0)
    if count < 2:
        return mean, np.full_like(mean, np.nan)
    return mean, student(count - 1) * np.std(values, axis=0, ddof=1) / np.sqrt(count)


def of_class(result, name, group="tail"):
    """A variable as run x optimizer x step; of a variable over classes one group (head, tail or an index), or the min or max of all."""
    array = result.array(name)
    if array.dims == ("run", "optimizer", "step") and array.values.dtype.kind == "f":
        return array.values
    if array.dims != ("run", "optimizer", "step", "class_group"):
        raise Missing(f"{result.path}: {name} has no course over the steps")
    if group in ("min", "max"):
        return (np.fmin if group == "min" else np.fmax).reduce(array.values, axis=3)
    out = np.full(array.values.shape[:3], np.nan)
    for run in np.flatnonzero(present(result)):
        places = np.flatnonzero(result.array("class_count").values[run] > 0)
        likely = result.array("class_probability").values[run, places]
        # Among classes that are equally likely up to rounding the first is the head and the last the tail, as
        # in the program.
        ends = {"head": np.flatnonzero(likely >= likely.max() * (1 - 1e-12))[0],
                "tail": np.flatnonzero(likely <= likely.min() * (1 + 1e-12))[-1]}
        try:
            out[run] = array.values[run, :, :, places[ends[group] if group in ends else int(group)]]
        except (ValueError, IndexError):
            raise Missing(f"{result.path}: --class {group}: expected head, tail, min, max or an index below {len(places)}") from None
    return out


def predicted(result, name):
    """The values of a prediction, or NaN in the shape of the loss if the file has none."""
    return result.array(name).values if name in result else np.full_like(result.array("loss").values, np.nan)


def at_moment(result, name, options, below):
    """A variable as run x optimizer: the first step with a value below a threshold, the value at a step, or the largest or least value
    along the run, which is NaN if the variable ends before the loss does."""
    if sum(choice is not None for choice in (below, options.at, options.over)) > 1:
        raise Missing("--at, --over and --below exclude each other: they choose the value at a step, the largest or least value, or the step below a threshold")
    course, steps = of_class(result, name, options.group), list(result.coords["step"])
    if below is not None:
        return first_below(result, course, below, options.sustained)
    if options.over:
        ends = (np.isnan(course) & np.isfinite(result.array("loss").values)).any(axis=2)
        return np.where(ends, np.nan, (np.fmax if options.over == "max" else np.fmin).reduce(course, axis=2))
    if options.at in (None, "last"):
        return last(course)
    if options.at not in map(str, steps):
        raise Missing(f"{result.path}: --at {options.at}: step {options.at} is not recorded; the last one is {steps[-1]}")
    return course[:, :, list(map(str, steps)).index(options.at)]


def moment_text(result, name, options, below):
    """The label of an axis for the values of at_moment."""
    units, group = result.array(name).units, of_class_text(result, name, options.group)
    if below is not None:
        return f"{'lasting' if options.sustained else 'first'} step with {name}\u00a0<\u00a0{below:g}{group}"
    along = {"max": ", largest along the run", "min": ", least along the run"}.get(options.over, "")
    return LABELS.get(name, result.array(name).long_name) + group + along + (f" [{units}]" if units not in ("", "1") else "")


def of_class_text(result, name, group):
    """The class of a variable over classes, such as ', tail'; else empty."""
    if "class_group" not in result.array(name).dims:
        return ""
    return f", {dict(max='largest of all classes', min='least of all classes').get(group, group)}"


def first_below(result, values, below, sustained=False):
    """run, optimizer, step -> run, optimizer: the first recorded step with a value below; with `sustained` the first from which on all
    values are. Infinite if the run ends before, NaN if its numbers end before."""
    steps = result.coords["step"]
    whole = np.isin(result.array("status").values, ("complete", "digits_lost", "uncertified")) & np.isfinite(values).any(axis=2)
    reached = values < below
    if sustained:  # runs of a sweep end at different steps; missing values do not rise above the threshold
        stays = reached | (np.isnan(values) & whole[:, :, None])
        reached &= np.flip(np.logical_and.accumulate(np.flip(stays, 2), axis=2), 2)
    first = steps[reached.argmax(axis=2)].astype(float)
    return np.where(reached.any(axis=2), first, np.where(whole, np.inf, np.nan))


def of_classes(result):
    """The variable that measures how well a class is learned: its error or, for least squares, its coefficient."""
    return "error" if "error" in result else "coefficient"


def learns(result):
    """Whether an error below 0.1 can be reached; label noise may keep it higher."""
    if "error" not in result:
        return False
    noise = result.params.get("data.label_noise", [experiment_value(result, 0, "data.label_noise") or 0])
    return len(result.coords["step"]) > 2 and not any(noise) and bool((result.array("error").values < 0.1).any())


def say_incomplete(result):
    """Prints a line for each kind of problem; available numbers are drawn."""
    troubles = {}
    for run, label, status, step in result.incomplete:
        troubles.setdefault((label, status), []).append((run, step))
    for (label, status), places in troubles.items():
        run, step = places[0]
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        ends = {"missing": "missing, and left out", "diverged": f"diverged after step {step}; drawn up to there",
                "digits_lost": f"fewer than 3 digits are left from step {step} on, drawn grey"}
        say(f"{result.path}: run {run}{more}, {label}: {ends.get(status, f'{status}; drawn as far as it goes')}")


def digits_of(result, name):
    """The digits that rounding leaves of a variable, over run, optimizer and step; NaN where they were not measured."""
    known = next((each for each in (f"{name}_digits", "digits") if each in result), None)
    return result.array(known).values if known else np.full_like(result.array("loss").values, np.nan)


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


def last(values):
    """The last finite value along the last axis; runs of a sweep end at different steps."""
    finite = np.isfinite(values)
    place = values.shape[-1] - 1 - np.flip(finite, -1).argmax(axis=-1)
    return np.where(finite.any(axis=-1), np.take_along_axis(values, place[..., None], -1)[..., 0], np.nan)
