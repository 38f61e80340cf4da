"""Reads result files of rarefact: variables with their dimensions, coordinates and units.

    import rarefact
    result = rarefact.open("results/starter.h5")
    result.names                                             # every variable of the file
    result.loss                                              # one of them, an xarray.DataArray
    result["error"].sel(run=0, optimizer="muon")             # an xarray.DataArray
    result.dataframe("error", "error_predicted")             # one line for each run, optimizer, step and class group
"""

from __future__ import annotations

import functools
import hashlib
import pathlib
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from . import tables
from .errors import Error, MissingPackage, NotAResult, PathLike, nearest, need, word
from .files import said_of

if TYPE_CHECKING:
    import pandas
    import xarray


class Array:
    """A variable: name, names of its dimensions, long name, unit, and values, which are read on first use."""

    def __init__(self, name: str, data: Any) -> None:
        self.name, self.data, self.long_name, self.units = name, data, data.attrs["long_name"], data.attrs["units"]
        self.dims: tuple[str, ...] = tuple(scale.keys()[0] if len(scale) else name for scale in data.dims)

    @functools.cached_property
    def values(self) -> Any:
        """A NumPy array; texts are Python strings."""
        return read(self.data)


def open_whole(path: PathLike) -> Any:
    """Reads the file into memory and opens it. Raises NotAResult unless its bytes have the checksum in FILE.sha256 or, without that
    file, in their last line, "sha256 DIGEST". HDF5 must not see other bytes, because it can crash or hang on damaged files
    and failing disks. Raises OSError if the disk fails."""
    path, beside = pathlib.Path(path), pathlib.Path(f"{path}.sha256")
    if not path.is_file():
        raise NotAResult(f"{path}: {'not a plain file' if path.exists() else 'no such file'}", code=3)
    with said_of(path):
        data = path.read_bytes()
    seal, body = data[-72:], memoryview(data)[:-72]
    if beside.is_file():
        with said_of(beside):
            told = beside.read_bytes()
        told, body = told.removeprefix(b"\\")[:64], memoryview(data)
    elif seal.startswith(b"sha256 "):
        told = seal[7:71]
    else:
        hdf5 = data[:4] == b"\x89HDF"
        raise NotAResult(f"{path}: {'not a result file of rarefact run: no checksum vouches for it' if hdf5 else 'not an HDF5 file'}")
    if told != hashlib.sha256(body).hexdigest().encode():
        raise NotAResult(f"{path}: damaged: its bytes do not match the checksum")
    try:
        return h5py.File(h5py.h5f.open_file_image(data))
    except OSError:
        raise NotAResult(f"{path}: not an HDF5 file") from None


def read(dataset: Any) -> Any:
    """The values, with texts as Python strings."""
    values = dataset.asstr()[...] if h5py.check_string_dtype(dataset.dtype) else dataset[...]
    return values.astype(object) if values.dtype.kind == "U" else values


