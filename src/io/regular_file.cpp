#include "io/regular_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// The longest name derived from a file's, ".NAME.sha256.0a1b2c3d.tmp", is longer by this.
constexpr std::size_t longest_addition = 1 + 7 + 9 + 4;

}  // namespace

std::string reading_objection(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return error && error.value() != ENOENT ? error.message() : "no such file";
  return std::filesystem::is_regular_file(status) ? "" : "not a plain file";
}

std::ifstream open_regular_file(const std::filesystem::path& path) {
  // Checked before it is opened: opening a pipe would block, and opening a device may have effects.
  if (const std::string why = reading_objection(path); !why.empty())
    throw FileError(path.string() + ": " + why);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(fmt::format("{}: cannot open it: {}", path.string(), std::strerror(errno)));
  return in;
}

void require_read(const std::ios& in, const std::filesystem::path& path) {
  if (in.bad()) throw FileError(path.string() + ": cannot read it");
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path, std::uint64_t offset,
                                  std::uint64_t size) {
  std::ifstream in = open_regular_file(path);
  // Bounded, so that reading a growing file ends.
  std::error_code failed;
  const std::uint64_t all = std::filesystem::file_size(path, failed);
  if (failed) throw FileError(fmt::format("{}: cannot read it: {}", path.string(), failed.message()));
  std::vector<std::byte> bytes(std::min(size, all - std::min(offset, all)));
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  require_read(in, path);
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::string name_objection(const std::filesystem::path& path) {
  if (path.empty()) return "got an empty name; expected that of a file";
  const std::string name = path.filename().string();
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (name.empty() || name == "." || name == ".." || std::filesystem::is_directory(status))
    return path.string() + " is a folder; expected the name of a file";
  if (name.size() + longest_addition > NAME_MAX) {
    return fmt::format("{}: its name has {} bytes; at most {} are possible", path.string(), name.size(),
                       NAME_MAX - longest_addition);
  }
  if (const auto folder = std::filesystem::absolute(path).parent_path(); folder.extension() == ".points")
    return fmt::format("{}: its folder is that of the points of a sweep, and removed with them",
                       path.string());
  for (const std::string beside : {".sha256", ".log.json"}) {
    if (name.ends_with(beside))
      return fmt::format("{}: files beside results have names with {} at the end", path.string(), beside);
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return path.string() + " is not a regular file";
  if (!std::filesystem::exists(status) &&
      std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored)))
    return path.string() + " is a link to a file that is not there; name the file itself";
  return {};
}

}  // namespace rarefact
