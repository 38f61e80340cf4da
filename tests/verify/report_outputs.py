"""What rarefact verify writes: pdflatex accepts its LaTeX table, and h5py reads the report.

usage: report_outputs.py RAREFACT
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

IDS = ["wang2025/one-step-gd", "wang2025/one-step-signgd-coupled", "li2026/muon-noisy"]


def compiles(folder):
    """The table in a document; None without LaTeX."""
    if shutil.which("pdflatex") is None or subprocess.run(["kpsewhich", "booktabs.sty"], check=False).returncode != 0:
        return None
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n\\noindent\\input{t.tex}\n\\end{document}\n",
        encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=folder,
                          capture_output=True, text=True, errors="replace")
    print(done.stdout[-3000:] if done.returncode else "pdflatex accepts it")
    return done.returncode == 0


def main(rarefact):
    import h5py

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([rarefact, "verify", *IDS, "--quick", "--latex", "t.tex", "-o", "r.h5"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with h5py.File(folder / "r.h5") as report:
            for check in IDS:
                group = report[check]
                assert group.attrs["verdict"] in ("holds", "holds sharply"), group.attrs["verdict"]
                quantities = group["findings/quantity"].asstr()[...]
                assert len(quantities) == len(group["findings/measured"]) > 1
                curve = group["curve_1"]
                assert curve["x"].shape == curve["y_1"].shape and curve["y_1"].attrs["long_name"]
                assert len(group["hypotheses/met"]) > 0 and all(group["hypotheses/met"][...] == 1)
            assert report.attrs["numerics_id"]
        return 1 if compiles(folder) is False else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
