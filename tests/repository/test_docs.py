"""Markdown pages name what is there: files, options of the program, and each other. What they show is tested by scripts/docs."""

import re
import unittest
from collections import Counter
from pathlib import Path

from project import ROOT, needs_program, project_files, rarefact, text_of

# Of src: a README of each large room. Its other texts are printed by the program.
ROOMS = [path.as_posix() for path in project_files() if path.parts[0] == "src" and path.name == "README.md"]
PAGES = [path.as_posix() for path in project_files() if path.suffix == ".md" and path.parts[0] != "src"]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"(?<![\w/.])(?:analysis|data|docs|experiments|include|scripts|src|tests)/[\w./-]*\w(?![\w*<{])")
COMMAND = re.compile(r"rarefact (?P<words>(?:\\\n|[^`\n|;])*)")


class Docs(unittest.TestCase):
    def test_links_and_paths_lead_to_files(self):
        """relative links, and paths from the top of the project in text and code; the changelog is history"""
        for page in PAGES + ROOMS:
            text = text_of(page)
            for target in LINK.findall(re.sub(r"`[^`]*`|^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
                with self.subTest(f"{page}: {target}"):
                    self.assertTrue(((ROOT / page).parent / target).exists())
            for path in PATH.findall(text) if page != "CHANGELOG.md" else []:
                with self.subTest(f"{page}: {path}"):
                    self.assertTrue((ROOT / path).exists())

    def test_every_large_room_has_a_readme_of_its_files(self):
        """a folder of src with more than twenty files says where to begin, and names files and constants that are there"""
        sources = Counter(path.parent.as_posix() for path in project_files() if path.parts[0] == "src" and path.name != "README.md")
        self.assertEqual([], [room for room, size in sources.items() if size > 20 and f"{room}/README.md" not in ROOMS])
        for page in ROOMS:
            text = text_of(page)
            for name in re.findall(r"`((?:words/)?\w+\.(?:[ch]pp|md))`", text):
                with self.subTest(f"{page}: {name}"):
                    self.assertTrue(((ROOT / page).parent / name).exists())
            for names, file, values in re.findall(r"^\| (`.*`) \| `([\w.]+)` \| (.*?) \|", text, re.MULTILINE):
                source = text_of((Path(page).parent / file).as_posix())
                for name in re.findall(r"\w+", names):
                    with self.subTest(f"{page}: {file}: {name}"):
                        self.assertRegex(source, rf"\b{name}\b")
                        for value in re.findall(rf"constexpr \w+ {name} = ([\d.e-]+)[,;]", source):
                            self.assertIn(value, values.split("; "))

    def test_every_option_that_a_page_names_exists(self):
        """also of commands that are not run by scripts/docs, such as those for a cluster"""
        needs_program()
        helps = {}
        for page in PAGES:
            for found in COMMAND.finditer(text_of(page)) if page not in ("CHANGELOG.md", "docs/commands.md") else []:
                words = found["words"].split()
                # The command that has the options: none, run, plot class_errors.
                subject = tuple(word for word in words[:2 if words[:1] == ["plot"] else 1] if not word.startswith("-"))
                for option in [word.split("=")[0] for word in words if re.match(r"--(?!help)\w", word)]:
                    helps[subject] = helps.get(subject) or rarefact(*subject, "--help").stdout
                    with self.subTest(f"{page}: {option} of {found[0]}"):
                        self.assertTrue(re.search(rf"(^|[\s\[,]){option}\b", helps[subject]))

    def test_every_page_is_in_the_navigation_of_the_site_once(self):
        """every Markdown file of the project, and nothing else"""
        named = re.findall(r": (\S+\.md)$", text_of("scripts/site.yml"), re.MULTILINE)
        self.assertEqual(sorted(named), sorted(PAGES))


if __name__ == "__main__":
    unittest.main()
