#pragma once

/// The file of one finished point of a sweep: sealed (io/sealed_file.hpp), and all but the series before the
/// series, so that one can look at the former alone. Its title, experiment text, index and parameters are not
/// in it: they belong to the sweep, not to the point.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

struct PointFile {
  std::string experiment;  ///< canonical text, which the name of the file is the SHA-256 of
  std::string status;      ///< complete, or the worst status of its optimizers
  Result result;           ///< one run
};

/// The bytes of the file of a result with one run.
std::vector<std::byte> encode_point(Result result, const std::string& experiment);

enum class PointPart { head, all };

/// A point whose bytes agree with their SHA-256, and its experiment with the name of the file; of its head
/// alone the series are empty. DamagedResult "path: why" if the bytes are not a whole point file.
PointFile decode_point(std::span<const std::byte> bytes, const std::filesystem::path& path, PointPart part);

}  // namespace rarefact
