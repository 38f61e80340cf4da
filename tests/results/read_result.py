"""Opens sample result files as users do, with xarray (both engines) and h5py, and checks what they see."""

import hashlib
import math
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy
import xarray

# What files of the first layout have; there may be more (src/results/result_fields.cpp).
FIXED = {
    "class_count": ("run", "class_group"),
    "class_probability": ("run", "class_group"),
    "class_log_rank": ("run", "class_group"),
    "status": ("run", "optimizer"),
    "status_step": ("run", "optimizer"),
    "status_detail": ("run", "optimizer"),
    "engine": ("run", "optimizer"),
    "engine_reason": ("run", "optimizer"),
    "step_size": ("run", "optimizer"),
    "step_size_edge": ("run", "optimizer"),
    "quadrature_error": ("run", "optimizer"),
    "quadrature_nodes": ("run", "optimizer"),
    "param_classes_exponent": ("run",),
    "param_embedding_kind": ("run",),
    "param_optimizer_muon_nesterov": ("run",),
    "loss": ("run", "optimizer", "step"),
    "excess_loss": ("run", "optimizer", "step"),
    "gap": ("run", "optimizer", "step"),
    "error": ("run", "optimizer", "step", "class_group"),
    "class_loss": ("run", "optimizer", "step", "class_group"),
    "error_predicted": ("run", "optimizer", "step", "class_group"),
}
ROOT_TEXTS = ["title", "experiment", "rules", "rarefact_version", "git_commit", "compiler", "compiler_flags", "numerics_id",
              "hdf5_version", "values_sha256"]


def check_with_xarray(path, engine):
    with xarray.open_dataset(path, engine=engine) as data:
        # In the order of writing, not of the alphabet (h5netcdf 1.1 sorts).
        assert engine == "h5netcdf" or list(data.data_vars)[0] == "param_classes_exponent", list(data.data_vars)
        assert dict(data.sizes) == {"run": 2, "optimizer": 2, "step": 4, "class_group": 3}, data.sizes
        assert set(data.coords) == {"run", "optimizer", "step", "class_group"}, data.coords
        assert FIXED.items() <= {name: data[name].dims for name in data.data_vars}.items(), data
        for name in data.variables:
            assert data[name].attrs["long_name"] and data[name].attrs["units"], name
        assert data["error_predicted"].attrs["source"] == "muon: li2026, Theorem 4.2"
        assert data["error_predicted"].attrs["validity"] == "orthonormal embeddings, α = 0"
        assert [str(label) for label in data["optimizer"].values] == ["muon", "gd η=1"]
        assert data["step"].dtype == numpy.int64 and list(data["step"].values) == [0, 1, 2, 5]
        assert data.attrs["title"] == "sample" and data.attrs["experiment"] == 'name = "sample"\n'
        assert int(data.attrs["schema_version"]) == 1
        # loss is the first variable of the sample: exp(-record).
        one = data["loss"].sel(run=0, optimizer="muon", step=2)
        assert float(one) == math.exp(-2.0), one
        # error is the fourth one: exp(-record) / (4 + group).
        assert float(data["error"].sel(run=0, optimizer="gd η=1", step=5, class_group=2)) == math.exp(-3.0) / 6
        # The second run has two groups only, and its second optimizer diverged after record 1.
        assert list(data["class_count"].values[1]) == [1e12, 1e12, 0.0]
        assert math.isnan(data["class_probability"].values[1, 2])
        assert numpy.isnan(data["error"].values[1, :, :, 2]).all()
        assert not numpy.isnan(data["error"].values[1, 0, :, :2]).any()
        assert numpy.isnan(data["loss"].values[1, 1, 2:]).all()
        assert data["status"].values.astype(str).tolist() == [["complete"] * 2, ["complete", "diverged"]]
        assert data["status_detail"].values.astype(str).tolist() == [["", ""], ["", "norm of the weight 1e300"]]
        assert list(data["param_classes_exponent"].values) == [1.5, 2.5]
        assert data["param_embedding_kind"].values.astype(str).tolist() == ["identity", "équi"]
        assert data["param_optimizer_muon_nesterov"].values.tolist() == [1, 0]


