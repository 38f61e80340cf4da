#include "core/sanitize_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rarefact {

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

std::uint32_t code_point(std::string_view text) {
  const std::size_t length = character_length(text);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::uint32_t code = length < 2 ? byte(0) : byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3fU);
  return code;
}

std::string sanitize_text(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::uint32_t code = code_point(text);
    const bool breaks = code == '\n' || code == '\t';
    const bool hidden = (code < 0x20 && !breaks) || (code >= 0x7f && code < 0xa0) ||
                        (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    if (length == 0) {
      visible += fmt::format("\\x{:02x}", code);
    } else if (hidden) {
      visible += fmt::format("\\u{:04x}", code);
    } else {
      visible += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return visible;
}

}  // namespace rarefact
