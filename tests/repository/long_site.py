"""scripts/site builds every page of the project, loads nothing from a network, and no link of it leads to nothing."""

import re
import shutil
import subprocess
import unittest
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from project import ROOT

SITE = ROOT / "build" / "site"
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
# Relations of <link> that a browser does not load.
NAMED = {"canonical", "next", "prev"}


class Page(HTMLParser):
    """Anchors of a page, where its links go, and what a browser loads for it."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.add(found.get("id"))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if found.get(LOADED.get(tag)) and found.get("rel") not in NAMED:
            self.loads.append(found[LOADED[tag]])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("mkdocs") is None or "material" not in subprocess.run(
                ["mkdocs", "build", "--help"], capture_output=True, text=True, check=True).stdout:
            raise unittest.SkipTest("mkdocs with its theme material is missing (Debian package mkdocs-material)")
        cls.done = subprocess.run([ROOT / "scripts" / "site"], capture_output=True, text=True)
        cls.pages = {path: Page(path) for path in SITE.rglob("*.html")} if cls.done.returncode == 0 else {}

    def test_it_builds_without_a_complaint(self):
        """mkdocs --strict"""
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        self.assertGreater(len(self.pages), 15)

    def test_tables_have_no_escaped_bars(self):
        """p̂(k|l) in the code of a table"""
        for path in self.pages:
            self.assertNotRegex(re.sub(r"<pre>.*?</pre>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL), r".{,30}\\\|", path)

    def test_nothing_is_loaded_from_elsewhere(self):
        """scripts, styles, pictures and fonts are files of the site"""
        for path, page in self.pages.items():
            for address in page.loads:
                self.assertEqual(urlsplit(address)[:2], ("", ""), f"{path}: {address}")
        for path in SITE.rglob("*.css"):
            self.assertIsNone(re.search(r"(url\(|@import )[\"']?(https?:)?//", path.read_text(encoding="utf-8")), path)

    def test_every_link_leads_somewhere(self):
        """to a file of the site, and to an anchor that is there"""
        for path, page in self.pages.items():
            if path.name == "404.html":  # its links start at the top of a server
                continue
            for link in page.links + page.loads:
                scheme, host, name, _, anchor = urlsplit(link)
                if scheme or host:
                    continue
                target = (path.parent / unquote(name)).resolve() if name else path
                target = target / "index.html" if target.is_dir() else target
                self.assertTrue(target.is_file(), f"{path.relative_to(SITE)}: {link}")
                if anchor and target in self.pages:
                    there = unquote(anchor) in self.pages[target].anchors
                    self.assertTrue(there, f"{path.relative_to(SITE)}: {link}: no such anchor")


if __name__ == "__main__":
    unittest.main()
