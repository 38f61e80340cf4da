#include "io/sealed_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/digest.hpp"

namespace rarefact {

namespace {

constexpr std::string_view seal_word = "sha256 ";
/// Prevents overflow of sums of lengths.
constexpr std::uint64_t max_content = std::uint64_t{1} << 62;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string seal_line(std::string_view digest) {
  return fmt::format("{}{}\n", seal_word, digest);
}

bool is_seal(std::string_view text) {
  return text.size() == seal_bytes && text.starts_with(seal_word) && text.ends_with('\n');
}

std::vector<std::byte> with_seal(std::vector<std::byte> bytes) {
  const std::string seal = seal_line(sha256_hex(bytes));
  const auto end = std::as_bytes(std::span(seal));
  bytes.insert(bytes.end(), end.begin(), end.end());
  return bytes;
}

std::vector<std::byte> sealed_bytes(std::string_view title, std::vector<std::byte> line_and_content) {
  const std::string line =
      fmt::format("{} {:016x}\n", title, line_and_content.size() - title.size() - length_bytes);
  std::ranges::copy(std::as_bytes(std::span(line)), line_and_content.begin());
  return with_seal(std::move(line_and_content));
}

std::optional<std::uint64_t> record_bytes(std::string_view line) {
  if (line.size() < length_bytes || line[line.size() - length_bytes] != ' ' || line.back() != '\n') return {};
  const char *first = line.data() + line.size() - length_bytes + 1, *last = line.data() + line.size() - 1;
  std::uint64_t content = 0;
  if (std::from_chars(first, last, content, 16).ptr != last || content > max_content) return {};
  return line.size() + content + seal_bytes;
}

bool is_whole(std::span<const std::byte> bytes) {
  return bytes.size() >= seal_bytes &&
         seal_line(sha256_hex(bytes.first(bytes.size() - seal_bytes))) == text_of(bytes.last(seal_bytes));
}

std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view title,
                                    const char* other_title, bool verify) {
  const std::string_view seal = text_of(bytes.last(std::min(bytes.size(), seal_bytes)));
  // A file that was cut has neither; one byte that changed leaves one of them.
  if (seal.size() < seal_bytes || !(seal.starts_with(seal_word) || seal.ends_with('\n')))
    throw std::runtime_error("it is cut short");
  const auto content = bytes.first(bytes.size() - seal_bytes);
  if (verify && !is_whole(bytes))
    throw std::runtime_error("its bytes are not those its checksum was written for");
  const std::string_view line = text_of(content).substr(0, title.size() + length_bytes);
  if (!line.starts_with(title) || record_bytes(line) != bytes.size()) throw std::runtime_error(other_title);
  return content.subspan(line.size());
}

}  // namespace rarefact
