#include "rarefact/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "rarefact/core/error.hpp"

namespace rarefact {

namespace {

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
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write it");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path target, std::span<const std::byte> bytes)
    : target_(std::move(target)) {
  std::random_device random;
  Descriptor out{-1};
  // Made only if the name is free: another process, perhaps on another machine, may be writing the same file.
  for (int attempt = 0; out.number < 0; ++attempt) {
    path_ = folder_of(target_) / fmt::format(".{}.{:08x}.tmp", target_.filename().string(), random());
    out.number = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out.number < 0 && (errno != EEXIST || attempt == 100)) fail(target_, "create a file in its folder");
  }
  try {
    write_all(out.number, bytes, target_);
    if (::fsync(out.number) != 0) fail(target_, "write it");
    // Network file systems report a full disk as late as here.
    if (::close(std::exchange(out.number, -1)) != 0) fail(target_, "write it");
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void TemporaryFile::publish() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, "give the finished file its name");
  path_.clear();
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void make_folder_of(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(folder_of(path), error);
  if (error) fail(folder_of(path), "make the folder", error.value());
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor in{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (in.number < 0) fail(folder, "open the folder");
  // Some network file systems have no such call and say so; their names are durable once rename returns.
  if (::fsync(in.number) != 0 && errno != EINVAL && errno != ENOTSUP) fail(folder, "sync the folder");
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  make_folder_of(path);
  TemporaryFile file(path, std::as_bytes(std::span(text)));
  file.publish();
  sync_folder(folder_of(path));
}

}  // namespace rarefact
