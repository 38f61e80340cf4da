#pragma once

/// SHA-256 files in the form of `sha256sum -c`, one beside every result, and the seal (io/sealed_file.hpp) at the
/// end of it. HDF5 can crash on damaged files, or never come back, so none is opened before one of them agrees.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "io/atomic_file.hpp"

namespace rarefact {

/// The SHA-256 of a file's bytes, without so many at its end, in hexadecimal digits. FileError if it cannot be read.
std::string file_sha256(const std::filesystem::path& path, std::uintmax_t without = 0);

/// Whether a file starts as HDF5 files do. FileError if it cannot be read.
bool is_hdf5(const std::filesystem::path& path);

/// FILE.h5 -> FILE.h5.sha256
std::filesystem::path checksum_path(const std::filesystem::path& path);

/// The line `sha256sum` would print in the folder of the file: "digest  name\n", in its escaped form where
/// the name has a backslash or a line break.
std::string checksum_line(const std::string& digest, const std::filesystem::path& path);

enum class ChecksumState {
  agrees,
  sealed,  ///< there is no .sha256 file, but the seal agrees: a kill came between, or the file was copied alone
  missing,    ///< there is neither
  malformed,  ///< .sha256 is not the line of a file of this name
  differs,
};

/// Whether the file still has the bytes its .sha256 file tells of or, where there is none, its seal; of a link without
/// one, those of the file it leads to. FileError if one of them cannot be read.
ChecksumState verify_checksum(const std::filesystem::path& path);

/// Whether the bytes of the file are those that were written.
bool vouched_for(ChecksumState state);

/// What is wrong, for a person; nothing where the checksum agrees.
std::optional<std::string> objection(ChecksumState state, const std::filesystem::path& path);

/// Writes `path` and its .sha256; makes the folder if it is missing. Nothing is written where the same bytes
/// are there already, but for a checksum beside them that does not agree.
///
/// Both files are first complete, synced and read back under temporary names; then the file and after it the
/// checksum take their names. `refuse_other` throws where what has the name must stay; it is called again
/// where something took the name meanwhile. `inspect` sees the file before it has its name. FileError
/// (folder, disk).
void write_with_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path,
                         const std::function<void()>& refuse_other,
                         const std::function<void(const TemporaryFile&)>& inspect = {});

}  // namespace rarefact
