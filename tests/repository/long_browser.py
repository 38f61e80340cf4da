"""The page of rarefact report in a browser: no complaint, no network, every image has a size, readable on a phone and a desk.

With RAREFACT_SCREENSHOTS=FOLDER the pictures are kept, to be looked at.
"""

import os
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

from browser import Browser
from project import ROOT, rarefact

RESULTS = {"class_errors": [], "gap_many_steps": ["--set", "run.steps=200"], "isotropy": ["--set", "run.steps=60"], "rho": []}
IMAGES = ("Array.from(document.images).map(i => [i.alt, i.complete, i.naturalWidth, i.clientWidth, i.clientHeight, "
          "!!i.closest('details:not([open])')])")

WIDE_TABLES = ("Array.from(document.querySelectorAll('.scroll')).filter(s => s.querySelector('table') && s.scrollWidth > s.clientWidth)"
               ".length")


def run(*words):
    done = rarefact(*words)
    if done.returncode == 3 and "python3 with h5py" in done.stderr:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")


def colours(png):
    """Distinct bytes of the picture's data: a blank page has a handful."""
    data, place = b"", 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        if kind == b"IDAT":
            data += png[place + 8:place + 8 + length]
        place += 12 + length
    return len(set(zlib.decompress(data)))


class ReportInABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # the browser's last files may come late
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.browser = Browser(cls.folder)
        cls.addClassCleanup(cls.browser.close)
        files = []
        for name, words in RESULTS.items():
            files.append(cls.folder / f"{name}.h5")
            run("run", ROOT / "experiments" / "figures" / f"{name}.toml", *words, "-o", files[-1], "--progress", "none")
        files.append(cls.folder / "verdicts.h5")
        run("verify", "--quick", "-o", files[-1])
        cls.page = cls.folder / "report.html"
        run("report", *files, "-o", cls.page)

    def test_the_page_is_whole_on_a_phone_and_on_a_desk(self):
        """390 and 1280 pixels wide"""
        for name, width in (("phone", 390), ("desk", 1280)):
            with self.subTest(name):
                self.browser.open(self.page, width, 900)
                self.assertEqual(self.browser.complaints(), [])
                self.assertEqual([url for url in self.browser.requests() if not url.startswith(("file:", "data:"))], [])
                # The page itself is never moved sideways; wide figures and tables move in their frames.
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                self.assertGreaterEqual(self.browser.evaluate("parseFloat(getComputedStyle(document.body).fontSize)"), 16)
                if folder := os.environ.get("RAREFACT_SCREENSHOTS"):
                    Path(folder, f"report_{name}.png").write_bytes(self.browser.picture())
                self.browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                if name == "desk":  # tables fit their frames there
                    self.assertEqual(self.browser.evaluate(WIDE_TABLES), 0)
                images = self.browser.evaluate(IMAGES)
                self.assertGreaterEqual(len(images), 20)
                for alt, complete, natural, wide, high, _ in images:
                    self.assertTrue(complete and natural > 0 and wide > 200 and high > 100, alt)
                picture = self.browser.picture()
                self.assertEqual(struct.unpack(">I", picture[16:20])[0], width)
                self.assertGreater(colours(picture), 100)

    def test_a_page_that_complains_is_noticed(self):
        """a script, forbidden by the page itself; an image from elsewhere; an image without content"""
        bad = self.folder / "bad.html"
        text = self.page.read_text(encoding="utf-8")
        more = "<script>1</script><img src='http://127.0.0.1:9/x.png' alt='none'>"
        bad.write_text(text.replace("</body>", f"{more}</body>"), encoding="utf-8")
        self.browser.open(bad, 800, 600)
        self.assertGreaterEqual(len(self.browser.complaints()), 2)
        self.assertIn(0, [natural for _, _, natural, *_ in self.browser.evaluate(IMAGES)])


if __name__ == "__main__":
    unittest.main()
