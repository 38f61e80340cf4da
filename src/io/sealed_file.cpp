#include "io/sealed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/digest.hpp"

namespace rarefact {

namespace {

constexpr std::string_view seal_word = "sha256 ";
constexpr std::size_t seal_bytes = seal_word.size() + 64 + 1;  // digits, line break

std::string seal_of(std::span<const std::byte> bytes) {
  return fmt::format("{}{}\n", seal_word, sha256_hex(bytes));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::byte> with_seal(std::vector<std::byte> bytes) {
  const std::string seal = seal_of(bytes);
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
  if (seal_of(content) != seal)
    throw std::runtime_error("its bytes are not those its checksum was written for");
  if (!text_of(content).starts_with(fmt::format("{}\n", title))) throw std::runtime_error(other_title);
  return content.subspan(title.size() + 1);
}

}  // namespace rarefact
