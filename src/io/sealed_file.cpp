#include "io/sealed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/digest.hpp"

namespace rarefact {

namespace {

constexpr std::string_view seal_word = "sha256 ";

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

std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view title,
                                    const char* other_title) {
  const std::string_view seal = text_of(bytes.last(std::min(bytes.size(), seal_bytes)));
  // A file that was cut has neither; one byte that changed leaves one of them.
  if (seal.size() < seal_bytes || !(seal.starts_with(seal_word) || seal.ends_with('\n')))
    throw std::runtime_error("it is cut short");
  const auto content = bytes.first(bytes.size() - seal_bytes);
  if (seal_line(sha256_hex(content)) != seal)
    throw std::runtime_error("its bytes are not those its checksum was written for");
  if (!text_of(content).starts_with(fmt::format("{}\n", title))) throw std::runtime_error(other_title);
  return content.subspan(title.size() + 1);
}

}  // namespace rarefact
