#pragma once

/// Files that appear whole or not at all. All writing goes through io/file_calls.hpp.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rarefact {

/// A complete, synced file under a temporary name, .NAME.0a1b2c3d.tmp with random digits, in the folder of
/// its target NAME. It vanishes unless it is published.
class TemporaryFile {
 public:
  /// FileError, with nothing left behind, if the bytes cannot be written.
  TemporaryFile(std::filesystem::path target, std::span<const std::byte> bytes);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }

  /// Reads the file back. FileError if it is not these bytes.
  void verify(std::span<const std::byte> bytes) const;

  /// Gives the file its name, replacing what had it, in one step. FileError if the system refuses.
  void publish();

  /// The same only if nothing has the name, in one step: false, and nothing done, if something has.
  /// FileError.
  bool publish_new();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// Whether a file has the name of a temporary one.
bool is_temporary_name(std::string_view name);

/// Why nothing can be written under this name, whatever the disk does; empty where it can: the name is empty
/// or too long, or it is that of a folder, a device, a pipe, or a link to nothing.
std::string name_objection(const std::filesystem::path& path);

/// All bytes of a plain file. FileError if it cannot be read.
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

/// The folder a file is in: "." where its path names none.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Makes the folder of the file and what is missing above it, so that they survive a power cut. FileError if
/// that fails.
void make_folder_of(const std::filesystem::path& path);

/// Makes the folder of the file and finds out whether a file can be written there, before hours are spent on what is to
/// be written. FileError.
void require_writable(const std::filesystem::path& path);

/// Makes the names in a folder survive a power cut. FileError if the system refuses.
void sync_folder(const std::filesystem::path& folder);

/// Writes a whole file atomically, its folder made if missing. FileError leaves an older file as it was.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace rarefact
