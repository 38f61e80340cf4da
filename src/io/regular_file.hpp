#pragma once

/// Only regular files, and links to them, are read and written: a pipe would block, and a device may never end.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace rarefact {

/// Opens a file for reading. Throws FileError "path: why" unless it is a regular file that can be opened.
std::ifstream open_regular_file(const std::filesystem::path& path);

/// Why nothing can be read under this name; empty if it is that of a regular file.
std::string reading_objection(const std::filesystem::path& path);

/// Throws FileError if the last read failed.
void require_read(const std::ios& in, const std::filesystem::path& path);

/// All bytes of a regular file, or at most `size` of them from an offset on. Throws FileError.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, std::uint64_t offset = 0,
                                  std::uint64_t size = std::numeric_limits<std::uint64_t>::max());

/// Why nothing can be written under this name; empty if it can. The name may be empty or too long, or that of
/// a folder, a device, a pipe, a dangling link, a file that belongs to a result, or in the folder of points.
std::string name_objection(const std::filesystem::path& path);

}  // namespace rarefact
