#pragma once

/// SHA-256 files in the form of `sha256sum -c`, one beside every result, and the seal (io/sealed_record.hpp) at the
/// end of it. HDF5 can crash on damaged files and on disks that fail, or never come back, so that it sees no result
/// but as bytes in memory with which one of them agrees.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "io/atomic_file.hpp"

namespace rarefact {

/// The SHA-256 of a file's bytes, in hexadecimal digits. FileError if it cannot be read.
std::string file_sha256(const std::filesystem::path& path);

/// FILE.h5 -> FILE.h5.sha256
std::filesystem::path checksum_path(const std::filesystem::path& path);

/// The line `sha256sum` would print in the folder of the file: "digest  name\n", in its escaped form where
/// the name has a backslash or a line break.
std::string checksum_line(const std::string& digest, const std::filesystem::path& path);

enum class ChecksumState {
  agrees,     ///< that beside it or, where it was copied alone or a kill came between, its seal
  missing,    ///< there is neither
  foreign,    ///< nor is it an HDF5 file
  malformed,  ///< .sha256 is not the line of a file of this name
  differs,
};

/// Whether the bytes that were read from a file are those its .sha256 file tells of or, where there is none, its seal; of
/// a link without one, those of the file it leads to. FileError if the .sha256 file cannot be read.
ChecksumState verify_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// What is wrong, for a person; nothing where the checksum agrees.
std::optional<std::string> objection(ChecksumState state, const std::filesystem::path& path);

/// Writes `path` and its .sha256; makes the folder if it is missing. Nothing is written where the same bytes
/// are there already, but for a checksum beside them that does not agree.
///
/// Both files are first complete, synced and read back under temporary names; then the file and after it the
/// checksum take their names. `refuse_other` throws where what has the name must stay; it is called again
/// where something took the name meanwhile. FileError (folder, disk).
void write_with_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path,
                         const std::function<void()>& refuse_other);

}  // namespace rarefact
