#include "io/checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/digest.hpp"
#include "io/regular_file.hpp"
#include "io/sealed_record.hpp"

namespace rarefact {

namespace {

bool is_hdf5(std::span<const std::byte> bytes) {
  constexpr std::string_view start = "\x89HDF";
  return std::ranges::equal(bytes.first(std::min(bytes.size(), start.size())),
                            std::as_bytes(std::span(start)));
}

ChecksumState verify_seal(std::span<const std::byte> bytes) {
  const auto end = bytes.last(std::min(bytes.size(), seal_bytes));
  const std::string_view seal(reinterpret_cast<const char*>(end.data()), end.size());
  if (!is_seal(seal)) return is_hdf5(bytes) ? ChecksumState::missing : ChecksumState::foreign;
  return is_whole(bytes) ? ChecksumState::agrees : ChecksumState::differs;
}

/// The contents of the .sha256 file, at most one byte longer than `form`; nullopt if there is none.
std::optional<std::string> line_beside(const std::filesystem::path& path, const std::string& form) {
  const auto beside = checksum_path(path);
  if (!std::filesystem::exists(beside)) return std::nullopt;
  const std::vector<std::byte> line = read_bytes(beside, 0, form.size() + 1);
  return std::string(reinterpret_cast<const char*>(line.data()), line.size());
}

}  // namespace

std::string file_sha256(const std::filesystem::path& path) {
  std::ifstream in = open_regular_file(path);
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::uintmax_t left = std::filesystem::file_size(path); in && left > 0;) {
    in.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(left, buffer.size())));
    digest.update(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(in.gcount()))));
    left -= static_cast<std::uintmax_t>(in.gcount());
  }
  require_read(in, path);
  return digest.hex();
}

std::filesystem::path checksum_path(const std::filesystem::path& path) {
  return path.string() + ".sha256";
}

std::string checksum_line(const std::string& digest, const std::filesystem::path& path) {
  std::string name;
  for (const char c : path.filename().string()) {
    const std::size_t special = std::string_view("\\\n\r").find(c);
    name += special == std::string_view::npos ? std::string(1, c) : std::array{"\\\\", "\\n", "\\r"}[special];
  }
  return (name.find('\\') == std::string::npos ? "" : "\\") + digest + "  " + name + "\n";
}

ChecksumState verify_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  std::string right = checksum_line(std::string(64, '0'), path);
  const auto line = line_beside(path, right);
  if (!line) {
    // The target of a link has its own checksum.
    return std::filesystem::is_symlink(path) ? verify_checksum(bytes, std::filesystem::canonical(path))
                                             : verify_seal(bytes);
  }
  if (line->size() != right.size()) return ChecksumState::malformed;
  const std::size_t start = right.find('0');
  const std::string told = line->substr(start, 64);
  if (told.find_first_not_of("0123456789abcdef") != std::string::npos ||
      *line != right.replace(start, 64, told))
    return ChecksumState::malformed;
  return sha256_hex(bytes) == told ? ChecksumState::agrees : ChecksumState::differs;
}

std::optional<std::string> objection(ChecksumState state, const std::filesystem::path& path) {
  const std::string beside = checksum_path(path).filename().string();
  switch (state) {
    case ChecksumState::agrees:
      return std::nullopt;
    case ChecksumState::foreign:
      return "not an HDF5 file";
    case ChecksumState::missing:
      return fmt::format(
          "its checksum {} is missing, and it has none inside; if you trust the file, run sha256sum {} > "
          "{} in its folder",
          beside, path.filename().string(), beside);
    case ChecksumState::malformed:
      return fmt::format(
          "{0} is not the checksum of this file (if both were renamed, delete {0}: the file has another inside)",
          beside);
    case ChecksumState::differs:
      return "its bytes are not those its checksum was written for";
  }
  return std::nullopt;
}

void write_with_checksum(const FileBytes& bytes, const std::filesystem::path& path,
                         const std::function<void()>& refuse_other) {
  const std::string& digest = bytes.sha256();
  const std::string line = checksum_line(digest, path);
  if (std::filesystem::is_regular_file(path) && file_sha256(path) == digest) {
    if (line_beside(path, line) != line) write_file(checksum_path(path), line);
    return;
  }
  refuse_other();
  make_folder_of(path);
  TemporaryFile file(path, bytes.bytes());
  TemporaryFile checksum(checksum_path(path), std::as_bytes(std::span(line)));
  if (!file.publish_new()) {
    // Another run may have written its file meanwhile.
    refuse_other();
    if (file_sha256(path) != digest) file.publish();
  }
  checksum.publish();
  sync_folder(folder_of(path));
}

}  // namespace rarefact
