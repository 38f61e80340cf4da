#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include "rarefact/error.hpp"

namespace rarefact {

namespace {

constexpr std::string_view temporary_end = ".tmp";
/// Attempts to find a free name.
constexpr int max_attempts = 100;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what, int error = errno) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(error)));
}

/// A file descriptor that closes itself.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void write_all(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = file_calls().write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write it");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Random digits, different in every thread: the generator is seeded once per thread.
std::uint32_t random_digits() {
  static thread_local std::mt19937 generator{std::random_device{}()};
  return static_cast<std::uint32_t>(generator());
}

int rename_new(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // Network file systems lack this call, but links do the same in two steps.
  if (::link(from, to) != 0) return -1;
  ::unlink(from);
  return 0;
}

}  // namespace

const FileCalls& system_calls() {
  static const FileCalls calls = {
      .open = [](const char* path, int flags, unsigned mode) { return ::open(path, flags, mode); },
      .write = ::write,
      .sync = ::fsync,
      .close = ::close,
      .rename = ::rename,
      .rename_new = rename_new,
  };
  return calls;
}

FileCalls& file_calls() {
  static FileCalls calls = system_calls();
  return calls;
}

TemporaryFile::TemporaryFile(std::filesystem::path target, std::span<const std::byte> bytes)
    : target_(std::move(target)) {
  Descriptor out{-1};
  // Created only if the name is free: another process, on any machine, may be writing the same file.
  for (int attempt = 0; out.number < 0; ++attempt) {
    path_ = folder_of(target_) /
            fmt::format(".{}.{:08x}{}", target_.filename().string(), random_digits(), temporary_end);
    out.number = file_calls().open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out.number < 0 && (errno != EEXIST || attempt == max_attempts))
      fail(target_, "create a file in its folder");
  }
  // On a second descriptor, so that the first can be closed, which reports errors.
  lock_ = ::fcntl(out.number, F_DUPFD_CLOEXEC, 0);
  if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
  try {
    write_all(out.number, bytes, target_);
    if (file_calls().sync(out.number) != 0) fail(target_, "write it");
    // Network file systems may report a full disk only here.
    if (file_calls().close(std::exchange(out.number, -1)) != 0) fail(target_, "write it");
    // From now on others may read; with mandatory locks, as on SMB, an exclusive lock would prevent that.
    if (lock_ >= 0) ::flock(lock_, LOCK_SH | LOCK_NB);
  } catch (...) {
    ::unlink(path_.c_str());
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  if (lock_ >= 0) ::close(lock_);
}

AppendFile::AppendFile(const std::filesystem::path& folder, std::string_view end) {
  for (int attempt = 0; file_ < 0; ++attempt) {
    path_ = folder / fmt::format("{:08x}{}", random_digits(), end);
    // Readable, too, because shared locks of network file systems require it.
    file_ = file_calls().open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && (errno != EEXIST || attempt == max_attempts)) fail(path_, "make the file");
  }
  ::flock(file_, LOCK_SH | LOCK_NB);
}

AppendFile::~AppendFile() {
  if (size_ == 0) ::unlink(path_.c_str());
  ::close(file_);
}

std::uint64_t AppendFile::append(const std::vector<std::span<const std::byte>>& parts) {
  const auto end = static_cast<off_t>(size_);
  // Readers stop at a torn record, so the next one takes its place even if it could not be cut off.
  if (::lseek(file_, end, SEEK_SET) != end) fail(path_, "write it");
  try {
    for (const auto& part : parts) write_all(file_, part, path_);
    if (file_calls().sync(file_) != 0) fail(path_, "write it");
    if (size_ == 0) sync_folder(folder_of(path_));
  } catch (...) {
    [[maybe_unused]] const int cut = ::ftruncate(file_, end);
    throw;
  }
  for (const auto& part : parts) size_ += part.size();
  return static_cast<std::uint64_t>(end);
}

void remove_abandoned(const std::filesystem::path& path) {
  // Opened for writing, because locks of network file systems require it.
  const Descriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (file.number >= 0 && ::flock(file.number, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

void TemporaryFile::publish() {
  if (file_calls().rename(path_.c_str(), target_.c_str()) != 0)
    fail(target_, "give the finished file its name");
  path_.clear();
}

bool TemporaryFile::publish_new() {
  if (file_calls().rename_new(path_.c_str(), target_.c_str()) == 0) {
    path_.clear();
    return true;
  }
  if (errno != EEXIST) fail(target_, "give the finished file its name");
  return false;
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with('.') && name.ends_with(temporary_end);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void make_folder_of(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> missing;
  std::error_code error;
  for (auto folder = folder_of(path); !std::filesystem::exists(folder, error); folder = folder_of(folder)) {
    if (error && error != std::errc::no_such_file_or_directory) break;
    missing.push_back(folder);
  }
  std::filesystem::create_directories(folder_of(path), error);
  if (error) fail(folder_of(path), "make the folder", error.value());
  for (const auto& folder : missing) sync_folder(folder_of(folder));
}

void require_writable(const std::filesystem::path& path) {
  make_folder_of(path);
  // Only an attempt shows whether a file can be created there: the mode of the folder says nothing about the disk.
  const TemporaryFile attempt(path, {});
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor in{file_calls().open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)};
  if (in.number < 0) fail(folder, "open the folder");
  // Some network file systems lack this call and say so; their names are durable once rename returns.
  if (file_calls().sync(in.number) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail(folder, "sync the folder");
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  make_folder_of(path);
  TemporaryFile file(path, std::as_bytes(std::span(text)));
  file.publish();
  sync_folder(folder_of(path));
}

}  // namespace rarefact
