"""docs/glossary.md defines every symbol of README.md and docs/, every term of it is used, and every name a user meets has an entry."""

import json
import re
import unicodedata
import unittest

from project import ROOT, needs_program, rarefact, text_of

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NO_PROSE = re.compile(r"<!--.*?-->|\]\([^)]*\)|https?://\S+")
# A Greek letter, or a Latin one that stands alone, with its accents; a digit below it, a word below it, a star.
# Letters after an underscore are indices, C++ is no symbol, and w.entries no product.
SYMBOL = re.compile(r"((?:(?<![A-Za-z0-9_'’\\./@-])[A-Za-z](?![A-Za-z0-9]|\.[a-z]|\+\+)|[\u0370-\u03ff])[\u0300-\u036f]*"
                    r"(?:[₀-₉]|_(?:max|min)(?![a-z])|\\?\*(?![\w*]))?)")
SIGN = re.compile(r"[^\x00-\x7f]")
EVERYBODY_KNOWS = set("±×÷√∞∫≈≤≥≠←→")


def pages():
    """Path below ROOT -> lines without code blocks, comments and link targets, letters and accents apart."""
    found = {}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]:
        text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), path.read_text(encoding="utf-8"))
        text = NO_PROSE.sub(lambda part: "\n" * part[0].count("\n"), text)
        found[path.relative_to(ROOT).as_posix()] = unicodedata.normalize("NFD", text).split("\n")
    return found


def symbols(line):
    """Those of a line: letters (p, p̂, π₁, m*, p_max) and mathematical signs."""
    letters = {letter.replace("\\", "") for letter in SYMBOL.findall(line)}
    return letters | {sign for sign in SIGN.findall(line) if unicodedata.category(sign) == "Sm" and sign not in EVERYBODY_KNOWS}


def column(page, header):
    """The first column of the table whose header line starts so: names within `code`, or the plain text of a cell."""
    rows = text_of(page).split(f"\n| {header} |", 1)[1].split("\n\n", 1)[0].split("\n")[2:]
    return [row.split(" | ")[0].removeprefix("| ").strip("`") for row in rows]


def names():
    """What a user chooses or reads: engines, rules, kinds, spectra and modes of the schema, statuses, verdicts."""
    schema = json.loads(rarefact("explain", "--schema").stdout)
    status = re.search(r"^\| `status` \|.*$", text_of("docs/result-file.md"), re.MULTILINE)[0]
    return {
        "engine": values_of(schema, "engine") - {"auto"},
        "rule": values_of(schema, "rule"),
        "embedding": values_of(schema, "kind"),
        "spectrum": values_of(schema, "spectrum"),
        "mode": values_of(schema, "mode"),
        "status": re.findall(r"(?:^|; )`([a-z_]+)`", status.split(" | ", 3)[3]),
        "verdict": column("docs/verify.md", "verdict"),
    }


def values_of(schema, key, inside=False):
    """The names that a key of the experiment may have: every enum within it, wherever it stands in the schema."""
    if isinstance(schema, list):
        return {value for part in schema for value in values_of(part, key, inside)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema["enum"]) if inside and "enum" in schema else set()
    return found.union(*(values_of(part, key, inside or name == key) for name, part in schema.items()))


class Glossary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = pages()
        cls.lines = cls.pages.pop("docs/glossary.md")
        cls.text = text_of("docs/glossary.md")
        cls.terms = re.findall(r"^### (.+)$", cls.text.split("\n## Terms\n")[1], re.MULTILINE)
        tables = "\n".join(cls.lines).split("\n## Terms\n")[0]
        cls.defined = {symbol for row in re.findall(r"^\| (.+?) \| ", tables, re.MULTILINE) for symbol in symbols(row)}

    def test_every_symbol_is_defined(self):
        """a letter or sign of a page outside code blocks stands in the first column of a table of symbols"""
        missing = {}
        for page, lines in self.pages.items():
            for number, line in enumerate(lines, start=1):
                for symbol in symbols(line) - self.defined:
                    missing.setdefault(unicodedata.normalize("NFC", symbol), f"{page}:{number}: {line.strip()}")
        self.assertEqual([f"{symbol} in {place}" for symbol, place in sorted(missing.items())], [], "docs/glossary.md does not define")

    def test_no_symbol_is_defined_for_nothing(self):
        """each stands on another page"""
        used = {symbol for lines in self.pages.values() for line in lines for symbol in symbols(line)}
        self.assertEqual(sorted(self.defined - used), [])

    def test_every_term_is_used(self):
        """each title of an entry stands on another page, in the singular or the plural"""
        text = " ".join(text_of(page) for page in self.pages)
        for term in self.terms:
            words = r"\W".join(map(re.escape, term.split()))
            self.assertTrue(re.search(rf"\b{words}", text, re.IGNORECASE), f"{term} is used nowhere")

    def test_terms_are_in_order_and_once(self):
        """the order of the alphabet"""
        self.assertEqual(self.terms, sorted(set(self.terms), key=str.casefold))

    def test_every_name_has_an_entry(self):
        """engines, rules, kinds, spectra, modes, statuses and verdicts stand in the glossary as code"""
        needs_program()
        for kind, values in names().items():
            self.assertGreater(len(values), 2, kind)
            for value in values:
                self.assertTrue(f"`{value}`" in self.text, f"docs/glossary.md does not have the {kind} `{value}`")


if __name__ == "__main__":
    unittest.main()