def check_with_h5py(path):
    with h5py.File(path, "r", libver=("v108", "v108")) as file:
        assert all(isinstance(file.attrs[name], str) for name in ROOT_TEXTS), dict(file.attrs)
        assert set(file.attrs) == set(ROOT_TEXTS) | {"schema_version"}, dict(file.attrs)
        assert file.attrs["numerics_id"] == "20" and file.attrs["schema_version"] == 1
        for name, dims in FIXED.items():
            assert tuple(dim[0].name for dim in file[name].dims) == tuple("/" + dim for dim in dims), name
        assert [label.decode() for label in file["optimizer"][()]] == ["muon", "gd η=1"]
        assert h5py.check_string_dtype(file["optimizer"].dtype).encoding == "utf-8"
        assert [text.decode() for text in file["param_embedding_kind"][()]] == ["identity", "équi"]
        assert file["param_embedding_kind"].attrs["key"] == "embedding.kind"
        assert file["param_optimizer_muon_nesterov"][()].tolist() == [1, 0]
        assert file["class_group"][()].tolist() == [0, 1, 2]
        for dataset in file.values():
            assert dataset.chunks is None, dataset.name
            # An object that tracked times would show them here.
            assert h5py.h5g.get_objinfo(dataset.id).mtime == 0, dataset.name


def digest(data):
    """As docs/result-file.md has it."""
    texts = h5py.check_string_dtype(data.dtype)
    entries = b"".join(text + b"\0" for text in data[...].ravel()) if texts else data[...].tobytes()
    return hashlib.sha256(entries).hexdigest()


def check_hashes(path):
    """The last line of the file, and the attribute over all values."""
    data = path.read_bytes()
    assert data[-72:] == b"sha256 %s\n" % hashlib.sha256(data[:-72]).hexdigest().encode()
    with h5py.File(path, "r") as file:
        lines = "".join(f"{name} {digest(file[name])}\n" for name in sorted(file))
        assert file.attrs["values_sha256"] == hashlib.sha256(lines.encode()).hexdigest()


def check_filters(path):
    with h5py.File(path, "r") as file:
        error = file["error"]
        assert error.nbytes > 65536 and error.chunks, error
        assert error.shuffle and error.fletcher32 and error.compression == "gzip"
        assert error.id.get_storage_size() < error.nbytes
        assert file["loss"].nbytes <= 65536 and file["loss"].chunks is None
        assert error[0, 1, 200, 299] == math.exp(-200.0) / 303


def main(write_result):
    with tempfile.TemporaryDirectory() as folder:
        small, wide = (pathlib.Path(folder) / "results" / name for name in ("small.h5", "wide.h5"))
        subprocess.run([write_result, "sample", small, "0:embedding.kind=identity", "1:embedding.kind=équi",
                        "0:optimizer.muon.nesterov=1", "1:optimizer.muon.nesterov=0"], check=True)
        subprocess.run([write_result, "wide", wide], check=True)
        # The checksum is the one sha256sum itself verifies.
        subprocess.run(["sha256sum", "--quiet", "-c", "small.h5.sha256", "wide.h5.sha256"], check=True,
                       cwd=small.parent)
        for engine in ("netcdf4", "h5netcdf"):
            check_with_xarray(small, engine)
        check_with_h5py(small)
        check_hashes(small)
        check_hashes(wide)
        check_filters(wide)
        assert sorted(p.name for p in small.parent.iterdir()) == ["small.h5", "small.h5.sha256", "wide.h5",
                                                                  "wide.h5.sha256"]


if __name__ == "__main__":
    main(sys.argv[1])
