#pragma once

/// SHA-256 files in the format of `sha256sum -c` beside every result, and the seal (io/sealed_record.hpp) at its end.
/// HDF5 can crash or hang on damaged files, so it only gets bytes in memory that agree with one of the two.

#include <functional>
#include <optional>

#include "io/atomic_file.hpp"

namespace rarefact {

/// The SHA-256 of a file, in hexadecimal digits. Throws FileError if it cannot be read.
std::string file_sha256(const std::filesystem::path& path);

/// FILE.h5 -> FILE.h5.sha256
std::filesystem::path checksum_path(const std::filesystem::path& path);

/// The line of `sha256sum` in the folder of the file: "digest name\n", escaped if the name has a backslash or line break.
std::string checksum_line(const std::string& digest, const std::filesystem::path& path);

enum class ChecksumState {
  agrees,     ///< the .sha256 file agrees or, if there is none, the seal
  missing,    ///< neither exists
  foreign,    ///< neither exists, and it is not an HDF5 file
  malformed,  ///< .sha256 does not have a line for a file of this name
  differs,
};

/// Compares the bytes of a file with its .sha256 file or, if there is none, with its seal; for a link without
/// one, with those of its target. Throws FileError if the .sha256 file cannot be read.
ChecksumState verify_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// A message about the state; nullopt if the checksum agrees.
std::optional<std::string> objection(ChecksumState state, const std::filesystem::path& path);

/// Writes `path` and its .sha256; creates the folder. If the file has these bytes already, only a wrong checksum is
/// written. Both are completed and synced under temporary names, then renamed, the file first. `refuse_other` throws if an
/// existing file must stay; it is called again if one appeared meanwhile. Throws FileError.
void write_with_checksum(const FileBytes& bytes, const std::filesystem::path& path,
                         const std::function<void()>& refuse_other);

}  // namespace rarefact
