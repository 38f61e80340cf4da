#pragma once

/// The door to files: plain files alone are read and written, and links to them. A pipe would keep the program waiting,
/// a device may never end, and neither is noticed while its bytes are read.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace rarefact {

/// FileError "path: why" unless the path is a plain file that can be opened for reading.
std::ifstream open_plain_file(const std::filesystem::path& path);

/// FileError if the disk failed to give back what was read last.
void require_read(const std::ios& in, const std::filesystem::path& path);

/// All bytes of a plain file, or at most `size` of them from an offset on. FileError if it cannot be read.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, std::uint64_t offset = 0,
                                  std::uint64_t size = std::numeric_limits<std::uint64_t>::max());

/// Why nothing can be written under this name, whatever the disk does; empty where it can: the name is empty
/// or too long, or it is that of a folder, a device, a pipe, a link to nothing, or what stands beside a result.
std::string name_objection(const std::filesystem::path& path);

}  // namespace rarefact
