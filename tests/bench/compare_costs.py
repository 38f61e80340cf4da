#!/usr/bin/env python3
"""Runs every experiment of the catalogue on one thread, and compares time and memory with what --dry-run says before.

An estimate of time is for a processor of medium speed, so each ratio of a run's time to its estimate is divided by the
median of all. Times are of the processor; those below 0.1 s count as 0.1 s, as --dry-run prints them. Memory is the peak
of resident memory, the program itself included.

    tests/bench/compare_costs.py build/release/rarefact
    tests/bench/compare_costs.py build/release/rarefact --longest 100
    tests/bench/compare_costs.py build/release/rarefact own.toml
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"


def printed(seconds):
    return max(seconds, 0.1)


def cost(program, file, longest):
    """The plan of a run and its usage of resources; None for a longer one and for parts of other files."""
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "run", str(file), "-o", folder + "/result.h5", "--progress", "none", "--jobs", "1"]
        plan = subprocess.run([*words, "--dry-run", "--json"], capture_output=True, text=True)
        if plan.returncode or json.loads(plan.stdout)["seconds"] > longest:
            return None
        quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        _, status, usage = os.wait4(os.posix_spawn(program, words, os.environ, file_actions=quiet), 0)
        if status:
            raise RuntimeError(f"{file} ended with {status}")
        return json.loads(plan.stdout), usage


def show(what, ratios, planned, measured, unit, below, above):
    """Prints all ratios, and how many are within the bounds."""
    for file, ratio in sorted(ratios.items(), key=lambda item: item[1]):
        print(f"{ratio:5.2f}  estimate {planned[file]:8.3g} {unit}, run {measured[file]:8.3g} {unit}  {file}")
    within = sum(1 / above <= ratio <= below for ratio in ratios.values())
    print(f"{what}: {within} of {len(ratios)} estimates are at most {below:g} times too low and {above:g} times too high")


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("program", type=pathlib.Path)
parser.add_argument("files", type=pathlib.Path, nargs="*", help="by default all of experiments/")
parser.add_argument("--longest", type=float, default=16, help="largest estimate of a run, in seconds")
arguments = parser.parse_args()
seconds, used_seconds, memory, used_memory = {}, {}, {}, {}
for file in arguments.files or sorted(EXPERIMENTS.rglob("*.toml")):
    both = cost(str(arguments.program.resolve()), file, arguments.longest)
    if both:
        plan, usage = both
        name = file if arguments.files else file.relative_to(EXPERIMENTS)
        seconds[name], used_seconds[name] = plan["seconds"], usage.ru_utime + usage.ru_stime
        memory[name], used_memory[name] = plan["memory_bytes"] / 1e6, usage.ru_maxrss * 1024 / 1e6
ratios = {file: printed(used_seconds[file]) / printed(seconds[file]) for file in seconds}
median = statistics.median(ratios.values())
show(f"time beside the median {median:.2f}", {file: ratio / median for file, ratio in ratios.items()}, seconds,
     used_seconds, "s", 2, 2)
show("memory", {file: used_memory[file] / memory[file] for file in memory}, memory, used_memory, "MB", 1.3, 3)
