#include "io/checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/digest.hpp"
#include "io/regular_file.hpp"
#include "io/sealed_file.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

ChecksumState verify_seal(const std::filesystem::path& path) {
  std::string seal(seal_bytes, '\0');
  std::ifstream in = open_plain_file(path);
  in.seekg(-static_cast<std::streamoff>(seal_bytes), std::ios::end);
  if (!in.read(seal.data(), static_cast<std::streamsize>(seal_bytes)) || !is_seal(seal))
    return ChecksumState::missing;
  return seal == seal_line(file_sha256(path, seal_bytes)) ? ChecksumState::sealed : ChecksumState::differs;
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
  std::string start(4, '\0');
  open_plain_file(path).read(start.data(), 4);
  return start == "\x89HDF";
}

std::string file_sha256(const std::filesystem::path& path, std::uintmax_t without) {
  std::ifstream in = open_plain_file(path);
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::uintmax_t left = std::filesystem::file_size(path) - without; in && left > 0;) {
    in.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(left, buffer.size())));
    digest.update(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(in.gcount()))));
    left -= static_cast<std::uintmax_t>(in.gcount());
  }
  if (in.bad()) throw FileError(path.string() + ": cannot read it");
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

ChecksumState verify_checksum(const std::filesystem::path& path) {
  const auto beside = checksum_path(path);
  if (!std::filesystem::exists(beside)) {
    // What a link leads to has its checksum there.
    return std::filesystem::is_symlink(path) ? verify_checksum(std::filesystem::canonical(path))
                                             : verify_seal(path);
  }
  // One byte more than any right line has, so that a longer file is not taken for it.
  const std::string form = checksum_line(std::string(64, '0'), path);
  std::string line(form.size() + 1, '\0');
  std::ifstream in = open_plain_file(beside);
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  const std::size_t start = form.find('0');
  if (line.size() < start + 64) return ChecksumState::malformed;
  const std::string digest = line.substr(start, 64);
  if (digest.find_first_not_of("0123456789abcdef") != std::string::npos ||
      line != checksum_line(digest, path)) {
    return ChecksumState::malformed;
  }
  return file_sha256(path) == digest ? ChecksumState::agrees : ChecksumState::differs;
}

bool vouched_for(ChecksumState state) {
  return state == ChecksumState::agrees || state == ChecksumState::sealed;
}

std::optional<std::string> objection(ChecksumState state, const std::filesystem::path& path) {
  const std::string beside = checksum_path(path).filename().string();
  switch (state) {
    case ChecksumState::agrees:
      return std::nullopt;
    case ChecksumState::sealed:
      return fmt::format("its checksum {} is missing", beside);
    case ChecksumState::missing:
      if (!is_hdf5(path)) return "it is no HDF5 file";
      return fmt::format(
          "its checksum {} is missing, and it has none inside; if you know that it is whole, sha256sum {} > {} in its "
          "folder makes one",
          beside, path.filename().string(), beside);
    case ChecksumState::malformed:
      return fmt::format("{} is not the checksum of this file", beside);
    case ChecksumState::differs:
      return "its bytes are not those its checksum was written for";
  }
  return std::nullopt;
}

void write_with_checksum(std::span<const std::byte> bytes, const std::filesystem::path& path,
                         const std::function<void()>& refuse_other,
                         const std::function<void(const TemporaryFile&)>& inspect) {
  const std::string digest = sha256_hex(bytes);
  const std::string line = checksum_line(digest, path);
  if (std::filesystem::is_regular_file(path) && file_sha256(path) == digest) {
    if (verify_checksum(path) != ChecksumState::agrees) write_file(checksum_path(path), line);
    return;
  }
  refuse_other();
  make_folder_of(path);
  TemporaryFile file(path, bytes);
  file.verify(bytes);
  if (inspect) inspect(file);
  TemporaryFile checksum(checksum_path(path), std::as_bytes(std::span(line)));
  if (!file.publish_new()) {
    // Another run may have written its file while this one was at work.
    refuse_other();
    if (file_sha256(path) != digest) file.publish();
  }
  checksum.publish();
  sync_folder(folder_of(path));
}

}  // namespace rarefact
