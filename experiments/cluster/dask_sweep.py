"""A sweep with Dask: its points are tasks of a distributed.Client, on this machine or on a cluster, and are joined at the end.

    python3 experiments/cluster/dask_sweep.py experiments/scale/zipf_at_scale.toml -o results/zipf_at_scale.h5
    python3 experiments/cluster/dask_sweep.py sweep.toml -o results/sweep.h5 --scheduler tcp://head:8786 --set run.steps=500

Workers need the Python package, the program and the folder of the result. After a kill the same command continues: finished
points are stored beside the result, and neither it nor a task that Dask tries again on another worker computes them twice.
"""

import argparse
import os
import sys
import tomllib

import rarefact as rf
from distributed import Client, LocalCluster, as_completed


def compute(part, parts, call):
    """A task: the points of one part, in one thread. It writes them where the others do and returns how many are there now."""
    return rf.run(**call, shard=(part, parts), jobs=1, progress=False)["done"]


def value(text):
    """A value as in an experiment file; what is none is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", help="an experiment file with a sweep")
    parser.add_argument("-o", "--output", required=True, help="the result file, in a folder that all workers see")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as for rarefact run")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster; by default this machine computes")
    parser.add_argument("--parts", type=int, metavar="N", help="tasks; by default one for each point, at most 1000")
    parser.add_argument("--program", help="the path of the program on the workers")
    chosen = parser.parse_args()
    call = {"experiment": os.path.abspath(chosen.experiment), "output": os.path.abspath(chosen.output), "program": chosen.program,
            "override": {key: value(text) for key, _, text in (change.partition("=") for change in chosen.set)}}

    now = rf.status(**call)
    if now["result"] != "there":
        parts = chosen.parts or min(now["points"], 1000)
        # The program is another process, so that threads of one worker are enough here.
        cluster = chosen.scheduler or LocalCluster(n_workers=1, threads_per_worker=os.cpu_count(), processes=False, host="127.0.0.1",
                                                   protocol="tcp://", dashboard_address=None)
        with Client(cluster) as client:
            tasks = client.map(compute, range(parts), parts=parts, call=call, pure=False, retries=3)
            for count, task in enumerate(as_completed(tasks), 1):
                print(f"{count} of {parts} tasks; at least {task.result()} of {now['points']} points", flush=True)
    print(f"result: {rf.merge(**call).path}")


if __name__ == "__main__":
    try:
        main()
    except rf.Error as error:
        sys.exit(f"error: {error}")
