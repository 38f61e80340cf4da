"""Every kind of figure, and which of them a result can be drawn as. To add one: its module here, with parser() and
draw(results, options) -> Drawing, and its row in KINDS."""

import contextlib
import dataclasses
import io
import typing

from . import (alignment, answer_deciles, capacity, class_errors, curves, gap, heat_map, isotropy, losses, push, quadrature_error, rho,
               rule_zoo, runs, scaling, sharpness, style, threshold)


@dataclasses.dataclass(frozen=True)
class Kind:
    script: typing.Any
    caption: str
    applies: typing.Callable                       # of a result
    words: typing.Callable = lambda result: []     # options of the script
    wide: typing.Callable = lambda result: False   # whether its panels need the width of a page

    @property
    def name(self):
        return self.script.__name__.rpartition(".")[2]

    def draw(self, results, options):
        with style.styled():
            return self.script.draw(results, options)


def recorded(result):
    return len(result.coords["step"])


def gap_applies(result):
    """Over the steps, or over step sizes; a panel for each kind of embeddings."""
    others = [key for key in runs.free_keys(result) if key != "embedding.kind"]
    return recorded(result) > 2 or (len(others) == 1 and others[0].endswith(".step_size"))


def small_sweep(result):
    """Free keys, or one and optimizers, with few enough values for the cells of a map; of more than two keys a part is drawn."""
    keys = runs.free_keys(result)
    return len(keys) + (len(result.coords["optimizer"]) > 1) >= 2 and bool(keys) and all(len(set(result.params[key])) <= 12 for key in keys)


def few_cases(result):
    """Whether curves are drawn in a panel for each case."""
    every = range(len(result.coords["run"]))
    return 2 <= len(runs.gathered(result, every, runs.free_keys(result))) <= 3


def many_rules(result):
    """Formulas enough for a scatter, with what their first update does."""
    formulas = [label for label in result.coords["optimizer"] if style.rule_of(result, label) == "formula"]
    points = len(formulas) * len(runs.gathered(result, range(len(result.coords["run"])), runs.free_keys(result)))
    return "push" in result and points >= 4 and runs.learns(result) and len(result.coords.get("class_group", [])) > 1


def sharpness_applies(result):
    """Over recorded steps from W = 0 on, of Muon and another rule."""
    rules = [style.rule_of(result, label) for label in result.coords["optimizer"]]
    return "nds" in result and recorded(result) > 2 and result.coords["step"][0] == 0 and "muon" in rules and len(rules) > 1


def in_the_window(result):
    """Whether T runs far enough for a power law and stays far from M^s, M distinct frequencies: there the law ends."""
    noise, exponent, count, groups = (runs.experiment_value(result, 0, key) for key in (
        "data.label_noise", "classes.exponent", "classes.count", "classes.groups"))
    frequencies = groups or count
    return bool(noise and exponent and frequencies and 100 <= result.coords["step"][-1] <= 0.1 * frequencies**exponent)


# What a figure of capacities may vary; the number of facts may follow the dimension.
CAPACITY_KEYS = {"embedding.dimension", "classes.exponent", "classes.count"}

KINDS = [
    Kind(heat_map, "The sweep as a heat map; hatched cells do not get there.", small_sweep, wide=lambda result: True),
    Kind(curves, "Error of the rarest classes against step.",
         lambda result: recorded(result) > 2 and len(result.coords.get("class_group", [])) > 1,
         wide=few_cases),
    Kind(class_errors, "Error of the classes against step, from head (dark) to tail (light).",
         lambda result: recorded(result) > 2, wide=few_cases),
    Kind(losses, "Loss against step.", lambda result: recorded(result) > 2, wide=few_cases),
    Kind(threshold, "First step with an error below 0.1 against the rank of the class.",
         lambda result: runs.learns(result) and len(result.coords.get("class_group", [])) > 2, wide=few_cases),
    Kind(answer_deciles, "Loss of the answers at the last step against their frequency, in ten parts with equally many answers.",
         lambda result: "answer_loss" in result and len(result.coords["answer_group"]) > 2, wide=few_cases),
    Kind(gap, "Gap between the best and the worst class against the loss; learning goes from left to right.",
         gap_applies, wide=lambda result: "embedding.kind" in result.params),
    Kind(isotropy, "Isotropy of the updates and of the memory against step.",
         lambda result: recorded(result) > 2 and "update_entropy" in result, wide=lambda result: True),
    Kind(scaling, "Excess loss against the number of steps T, with fitted and predicted slopes.",
         lambda result: "run.steps" in result.params or in_the_window(result),
         lambda result: ["--against", "run.steps"] if "run.steps" in result.params else [],
         lambda result: len(result.coords["optimizer"]) > 1),
    Kind(rho, "ϱ, the least probability of a right answer when the best class has 1-ε, against the number of classes.",
         lambda result: "rho_at_threshold" in result and "classes.count" in result.params, wide=lambda result: True),
    Kind(capacity, "Facts recovered against the dimension of the embeddings, means over seeds.",
         lambda result: "embedding.dimension" in result.params and set(runs.free_keys(result)) <= CAPACITY_KEYS,
         wide=lambda result: True),
    Kind(push, "Push of the right logit of each class by an update, for a unit step.", lambda result: "push" in result,
         wide=lambda result: True),
    Kind(alignment, "What the updates lack in alignment with the population's polar factor against the window of momentum.",
         lambda result: "alignment" in result and bool(alignment.momenta(result))),
    Kind(sharpness, "Normalised directional sharpness of the updates over that of Muon's, at the same loss.", sharpness_applies,
         wide=lambda result: "embedding.kind" in result.params or len(result.coords["optimizer"]) > 2),
    Kind(rule_zoo, "Steps of the tail over steps of the head against the exponent of the first update in p.", many_rules),
    Kind(quadrature_error, "Certified and true error of the quadrature against its nodes.",
         lambda result: "run.nodes" in result.params),
]


def drawings(result, width=None, wide=None, wanted=lambda kind: True):
    """(kind, drawing, words, what it said) of every wanted kind that applies, drawn `width` inches wide, or `wide` where it needs that. Of
    a sweep with more cases than the figure has room for the first is drawn; the words choose it."""
    for kind in KINDS:
        if not wanted(kind) or not kind.applies(result):
            continue
        inches = wide if kind.wide(result) else width
        words, said, size = kind.words(result), io.StringIO(), ["--width", str(inches)] if inches else []
        for attempt in range(2):
            try:
                with contextlib.redirect_stderr(said):
                    made = kind.draw([result], kind.script.parser().parse([*words, *size, result.path]))
            except runs.TooMany as several:
                words = [*words, *(word for text in several.where for word in ("--where", text))]
                continue
            except runs.Missing:
                break
            yield kind, made, words, said.getvalue().replace(f"{result.path}: ", "").strip()
            break
