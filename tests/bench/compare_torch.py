#!/usr/bin/env python3
"""Times steps of the dense engine beside the same steps as a PyTorch user would write them, in double precision.

    tests/bench/compare_torch.py                       # all rows, the program of build/release
    tests/bench/compare_torch.py --rows muon-1024      # some of them
    tests/bench/compare_torch.py --program PATH --threads 2 --rounds 3 --kernels AVX2

Needs Debian's python3-torch and libopenblas0-pthread. Each row prints the median over rounds of seconds a step, PyTorch
and Rarefact taking turns, their ratio, and the goal, with the kernels of AVX-512 in both and with those of AVX2.
Rarefact's seconds are those of a long run less those of a short one, so starting and
embeddings do not count; PyTorch's are those of the loop's body.
"""

import argparse
import itertools
import multiprocessing
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Row:
    rule: str
    classes: int
    dimension: int
    steps: int  # of Rarefact's long run; the short one has two
    goal: float  # PyTorch's seconds over Rarefact's
    processes: int = 1  # points at once, one thread each
    torch_steps: int = 4


ROWS = {
    "muon-1024": Row("muon", 1024, 1024, 12, 1.8),
    "muon-256": Row("muon", 256, 256, 100, 4.5, torch_steps=20),
    "muon-8192": Row("muon", 8192, 512, 5, 2, torch_steps=2),
    "gd-1024": Row("gd", 1024, 1024, 40, 1.4, torch_steps=10),
    "signgd-1024": Row("signgd", 1024, 1024, 40, 1.6, torch_steps=10),
    "adam-1024": Row("adam", 1024, 1024, 40, 1.6, torch_steps=10),
    "gd-16384": Row("gd", 16384, 256, 5, 1.5, torch_steps=2),
    "two-muon-512": Row("muon", 512, 512, 30, 2, processes=2, torch_steps=8),
}
# Kernels by what Rarefact calls them -> the processor whose kernels OpenBLAS is to take.
KERNELS = {"AVX-512": "SkylakeX", "AVX2": "Haswell"}


def torch_seconds(row, threads):
    """Median seconds of a step."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    k, d = row.classes, row.dimension
    query = torch.randn(d, k, dtype=torch.float64) / d**0.5
    answer = torch.randn(d, k, dtype=torch.float64) / d**0.5
    p = torch.arange(1, k + 1, dtype=torch.float64) ** -1.5
    p /= p.sum()
    weight = torch.zeros(d, d, dtype=torch.float64)
    mean, square = torch.zeros_like(weight), torch.zeros_like(weight)
    seconds = []
    for step in range(1, row.torch_steps + 1):
        start = time.perf_counter()
        residual = torch.softmax(answer.T @ (weight @ query), dim=0)
        residual.diagonal().sub_(1)
        residual.mul_(p)
        gradient = (answer @ residual) @ query.T
        if row.rule == "gd":
            weight -= gradient
        elif row.rule == "signgd":
            weight -= 0.01 * torch.sign(gradient)
        elif row.rule == "adam":
            mean.mul_(0.9).add_(gradient, alpha=0.1)
            square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            weight -= 0.01 * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)
        else:
            left, _, right = torch.linalg.svd(gradient)
            weight -= 0.3 * (left @ right)
        seconds.append(time.perf_counter() - start)
        del residual
    return statistics.median(seconds)


def torch_worker(row, threads, queue):
    queue.put(torch_seconds(row, threads))


def torch_row(row, threads):
    """In processes of their own, so that their threads and memory are gone when Rarefact has its turn."""
    queue = multiprocessing.Queue()
    each = threads if row.processes == 1 else 1
    workers = [multiprocessing.Process(target=torch_worker, args=(row, each, queue)) for _ in range(row.processes)]
    for worker in workers:
        worker.start()
    seconds = [queue.get() for _ in workers]
    for worker in workers:
        worker.join()
    return max(seconds)


def experiment(row, steps):
    size = {"gd": 1.0, "muon": 0.3}.get(row.rule, 0.01)
    points = "\n[sweep]\nseed = {range = [0, %d]}\n" % row.processes if row.processes > 1 else ""
    return f"""name = "dense"
[classes]
spectrum = "power_law"
count = {row.classes}
exponent = 1.5
[embedding]
kind = "gaussian"
dimension = {row.dimension}
[run]
steps = {steps}
engine = "dense"
record = [0]
spectral_metrics = "off"
[[optimizer]]
rule = "{row.rule}"
step_size = {size}
{points}"""


def rarefact_seconds(program, row, steps, threads, folder):
    """Wall seconds and peak memory (MB) of a whole run."""
    file = Path(folder) / f"steps{steps}.toml"
    file.write_text(experiment(row, steps), encoding="utf-8")
    output = Path(folder) / f"steps{steps}.h5"
    command = ["/usr/bin/env", "time", "-f", "%M", program, "run", str(file), "-o", str(output), "--jobs", str(threads),
               "--progress", "none"]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    for left in Path(folder).glob("steps*.h5*"):
        subprocess.run(["rm", "-r", str(left)], check=True)
    return seconds, int(done.stderr.split()[-1]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/rarefact"))
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS), metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kernels", nargs="*", default=list(KERNELS), choices=list(KERNELS))
    options = parser.parse_args()
    print("| work | kernels | PyTorch | Rarefact | ratio | goal | peak memory |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, kernels in itertools.product(options.rows, options.kernels):
        os.environ |= {"RAREFACT_KERNEL": kernels, "OPENBLAS_CORETYPE": KERNELS[kernels]}  # of the processes to come
        row = ROWS[name]
        theirs, ours, memory = [], [], 0
        for _ in range(options.rounds):
            theirs.append(torch_row(row, options.threads))
            with tempfile.TemporaryDirectory() as folder:
                short, _ = rarefact_seconds(options.program, row, 2, options.threads, folder)
                long, memory = rarefact_seconds(options.program, row, row.steps + 2, options.threads, folder)
            ours.append((long - short) / row.steps)
        torch_step, our_step = statistics.median(theirs), statistics.median(ours)
        print(f"| {name} | {kernels} | {1e3 * torch_step:.1f} ms | {1e3 * our_step:.1f} ms | {torch_step / our_step:.2f} | "
              f"{row.goal} | {memory:.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
