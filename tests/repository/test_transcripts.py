"""Sessions with the program: tests/cli/transcripts/*.txt have commands and what they print.

    # A comment; the first one says what the transcript shows.
    file NAME         the indented lines after it are the text of NAME
    $ COMMAND         is run by bash; lines that begin with "> " continue it
      a line          of its output, indented; "..." stands for any part of a line or, alone, for any lines
      ! a line        that the program says on stderr, after those on stdout; "2! a line" of a call that ends with exit code 2

Each runs in a folder of its own with the experiments that stand beside the transcripts; $ROOT is the project, `sample NAME FILE`
writes a result made by hand (tests/results/sample/write_result.cpp), `spoil FILE PLACE` changes a byte. Blank lines do not count.
RAREFACT_WRITE_TRANSCRIPTS=1 writes what the program says now into the files, for a change on purpose; RAREFACT_TRANSCRIPTS=NAME
runs NAME.txt alone.
"""

import concurrent.futures
import difflib
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from project import PROGRAM, ROOT, needs_program, scratch_folder

FOLDER = ROOT / "tests/cli/transcripts"
PRELUDE = f"""export LC_ALL=C.UTF-8 ROOT='{ROOT}'
rarefact() {{
  local said code prefix="! " line=$'\\n'
  {{ said=$('{Path(PROGRAM).resolve()}' "$@" 2>&1 >&3 3>&-); code=$?; }} 3>&1
  [ $code = 0 ] || prefix="$code! "
  [ -z "$said" ] && [ $code = 0 ] || echo "$prefix${{said//$line/$line$prefix}}" >&2
  return $code
}}
sample() {{ '{Path(PROGRAM).resolve().parent}/tests/write_result' "$@"; }}
spoil() {{ printf '\\a' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }}
"""


def steps_of(lines):
    """[line number of the first line after a command or file, its lines, the indented block after it]."""
    steps, at = [], 0
    while at < len(lines):
        begin = at
        at += 1
        if lines[begin].startswith(("$ ", "file ")):
            while at < len(lines) and lines[at].startswith("> "):
                at += 1
            head = at
            while at < len(lines) and lines[at].startswith("  "):
                at += 1
            steps.append((head, [line.removeprefix("$ ").removeprefix("> ") for line in lines[begin:head]],
                          [line[2:] for line in lines[head:at]]))
    return steps


def said(out, number):
    """What a command printed and said, as a transcript has it."""
    text = (out / f"{number}.out").read_text(errors="replace") + (out / f"{number}.err").read_text(errors="replace")
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def pattern(line):
    """Of a line, with its end."""
    return r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"


def as_patterns(expected, now):
    """The output with the patterns that still hold in the place of their lines, as it is to be written."""
    mapped, left = [], [line for line in expected if line != "..."]
    for line in now:
        found = next((old for old in left if re.fullmatch(pattern(old), line + "\n")), line)
        if found in left:
            left = left[left.index(found) + 1:]
        mapped.append(found)
    kept = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, expected, mapped, autojunk=False).get_opcodes():
        kept += expected[a:b] if kind == "equal" or expected[a:b] == ["..."] else mapped[c:d]
    return kept


def failures(path, folder, write):
    """Runs a transcript and returns the differences as text."""
    lines = path.read_text(encoding="utf-8").split("\n")
    work, out = folder / path.stem, folder / f"{path.stem}.out"
    work.mkdir()
    out.mkdir()
    for experiment in FOLDER.glob("*.toml"):
        shutil.copy(experiment, work)
    script, steps = PRELUDE, steps_of(lines)
    for number, (_, command, block) in enumerate(steps):
        if command[0].startswith("file "):
            (out / f"{number}.file").write_text("\n".join(block) + "\n", encoding="utf-8")
            command = [f"cp '{out}/{number}.file' '{command[0][5:]}'"]
        script += "{ " + "\n".join(command) + f"\n}} >'{out}/{number}.out' 2>'{out}/{number}.err'\n"
    shell = subprocess.run(["bash", "-c", script], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)
    if shell.stderr:
        return f"{path}: {shell.stderr}"
    text = ""
    for number, (line, command, block) in reversed(list(enumerate(steps))):
        now = said(out, number)
        if command[0].startswith("file ") or re.fullmatch("".join(map(pattern, block)), "".join(one + "\n" for one in now)):
            continue
        now, title = as_patterns(block, now), f"{path.relative_to(ROOT)}:{line}: $ {' '.join(command)}"
        text = "\n".join(difflib.unified_diff(block, now, title, "now", n=1, lineterm="")) + "\n" + text
        if write:
            lines[line:line + len(block)] = ["  " + one for one in now]
    if text and write:
        path.write_text("\n".join(lines), encoding="utf-8")
    return text


class Transcripts(unittest.TestCase):
    def test_the_program_says_what_the_transcripts_have(self):
        """output, messages and exit code of every command"""
        needs_program()
        folder, write = scratch_folder(self.addCleanup), os.environ.get("RAREFACT_WRITE_TRANSCRIPTS") == "1"
        paths = sorted(FOLDER.glob(os.environ.get("RAREFACT_TRANSCRIPTS", "*") + ".txt"))
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for path, text in zip(paths, pool.map(lambda path: failures(path, folder, write), paths)):
                with self.subTest(path.stem):
                    self.assertTrue(path.read_text(encoding="utf-8").startswith("# "))
                    self.assertEqual(text, "", f"\n{text}")


if __name__ == "__main__":
    unittest.main()
