#pragma once

/// SHA-256 files in the form of `sha256sum -c`, one beside every result.

#include <filesystem>
#include <optional>
#include <string>

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

}  // namespace rarefact
