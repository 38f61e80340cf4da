#pragma once

/// SHA-256 files in the form of `sha256sum -c`, one beside every result.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "io/atomic_file.hpp"

namespace rarefact {

/// FileError "path: why" unless the path is a plain file that can be opened for reading.
void require_readable(const std::filesystem::path& path);

/// The SHA-256 of a file's bytes in hexadecimal digits. FileError if it cannot be read.
std::string file_sha256(const std::filesystem::path& path);

/// FILE.h5 -> FILE.h5.sha256
std::filesystem::path checksum_path(const std::filesystem::path& path);

/// The line `sha256sum` would print in the folder of the file: "digest  name\n", in its escaped form where
/// the name has a backslash or a line break.
std::string checksum_line(const std::string& digest, const std::filesystem::path& path);

enum class ChecksumState {
  agrees,
  missing,    ///< there is no .sha256 file
  malformed,  ///< it is not the line of a file of this name
  differs,
};

/// Whether the file still has the bytes its .sha256 file tells of. FileError if one of them cannot be read.
ChecksumState verify_checksum(const std::filesystem::path& path);

/// What is wrong, for a person; nothing where the checksum agrees.
std::optional<std::string> objection(ChecksumState state, const std::filesystem::path& path);

/// Writes `path` and its .sha256; makes the folder if it is missing. Nothing is written where the same bytes
/// are there already, but for a checksum that does not agree.
///
/// Both files are first complete, synced and read back under temporary names; then the file and after it the
/// checksum take their names. `refuse_other` throws where what has the name must stay; it is called again
/// where something took the name meanwhile. `inspect` sees the file before it has its name. FileError
/// (folder, disk).
void write_with_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path,
                         const std::function<void()>& refuse_other,
                         const std::function<void(const TemporaryFile&)>& inspect = {});

}  // namespace rarefact
