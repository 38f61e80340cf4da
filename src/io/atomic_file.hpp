#pragma once

/// Files that appear whole or not at all, or grow by what is durable. All writing goes through a table of system calls, so that a test can
/// make any of them fail.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rarefact {

/// Each as the call of that name: a negative value and errno on failure.
struct FileCalls {
  int (*open)(const char* path, int flags, unsigned mode);
  ssize_t (*write)(int descriptor, const void* bytes, std::size_t count);
  int (*sync)(int descriptor);
  int (*close)(int descriptor);
  int (*rename)(const char* from, const char* to);
  /// As rename, but EEXIST where there is anything under the new name, in one step.
  int (*rename_new)(const char* from, const char* to);
};

/// The system's own.
const FileCalls& system_calls();

/// The table that every file is written through. A test puts others in while no file is being written.
FileCalls& file_calls();

/// The bytes of a file on the heap, in memory from std::malloc, as C libraries hand it over.
class FileBytes {
 public:
  FileBytes(void* memory, std::size_t size) : memory_(memory), size_(size) {}
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_.get()), size_}; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t size_;
};

/// A complete, synced file under a temporary name, .NAME.0a1b2c3d.tmp with random digits, in the folder of
/// its target NAME. It vanishes unless it is published, and is locked (flock) meanwhile: however long this process is
/// suspended, others see that it is not what a killed one left.
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
  int lock_ = -1;
};

/// A file that this object alone makes and writes, at its end. It is locked (flock) meanwhile, and vanishes
/// where nothing was appended.
class AppendFile {
 public:
  /// Makes one whose name is a number that is free, five hexadecimal digits, and `end`. FileError.
  AppendFile(const std::filesystem::path& folder, std::string_view end);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  std::uint32_t number() const { return number_; }
  static constexpr std::uint32_t most_numbers = (1U << 20) - 1;  ///< 1 to this
  static std::string name_of(std::uint32_t number, std::string_view end);

  /// Appends, syncs and reads back. FileError leaves what was there before, and at most a part of these bytes.
  void append(std::span<const std::byte> bytes);

  /// Tells those who look at its time that this process is at work.
  void touch() const;

 private:
  std::uint32_t number_ = 0;
  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// Removes a file that no process has locked. Not where that cannot be told.
void remove_abandoned(const std::filesystem::path& path);

/// Whether a file has the name of a temporary one.
bool is_temporary_name(std::string_view name);

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
