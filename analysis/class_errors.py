#!/usr/bin/env python3
"""Draws every class group's error against step, head to tail, one panel per optimizer; predictions dashed.

    analysis/class_errors.py results/kjv_words.h5 -o kjv_words.png
"""

import argparse

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)


def text(dataset):
    """A dataset of strings as a list of str."""
    return [value.decode() if isinstance(value, bytes) else str(value) for value in dataset[...]]


def representative(rank, most):
    """Indices of at most `most` groups, evenly spread in the log of the rank, head and tail included."""
    wanted = np.geomspace(rank[0], rank[-1], min(most, len(rank)))
    return sorted({int(np.argmin(np.abs(np.log(rank / target)))) for target in wanted})


def draw(path, output, curves):
    with h5py.File(path, "r") as file:
        optimizers = text(file["optimizer"])
        steps = file["step"][...]
        error = file["error"][0]
        predicted = file["error_predicted"][0]
        count = file["class_count"][0]
        rank = np.exp(file["class_log_rank"][0])
        title = file.attrs["title"]
        title = title.decode() if isinstance(title, bytes) else title
    groups = representative(rank[count > 0], curves)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(groups)))

    figure, axes = plt.subplots(1, len(optimizers), figsize=(2.6 * len(optimizers) + 0.9, 2.9), sharex=True, sharey=True,
                                squeeze=False, constrained_layout=True)
    for axis, name, measured, closed in zip(axes[0], optimizers, error, predicted):
        for colour, group in zip(colours, groups):
            axis.plot(steps, measured[:, group], color=colour, linewidth=1.4, label=f"{rank[group]:.6g}")
            axis.plot(steps, closed[:, group], color="black", linewidth=0.7, linestyle=(0, (4, 3)))
        axis.set_title(name)
        axis.set_xscale("symlog", linthresh=1)
        axis.set_yscale("log")
        axis.set_ylim(1e-12, 2)
        axis.set_xlabel("step")
        axis.grid(alpha=0.25, linewidth=0.5)
    axes[0][0].set_ylabel("error of the class, 1 − p(right)")
    axes[0][-1].plot([], [], color="black", linewidth=0.7, linestyle=(0, (4, 3)), label="predicted")
    handles, labels = axes[0][-1].get_legend_handles_labels()
    figure.legend(handles, labels, title="class rank", loc="center left",
                  bbox_to_anchor=(1.0, 0.5), fontsize="small", title_fontsize="small", frameon=False)
    figure.suptitle(title, fontsize="medium")
    figure.savefig(output, dpi=150, bbox_inches="tight", metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="a result file of rarefact run")
    parser.add_argument("-o", "--output", default="class_errors.png", help="the figure (.png, .svg or .pdf)")
    parser.add_argument("--curves", type=int, default=8, help="class groups drawn, evenly spread in log rank")
    arguments = parser.parse_args()
    draw(arguments.result, arguments.output, arguments.curves)


if __name__ == "__main__":
    main()
