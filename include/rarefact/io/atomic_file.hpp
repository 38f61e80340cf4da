#pragma once

/// Files that appear whole or not at all.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace rarefact {

/// A complete, synced file under a temporary name in the folder of its target. It vanishes unless it is
/// published.
class TemporaryFile {
 public:
  /// FileError, with nothing left behind, if the bytes cannot be written.
  TemporaryFile(std::filesystem::path target, std::span<const std::byte> bytes);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }

  /// Gives the file its name, replacing what had it, in one step. FileError if the system refuses.
  void publish();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// The folder a file is in: "." where its path names none.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Makes the folder of the file and what is missing above it. FileError if that fails.
void make_folder_of(const std::filesystem::path& path);

/// Makes the names in a folder survive a power cut. FileError if the system refuses.
void sync_folder(const std::filesystem::path& folder);

/// Writes a whole file atomically, its folder made if missing. FileError leaves an older file as it was.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace rarefact
