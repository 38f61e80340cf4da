#!/usr/bin/env python3
"""Times every experiment of the catalogue on one thread, beside what --dry-run says of it before.

An estimate is for a processor of medium speed, so each ratio of a run's time to its estimate is divided by the median of
all. Times are of the processor; those below 0.1 s count as 0.1 s, as --dry-run prints them.

    tests/bench/compare_times.py build/release/rarefact
    tests/bench/compare_times.py build/release/rarefact --longest 100
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"


def printed(seconds):
    return max(seconds, 0.1)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def times(program, file, longest):
    """The estimate and the time of a run; None for a longer one and for parts of other files."""
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "run", str(file), "-o", folder + "/result.h5", "--progress", "none", "--jobs", "1"]
        plan = subprocess.run([*words, "--dry-run", "--json"], capture_output=True, text=True)
        if plan.returncode or json.loads(plan.stdout)["seconds"] > longest:
            return None
        begin = processor_seconds()
        subprocess.run(words, capture_output=True, check=True)
        return json.loads(plan.stdout)["seconds"], processor_seconds() - begin


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("program", type=pathlib.Path)
parser.add_argument("--longest", type=float, default=16, help="largest estimate of a run, in seconds")
arguments = parser.parse_args()
found = {}
for file in sorted(EXPERIMENTS.rglob("*.toml")):
    both = times(str(arguments.program.resolve()), file, arguments.longest)
    if both:
        found[file.relative_to(EXPERIMENTS)] = both
ratios = {file: printed(taken) / printed(estimate) for file, (estimate, taken) in found.items()}
median = statistics.median(ratios.values())
for file, ratio in sorted(ratios.items(), key=lambda item: item[1]):
    print(f"{ratio / median:5.2f}  estimate {found[file][0]:8.3g} s, run {found[file][1]:8.3g} s  {file}")
within = sum(0.5 <= ratio / median <= 2 for ratio in ratios.values())
print(f"{len(ratios)} experiments, median {median:.2f}, {within} within a factor of two of it")
