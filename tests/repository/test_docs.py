"""Markdown pages name what is there: files, options of the program, and each other. What they show is tested by scripts/docs."""

import re
import unittest

from project import ROOT, needs_program, project_files, rarefact, text_of

# Texts in src are printed by the program.
PAGES = [path.as_posix() for path in project_files() if path.suffix == ".md" and path.parts[0] != "src"]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"(?<![\w/.])(?:analysis|data|docs|experiments|include|scripts|src|tests)/[\w./-]*\w(?![\w*<{])")
COMMAND = re.compile(r"rarefact (?P<words>(?:\\\n|[^`\n|;])*)")


class Docs(unittest.TestCase):
    def test_links_and_paths_lead_to_files(self):
        """relative links, and paths from the top of the project in text and code; the changelog is history"""
        for page in PAGES:
            text = text_of(page)
            for target in LINK.findall(re.sub(r"`[^`]*`|^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
                with self.subTest(f"{page}: {target}"):
                    self.assertTrue(((ROOT / page).parent / target).exists())
            for path in PATH.findall(text) if page != "CHANGELOG.md" else []:
                with self.subTest(f"{page}: {path}"):
                    self.assertTrue((ROOT / path).exists())

    def test_every_option_that_a_page_names_exists(self):
        """also of commands that are not run by scripts/docs, such as those for a cluster"""
        needs_program()
        helps = {}
        for page in PAGES:
            for found in COMMAND.finditer(text_of(page)) if page not in ("CHANGELOG.md", "docs/reference.md") else []:
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
