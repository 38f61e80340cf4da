"""pdflatex accepts the tables of `rarefact table --format latex`, and they need booktabs alone.

usage: latex_table.py WRITE_RESULT RAREFACT; exit code 77: skipped, with the reason on stdout
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
# Every kind of head and cell: hierarchies, underscores and Greek letters in labels, powers of ten, intervals,
# thresholds, diverged and missing runs, ratios, texts.
TABLES = [
    ["--rows", "classes.exponent", "--columns", "classes.group_size,optimizer", "--value", "error", "--below", "0.1"],
    ["--rows", "classes.group_size,optimizer", "--columns", "classes.exponent", "--value", "excess_loss"],
    ["--rows", "optimizer", "--columns", "classes.exponent,seed", "--value", "loss_predicted/loss",
     "--where", "classes.group_size=10"],
    ["--rows", "class,step", "--columns", "optimizer", "--value", "error", "--where", "classes.group_size=1e12",
     "--where", "classes.exponent=2", "--at", "0,last"],
    ["--rows", "classes.exponent", "--columns", "classes.group_size,optimizer", "--value", "loss", "--value", "error",
     "--names", "symbols", "--caption", "Loss and error at $s$, 5\\% of all.", "--label", "tab:all"],
    ["--columns", "optimizer", "--value", "engine_reason", "--where", "classes.group_size=10", "--where", "seed=0",
     "--where", "classes.exponent=2"],
    ["--columns", "classes.group_size,seed", "--rows", "optimizer,classes.exponent", "--value", "engine_reason"],
]


def main(write_result, rarefact):
    if shutil.which("pdflatex") is None:
        print("skipped: pdflatex is missing (Debian package texlive-latex-base)")
        return SKIPPED
    if subprocess.run(["kpsewhich", "booktabs.sty"], stdout=subprocess.DEVNULL).returncode != 0:
        print("skipped: booktabs.sty is missing (Debian package texlive-latex-recommended)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([write_result, "swept", "swept.h5"], cwd=folder, check=True)
        text = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        for number, words in enumerate(TABLES):
            subprocess.run([rarefact, "table", "swept.h5", *words, "--format", "latex", "-o", f"t{number}.tex"],
                           cwd=folder, check=True)
            text += f"\\noindent\\input{{t{number}.tex}}\n\n"
        (folder / "paper.tex").write_text(text + "\\end{document}\n", encoding="utf-8")
        run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                             cwd=folder, capture_output=True, text=True, errors="replace")
        # A character that the font lacks is dropped with nothing but a line in the log.
        if run.returncode != 0 or "Missing character" in run.stdout or not (folder / "paper.pdf").is_file():
            print(run.stdout)
            return 1
    print(f"{len(TABLES)} tables compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
