"""Runs a sweep and reads its swept keys, numbers and texts, with h5py and xarray: read_sweep.py PROGRAM."""

import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy
import xarray

EXPERIMENT = """name = "sweep"
[classes]
spectrum = "grouped_power_law"
group_size = 3
exponent = 1
[embedding]
rho = 0.3
[run]
steps = 2
[[optimizer]]
rule = "muon"
step_size = 1
[sweep]
"embedding.kind" = ["identity", "equicorrelated"]
"classes.groups" = [2, 3]
"optimizer.muon.nesterov" = [true, false]
"""


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        experiment, result = (pathlib.Path(folder) / name for name in ("e.toml", "e.h5"))
        experiment.write_text(EXPERIMENT, encoding="utf-8")
        subprocess.run([program, "run", experiment, "-o", result], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        kinds = ["identity"] * 4 + ["equicorrelated"] * 4
        with h5py.File(result, "r") as file:
            kind = file["param_embedding_kind"]
            assert [text.decode() for text in kind[()]] == kinds, kind[()]
            assert kind.attrs["key"] == "embedding.kind"
            assert kind.dims[0][0].name == "/run"
            assert file["param_classes_groups"][()].tolist() == [2, 2, 3, 3] * 2
            assert file["param_optimizer_muon_nesterov"][()].tolist() == [1, 0] * 4
            assert file["run"][()].tolist() == list(range(8))
            assert file["class_count"][()].tolist() == [[3, 3, 0], [3, 3, 0], [3, 3, 3], [3, 3, 3]] * 2
        for engine in ("netcdf4", "h5netcdf"):
            with xarray.open_dataset(result, engine=engine) as data:
                assert data["param_embedding_kind"].values.astype(str).tolist() == kinds
                assert data["param_embedding_kind"].dims == ("run",)
                assert numpy.isnan(data["error"].values[0, 0, :, 2]).all()


if __name__ == "__main__":
    main(sys.argv[1])
