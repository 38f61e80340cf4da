#pragma once

/// Files that appear whole or not at all, or grow only by durable records. All writing goes through a table
/// of system calls, so that tests can make any of them fail.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rarefact {

/// System calls: a negative value and errno on failure.
struct FileCalls {
  int (*open)(const char* path, int flags, unsigned mode);
  ssize_t (*write)(int descriptor, const void* bytes, std::size_t count);
  int (*sync)(int descriptor);
  int (*close)(int descriptor);
  int (*rename)(const char* from, const char* to);
  /// Like rename, but fails atomically with EEXIST if the new name exists.
  int (*rename_new)(const char* from, const char* to);
};

const FileCalls& system_calls();

/// The table through which every file is written. Tests replace it while no file is being written.
FileCalls& file_calls();

/// The bytes of a file in memory from std::malloc, as returned by C libraries, and their SHA-256.
class FileBytes {
 public:
  FileBytes(void* memory, std::size_t size, std::string sha256)
      : memory_(memory), size_(size), sha256_(std::move(sha256)) {}
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_.get()), size_}; }
  const std::string& sha256() const { return sha256_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t size_;
  std::string sha256_;
};

/// A complete, synced file under a temporary name, .NAME.0a1b2c3d.tmp with random digits, in the folder of
/// its target NAME. It is removed unless it is published, and locked (flock) meanwhile, so that other
/// processes can distinguish it from leftovers of killed ones, even if this process is suspended.
class TemporaryFile {
 public:
  /// Writes the bytes. Throws FileError, leaving nothing behind, if that fails.
  TemporaryFile(std::filesystem::path target, std::span<const std::byte> bytes);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }

  /// Atomically gives the file its name, replacing another file. Throws FileError if the system refuses.
  void publish();

  /// The same, but only if the name is free; otherwise does nothing and returns false. Throws FileError.
  bool publish_new();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  int lock_ = -1;
};

/// A file that only this object creates and appends to, locked (flock) meanwhile, and removed if nothing was appended.
class AppendFile {
 public:
  /// Creates a file named by a free number, eight hexadecimal digits, and `end`. Throws FileError.
  AppendFile(const std::filesystem::path& folder, std::string_view end);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  const std::filesystem::path& path() const { return path_; }

  /// Appends all parts and syncs; returns the offset of the first. After a FileError a part of them may be there.
  std::uint64_t append(const std::vector<std::span<const std::byte>>& parts);

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// Removes a file that no process has locked; keeps it if that is unknown.
void remove_abandoned(const std::filesystem::path& path);

bool is_temporary_name(std::string_view name);

/// The folder of a file; "." if its path has none.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Creates the folder of the file and missing parents durably. Throws FileError if that fails.
void make_folder_of(const std::filesystem::path& path);

/// Creates the folder of the file and tests that a file can be written there. Throws FileError.
void require_writable(const std::filesystem::path& path);

/// Makes the names in a folder durable. Throws FileError if the system refuses.
void sync_folder(const std::filesystem::path& folder);

/// Writes a file atomically, creating its folder if missing. On FileError an older file is unchanged.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace rarefact
