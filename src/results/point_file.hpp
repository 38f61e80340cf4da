#pragma once

/// The file of one finished point of a sweep.
///
/// It is an HDF5 file with three datasets, which h5py opens: `experiment`, the canonical text its name is the
/// SHA-256 of; `contents`, a line for everything it holds; `values`, all numbers one after another. Its last
/// 256 bytes are two lines for whoever reads it without HDF5: how the point ended and where the three
/// datasets lie, and the SHA-256 of all bytes before.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/file_bytes.hpp"
#include "sim/result.hpp"

namespace rarefact {

/// The bytes of the file of a result with one run. Its title, experiment text, index and parameters are not
/// stored: they belong to the sweep, not to the point.
std::vector<std::byte> encode_point(const Result& result, const std::string& experiment);

/// A point as read: its bytes agree with their SHA-256.
struct PointFile {
  std::string experiment;  ///< canonical text
  std::string status;      ///< complete, or the worst status of its optimizers
  Result result;           ///< one run
};

/// DamagedResult "path: why" if the bytes are not a whole point file.
PointFile decode_point(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// The same without the values, for a quick look; series are empty. The SHA-256 is not verified.
PointFile decode_point_head(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Whether bytes agree with the SHA-256 at their end, and the experiment text with the file's name.
/// DamagedResult if not; else how the point ended.
std::string verify_point(std::span<const std::byte> bytes, const std::filesystem::path& path);

}  // namespace rarefact
