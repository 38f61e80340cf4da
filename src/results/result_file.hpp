#pragma once

/// Result files: one HDF5 file an experiment, written whole or not at all, never trusted when read.
///
/// Layout: one group, the root, with the dimension scales run, optimizer, step and class_group attached to
/// every variable, so that xarray.open_dataset and h5py read it plainly (results/result_fields.hpp has the
/// rows). A run with fewer class groups than the widest is padded with NaN and class_count 0; a step that was
/// never reached reads NaN. The file has no clock, host or path in it: equal results give equal bytes.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

struct StoredResult {
  Result result;
  Provenance provenance;
};

/// write_result for the bytes of a file that is made already, those of merge_points: they are read back and
/// compared, not decoded.
void write_result_file(std::span<const std::byte> bytes, const std::string& experiment,
                       const std::filesystem::path& path);

/// InputError if `path` exists and is anything but a result of the same resolved experiment: such a file is
/// never overwritten. Call it before a long run, too.
void refuse_other_result(const std::filesystem::path& path, const std::string& experiment);

/// What is wrong with a result file, empty if it is sound: its checksum, or, only where that agrees,
/// everything about its layout, sizes, types and values and the checksum of every stored chunk. FileError if
/// it cannot be opened.
std::vector<std::string> check_result(const std::filesystem::path& path);

/// A stored result and who wrote it. Errors as read_result.
StoredResult read_stored_result(const std::filesystem::path& path);

}  // namespace rarefact
