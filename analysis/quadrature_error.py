#!/usr/bin/env python3
"""Draws certified and true relative error of quadratures against their nodes, from a sweep of run.nodes.

    analysis/quadrature_error.py results/quadrature_nodes.h5 -o quadrature_error.png

The truth is the run with the most nodes; the true error is the largest relative difference from it, over the steps,
of the loss and of the error and loss of every class shown.
"""

import argparse

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]  # Okabe and Ito
MARKERS = "osD^v"


def text(dataset):
    """A dataset of strings as a list of str."""
    return [value.decode() if isinstance(value, bytes) else str(value) for value in dataset[...]]


def true_error(file):
    """run x optimizer: the largest relative difference from the last run."""
    worst = 0
    for name in ("loss", "error", "class_loss"):
        values = file[name][...]
        difference = np.abs(values / values[-1:] - 1)
        worst = np.maximum(worst, difference.reshape(*difference.shape[:2], -1).max(axis=2))
    return worst


def draw(path, output):
    with h5py.File(path, "r") as file:
        optimizers = text(file["optimizer"])
        nodes = file["param_run_nodes"][...]
        certified = file["quadrature_error"][...]
        true = true_error(file)
        rounding = 1e-15
    figure, axis = plt.subplots(figsize=(6.4, 3.4), constrained_layout=True)
    for o, (name, colour, marker) in enumerate(zip(optimizers, COLOURS, MARKERS)):
        shown = np.isfinite(certified[:, o])  # infinite: nothing is certified
        axis.plot(nodes[shown], certified[shown, o], color=colour, marker=marker, markersize=4, label=f"{name}, certified")
        axis.plot(nodes[:-1], np.maximum(true[:-1, o], rounding), color=colour, marker=marker, markersize=4,
                  markerfacecolor="white", linestyle=(0, (4, 3)), linewidth=1, label=f"{name}, true")
    axis.axhline(1e-10, color="0.5", linewidth=0.8)
    axis.annotate("default tolerance", (nodes[0], 1e-10), xytext=(0, 3), textcoords="offset points", color="0.35",
                  fontsize="small")
    axis.set_xscale("log", base=2)
    axis.set_xticks([8, 16, 32, 64, 128, 192], labels=["8", "16", "32", "64", "128", "192"])
    axis.set_yscale("log")
    axis.set_ylim(3e-16, 2)
    axis.set_xlabel("nodes")
    axis.set_ylabel("relative error")
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize="small", frameon=False)
    figure.savefig(output, dpi=150, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="result of a sweep of run.nodes")
    parser.add_argument("-o", "--output", default="quadrature_error.png", help="the figure (.png, .svg or .pdf)")
    arguments = parser.parse_args()
    draw(arguments.result, arguments.output)


if __name__ == "__main__":
    main()
