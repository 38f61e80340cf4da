"""Blocks of README.md, docs/findings.md and docs/theorems.md that the program wrote: a comment names the command, the fenced
block after it is its output."""

import re
import tempfile
from pathlib import Path

from project import ROOT, rarefact

PAGES = [ROOT / "README.md", ROOT / "docs" / "findings.md"]
THEOREMS = ROOT / "docs" / "theorems.md"
KJV = "rarefact run experiments/kjv_words.toml"
EPSILON = "rarefact run experiments/adam_epsilon.toml"
BLOCK = re.compile(r"(<!-- output of: (?P<command>.*?) -->\n```\w*\n)(?P<text>.*?)(\n```)", re.DOTALL)
# A table that stands in the page as it is.
TABLE = re.compile(r"(<!-- table of: rarefact verify -->\n)(?P<text>.*?)(<!-- end of table -->)", re.DOTALL)
# Experiments whose tables are shown, below experiments/, and how many of each.
TABLES = {"zipf_at_scale": 2, "imbalance_by_embedding": 2, "paper/capacity": 1}


def blocks():
    """Command -> text of its block."""
    return {found["command"]: found["text"] for page in PAGES for found in BLOCK.finditer(page.read_text(encoding="utf-8"))}


def starter_outputs():
    """What the commands about starter.toml print, or write, in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rarefact("init", "starter", folder=folder)
        written = (folder / "starter.toml").read_text(encoding="utf-8").rstrip("\n")
        table = rarefact("run", "starter.toml", folder=folder).stdout.rstrip("\n")
        (folder / "starter.toml").write_text(written.replace('rule = "muon"', 'rule = "muno"'), encoding="utf-8")
        mistake = rarefact("run", "starter.toml", folder=folder).stderr.rstrip("\n")
    return {
        "rarefact init starter": written,
        "rarefact run starter.toml": table,
        "rarefact run starter.toml, with a rule misspelt": mistake,
    }


def table_outputs(experiment):
    """The tables of a result that are shown: command -> output. Runs experiments/EXPERIMENT.toml, for half a minute at most."""
    result = f"results/{Path(experiment).name}.h5"
    commands = [command for command in blocks() if f"table {result}" in command]
    with tempfile.TemporaryDirectory() as name:
        rarefact("run", ROOT / "experiments" / f"{experiment}.toml", folder=name)
        return {command: rarefact(*command.split()[1:], folder=name).stdout.rstrip("\n") for command in commands}


def run_output(command):
    """The closing table of an experiment of the repository without the line that names the result."""
    with tempfile.TemporaryDirectory() as name:
        printed = rarefact(*command.split()[1:], "-o", f"{name}/result.h5", folder=ROOT).stdout
    return {command: "\n".join(line for line in printed.splitlines() if not line.startswith("result:"))}


def kjv_output():
    """The table of the picture's experiment; seconds."""
    return run_output(KJV)


def verdicts():
    """The table of all checks as Markdown, without the comment that names its command; a minute."""
    with tempfile.TemporaryDirectory() as name:
        done = rarefact("verify", "--markdown", "verdicts.md", folder=name)
        table = (Path(name) / "verdicts.md").read_text(encoding="utf-8")
    return done.returncode, table.split("\n\n", 1)[1]


def update():
    """Writes the blocks anew from the program."""
    outputs = starter_outputs() | run_output(EPSILON) | kjv_output()
    for experiment in TABLES:
        outputs |= table_outputs(experiment)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(BLOCK.sub(lambda found: found[1] + outputs[found["command"]] + found[4], text), encoding="utf-8")
    table, text = verdicts()[1], THEOREMS.read_text(encoding="utf-8")
    THEOREMS.write_text(TABLE.sub(lambda found: found[1] + table + found[3], text), encoding="utf-8")


if __name__ == "__main__":
    update()
