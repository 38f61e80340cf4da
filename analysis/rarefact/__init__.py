"""Runs rarefact and reads its results.

    import rarefact as rf
    r = rf.run("starter.toml")
    r.dataframe("error", "error_predicted")

The functions run the program; `open` reads a result file without it. h5py, xarray, pandas and matplotlib are imported by the
calls that need them.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from .calls import check, explain, info, init, merge, plan, run, schema, status, verify, version
from .calls import listed as list  # rarefact.list("optimizers")
from .errors import Error, MissingPackage, NotAResult, PathLike, Problem, need
from .experiment import Experiment, linspace, load, logspace, toml
from .sweeps import Sweep
from .sweeps import Sweep as sweep  # rarefact.sweep(experiment, axes) starts one

if TYPE_CHECKING:
    from . import plot, report
    from .result import Result

__all__ = ["Error", "Experiment", "MissingPackage", "NotAResult", "Problem", "Result", "Sweep", "check", "explain", "info", "init",
           "linspace", "list", "load", "logspace", "merge", "open", "plan", "plot", "run", "schema", "status", "sweep", "toml", "verify",
           "version"]


def open(path: PathLike) -> Result:
    """The Result in a file. Raises NotAResult, with one line that says what is wrong.

    path  the file"""
    return need(".result").Result(path)


def __getattr__(name: str) -> Any:
    if name == "Result":
        return need(".result").Result
    if name in ("plot", "report"):
        return need(f".{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> builtins.list[str]:
    return sorted(__all__)