class Result:
    """An open file. Every variable of it is an attribute, too: result.loss is result["loss"].

    path        the file
    title       the name of the experiment
    experiment  the experiment with its defaults, a dict
    attributes  title, provenance and the text of the experiment
    names       the variables
    coords      the values of run, optimizer, step, class_group and, of weights, output and input
    params      swept key -> its value in every run
    incomplete  (run, optimizer, status, last finite step) of runs whose status is not complete"""

    def __init__(self, path: PathLike) -> None:
        """path  the file"""
        self.path: str = word(path)
        path = self.path
        self.file = open_whole(path)
        if not {"run", "optimizer", "step", "status", "status_step"} <= set(self.file) or "experiment" not in self.file.attrs:
            raise NotAResult(f"{path}: not a result file of rarefact run")
        self.attributes: dict[str, Any] = dict(self.file.attrs)
        if (version := self.attributes.get("schema_version")) not in (1, 2, 3):
            raise NotAResult(f"{path}: its schema version is {version}; this package reads versions 1 to 3")
        for name, data in self.file.items():
            if not {"long_name", "units"} <= set(data.attrs):
                raise NotAResult(f"{path}: damaged: the variable {name} lacks its long_name or its units")
        self.title: str = self.attributes.get("title", self.path)
        try:
            self.experiment: dict[str, Any] = tomllib.loads(self.attributes["experiment"])
        except tomllib.TOMLDecodeError as error:
            raise NotAResult(f"{path}: damaged: its experiment is not TOML: {error}") from None
        self.names: list[str] = [name for name in self.file if not name.startswith("param_")]
        dims = ("run", "optimizer", "step", "class_group", "answer_group", "band", "output", "input")
        self.coords: dict[str, Any] = {dim: read(self.file[dim]) for dim in dims if dim in self.file}
        if "band" in self.coords:  # by name, if all runs have the same bands
            names = read(self.file["band_name"])
            widest = max(names, key=lambda row: sum(name != "" for name in row))
            if all(name in ("", own) for row in names for name, own in zip(row, widest)):
                self.coords["band"] = np.array(widest, object)
        self.params: dict[str, Any] = {data.attrs["long_name"].removeprefix("swept value of "): read(data)
                       for name, data in self.file.items() if name.startswith("param_")}
        for axis, given in self.experiment.get("sweep", {}).items():
            rows = [row if isinstance(row, list) else [row] for row in given] if isinstance(given, list) else []
            for key, values in zip(axis.split(", "), zip(*rows)):
                if isinstance(values[0], bool):  # files have 1 and 0
                    self.params[key] = np.where(self.params[key] != 0, "true", "false").astype(object)
        status, last = read(self.file["status"]), self.file["status_step"][...]
        self.incomplete: list[tuple[int, str, str, int]] = [(run, self.coords["optimizer"][o], status[run, o], int(last[run, o]))  # last finite step
                           for run, o in zip(*np.nonzero(status != "complete"))]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(coordinate)} {dim}" for dim, coordinate in self.coords.items())
        return f"<Result {self.path}: {sizes}>"

    def _repr_html_(self) -> str | None:
        """For notebooks: problem, engines, a small picture, notes."""
        try:
            return need(".pages.card").card(self)
        except MissingPackage:  # the text does
            return None

    def __contains__(self, name: str) -> bool:
        return name in self.file

    def __getattr__(self, name: str) -> xarray.DataArray:
        """result.loss is result["loss"], an xarray.DataArray; so is every variable of the file."""
        names = self.__dict__.get("names", [])
        if name in names:
            return self[name]
        raise AttributeError(f"{self.__dict__.get('path')}: no variable {name}{nearest(name, names)}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.names})

    def _ipython_key_completions_(self) -> list[str]:
        return self.names

    def __reduce__(self) -> tuple[type[Result], tuple[str]]:
        return Result, (self.path,)

    def array(self, name: str) -> Array:
        """A variable without xarray.

        name  its name"""
        if name not in self.file:
            meant = nearest(name, self.names) or "; rarefact info lists those of the file"
            raise Error(f"{self.path}: no variable {name}{meant}")
        return Array(name, self.file[name])

    def __getitem__(self, name: str) -> xarray.DataArray:
        """A variable as an xarray.DataArray; swept keys are coordinates of run."""
        return self._dataset(dict.fromkeys([name, *self.array(name).dims, *self._swept()]))[name]

    def tidy(self, *names: str) -> dict[str, Any]:
        """Columns of equal length without padding: the coordinates of the named variables, swept keys, the variables.

        names  the variables"""
        arrays = [self.array(name) for name in names]
        dims = max((array.dims for array in arrays), key=len)
        if any(array.dims != dims[:len(array.dims)] for array in arrays):
            raise Error(f"{self.path}: {', '.join(names)} do not have the same first dimensions")
        places = dict(zip(dims, np.indices([len(self.coords[dim]) for dim in dims]).reshape(len(dims), -1)))
        kept = np.ones(len(places[dims[0]]), bool)
        for groups, count in (("class_group", "class_count"), ("answer_group", "answer_group_count"), ("band", "band_count")):
            if groups in dims and "run" in dims:
                kept &= self[count].values[places["run"], places[groups]] > 0
        columns = {dim: self.coords[dim][place][kept] for dim, place in places.items()}
        columns |= {key: values[places["run"]][kept] for key, values in self.params.items() if "run" in dims}
        for array in arrays:
            columns[array.name] = array.values[tuple(places[dim] for dim in array.dims)][kept]
        return columns

    def dataframe(self, *names: str) -> pandas.DataFrame:
        """A pandas.DataFrame with a row for each run, optimizer, step and class group of the variables.

        names  the variables; by default all with the dimensions run, optimizer and step"""
        chosen = names or [name for name in self.names if self.array(name).dims == ("run", "optimizer", "step")]
        return need("pandas").DataFrame(self.tidy(*chosen))

    def _swept(self) -> list[str]:
        return [name for name in self.file if name.startswith("param_")]

    def _dataset(self, names: Any) -> xarray.Dataset:
        found = need("xarray").Dataset({name: (self.array(name).dims, self.array(name).values, {
            key: value for key, value in self.file[name].attrs.items() if isinstance(value, str) and key not in ("CLASS", "NAME")})
            for name in names}, attrs=self.attributes)
        if "band" in found.coords:
            found = found.assign_coords(band=self.coords["band"])
        return found.set_coords(self._swept())

    def xarray(self, grid: bool = False) -> xarray.Dataset:
        """Everything in the file as an xarray.Dataset, in memory; swept keys are coordinates of run, param_classes_exponent.

        grid  make each of them a dimension instead of run, in the order of the sweep; combinations without a run are NaN"""
        whole, swept = self._dataset(self.file), self._swept()
        if not grid or not swept:
            return whole
        if len(swept) == 1:
            return whole.swap_dims(run=swept[0]).drop_vars("run")
        order = {name: list(dict.fromkeys(whole[name].values)) for name in swept}
        with np.errstate(invalid="ignore"):  # integers have no NaN; xarray converts them where needed
            return whole.set_index(run=swept).unstack("run").reindex(order)

    def table(self, *, rows: Any = None, columns: Any = None, value: Any = None, at: Any = None, below: float | None = None,
              above: float | None = None, when: str | None = None, sustained: bool = False, over: Any = None,
              where: Mapping[str, Any] | None = None, class_: int | str | None = None, program: PathLike | None = None) -> pandas.DataFrame:
        """The table of `rarefact table`; a cell is a number, or a text such as >200. Several axes, values or numbers per cell make a
        MultiIndex; attrs["description"] says what the cells show.

        rows       swept keys, "optimizer", "class", "answer" or "step"; by default "optimizer"
        columns    the same for the columns; by default one column
        value      a variable, an expression, or several; by default "loss"
        at         a recorded step; with the axis step several
        below      the first recorded step with a value below this
        above      the first recorded step with a value above this
        when       the value at the first recorded step where this condition holds, "loss < 1"
        sustained  the first recorded step from which on it stays so
        over       "max" or "min" along each run; "mean", "geometric-mean" or "median" over runs that differ in the seed; or one of each
        where      {key: value}, only these runs; a list of values means any of them
        class_     "tail", "head", "min", "max", a row of the classes or "rank:1-100"
        program    the path of the program"""
        return tables.table(self, rows=rows, columns=columns, value=value, at=at, below=below, above=above, when=when, sustained=sustained,
                            over=over, where=where, class_=class_, program=program)
