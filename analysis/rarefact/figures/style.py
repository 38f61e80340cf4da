"""The look of figures: conference widths, fonts, a colour, dash and marker for each optimizer, numbers in labels."""

import contextlib
import re

import matplotlib
import matplotlib.style
import numpy as np

# Inches. Single-column conferences have no column width.
WIDTHS = {"icml-column": 3.25, "icml-text": 6.75, "neurips-text": 5.5, "iclr-text": 5.5, "jmlr-text": 6.0}

# Okabe and Ito's colours, but for their pale yellow, each with its own dash and marker, so that grey prints can be read.
LOOKS = {
    "blue": ("#0072B2", "-", "o"), "vermilion": ("#D55E00", (0, (5, 1.5)), "s"), "green": ("#009E73", (0, (5, 1.5, 1, 1.5)), "D"),
    "sky": ("#56B4E9", (0, (2, 1)), "^"), "orange": ("#E69F00", (0, (8, 2)), "v"), "purple": ("#CC79A7", (0, (3, 1, 1, 1, 1, 1)), "P"),
    "black": ("#000000", (0, (1, 1)), "X"), "olive": ("#8B7A00", (0, (8, 1.5, 2, 1.5)), "*"),
}
RULES = {"muon": "blue", "gd": "vermilion", "adam": "green", "signgd": "sky", "ngd": "orange", "tra_signgd": "black",
         "momentum": "olive", "newton": "purple"}
# For further optimizers with the same rule, such as Muon with another polar factor.
SPARE = ["purple", "black", "green", "orange", "sky", "vermilion", "blue", "olive"]
PREDICTED = {"color": "black", "linewidth": 0.8, "linestyle": (0, (4, 2)), "zorder": 3}
SYMBOLS = {"classes.exponent": "s", "classes.count": "K", "classes.groups": "M", "classes.group_size": "C",
           "data.label_noise": "α", "data.batch": "B", "embedding.dimension": "d", "run.steps": "T", "run.rho_epsilon": "ε"}
BY_VALUE = {"embedding.kind": "embedding", "embedding.query.kind": "query embedding", "embedding.answer.kind": "answer embedding",
            "run.engine": "engine", "classes.spectrum": "frequencies", "model.loss": "loss", "answers.law": "answers", "init.kind": "start",
            "target.directions": "target", "data.mode": "data"}
# The rules as papers write them.
PAPERS = {"gd": "GD", "ngd": "NGD", "momentum": "Momentum", "signgd": "SignGD", "tra_signgd": "TRA-SignGD", "adam": "Adam", "muon": "Muon",
          "newton": "Newton"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

LETTERS = {
    "font.family": "DejaVu Sans", "font.size": 7, "axes.titlesize": 7.5, "axes.labelsize": 7.5, "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5, "legend.fontsize": 6.5, "legend.title_fontsize": 6.5, "legend.frameon": False, "lines.linewidth": 1.2,
    "lines.markersize": 3.4, "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4, "axes.grid": True, "grid.linewidth": 0.4, "grid.alpha": 0.3, "axes.axisbelow": True,
    "pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "text.parse_math": False,  # "$" in names is a plain "$"
}
# The settings of a notebook are ignored, except for its backend.
RC = {key: value for key, value in matplotlib.rcParamsDefault.items() if key not in matplotlib.style.core.STYLE_BLACKLIST} | LETTERS


@contextlib.contextmanager
def styled(salt="rarefact"):
    """A context in which matplotlib draws in our style; its settings are restored afterwards."""
    with matplotlib.rc_context(RC | {"svg.hashsalt": salt}):
        yield


def rule_of(result, label):
    """The update rule of an optimizer; if it is swept, that of the first run."""
    swept = result.params.get(f"optimizer.{label}.rule")
    if swept is not None:
        return swept[0]
    return {table.get("name", table.get("rule")): table.get("rule") for table in result.experiment["optimizer"]}.get(label)


def optimizer_looks(result):
    """Label -> colour, dash and marker. The first optimizer of a rule has the look of the rule; the others get unused looks."""
    taken, looks = {}, {}
    for label in result.coords["optimizer"]:
        taken.setdefault(RULES.get(rule_of(result, label)), label)
    free = [name for name in SPARE if name not in taken] + SPARE
    for label in result.coords["optimizer"]:
        name = next((name for name, owner in taken.items() if name and owner == label), None) or free.pop(0)
        looks[label] = dict(zip(("color", "linestyle", "marker"), LOOKS[name]))
    return looks


def looks(count):
    """Looks for `count` lines in a panel; shades from dark to light if there are more lines than looks."""
    if count > len(LOOKS):
        return ranks_looks(range(count)).values()
    return [dict(zip(("color", "linestyle", "marker"), look)) for look in list(LOOKS.values())[:count]]


def ranks_looks(ranks):
    """Rank -> colour from dark (head) to light (tail), equally spaced, and marker."""
    colours = matplotlib.colormaps["cividis"](np.linspace(0.0, 0.88, len(ranks)))
    return {rank: {"color": colour, "marker": marker} for rank, colour, marker in zip(ranks, colours, "osD^vP<>X*" * len(ranks))}


def ten_to(power):
    return f"10{str(power).translate(SUPERSCRIPTS)}"


def number(value, digits=3):
    """A number for a label: 0.25, 1500, 3×10¹²; a text is unchanged."""
    if isinstance(value, str):
        return value
    if abs(value) < 1e5 and float(value).is_integer():
        return str(int(value))
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    if not exponent:
        return mantissa
    return ten_to(int(exponent)) if mantissa == "1" else f"{mantissa}×{ten_to(int(exponent))}"


def said(key):
    """A key by its symbol in the glossary; that of an optimizer as Muon step size."""
    found = re.fullmatch(r"optimizer\.(.+)\.(\w+)", key)
    return f"{PAPERS.get(found[1], found[1])} {found[2].replace('_', ' ')}" if found else SYMBOLS.get(key, key)


def fixed_text(key, value):
    """s = 1.5, or embedding: identity."""
    if key != "optimizer" and isinstance(value, str) and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", value):
        value = number(float(value))
    return f"{BY_VALUE[key]}: {str(value).replace('_', ' ')}" if key in BY_VALUE else f"{said(key)} = {value}"


def mathematics(text):
    """Makes symbols of the glossary mathematics, $s$ = 1.5, loss $L$, as the arguments of a text; a text with dollars of its own is left as it is."""
    found = text if "$" in text else re.sub(rf"(?<!\S)({'|'.join(SYMBOLS.values())})(?= [=(])|(?<=loss )L\b( − L\*)?",
                                            lambda sign: f"${sign[0].replace(' ', '').replace('*', '^*')}$", text)
    return {"text": found, "parse_math": found != text}


def key_text(key):
    """A key as the label of an axis, s (classes.exponent); empty if its values are clear."""
    return "" if key in {*BY_VALUE, "optimizer"} else f"{SYMBOLS[key]} ({key})" if key in SYMBOLS else said(key)
