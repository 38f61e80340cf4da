"""BibTeX of the program and of the papers cited by the predictions of a result or the checks of a report."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

# In a checkout and in an installation data/ is beside analysis/; pip puts it into the package.
PLACES = [pathlib.Path(__file__).resolve().parents[up] / f"{within}data/references.bib" for up, within in ((1, "installed/share/rarefact/"), (3, ""))]
REFERENCES = next(filter(pathlib.Path.is_file, PLACES), PLACES[-1])


def entries() -> dict[str, str]:
    """The entries of references.bib by key, in file order; empty without the file."""
    text = REFERENCES.read_text(encoding="utf-8") if REFERENCES.is_file() else ""
    return {key: entry for entry, key in re.findall(r"^(@\w+\{([^,]+),\n.*?^\}\n)", text, re.DOTALL | re.MULTILINE)}


def program(attributes: Mapping[str, Any]) -> str:
    version, commit = (str(attributes.get(name, "")) for name in ("rarefact_version", "git_commit"))
    return (f"@misc{{rarefact,\n  title = {{{{Rarefact}}: how optimizers learn rare facts}},\n  author = {{{{Rarefact contributors}}}},\n"
            f"  note = {{version {version}, commit {commit[:12]}}}\n}}\n")


def bibtex(attributes: Mapping[str, Any], named: Iterable[str]) -> str:
    """The entries of the program and of every paper whose key occurs in one of the texts."""
    return "\n".join([program(attributes), *(entry for key, entry in entries().items() if any(key in text for text in named))])
