#pragma once

/// Small things done to texts, once for all rooms.

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rarefact {

/// How many characters (code points) a UTF-8 text has.
std::size_t utf8_length(std::string_view text);

/// The number that is all of the text; nothing where it is none, or not of that type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The parts of a text between separators, empty ones too.
std::vector<std::string_view> split_text(std::string_view text, char separator);

/// '; did you mean "NEAREST"?', with these quotes around the name; nothing where there is none.
std::string did_you_mean(std::string_view nearest, std::string_view quotes = "\"");

/// Columns as wide as their widest entry, two blanks between them, lines without blanks at their end. The
/// columns from `first_right` on are flush right, those before flush left. Widths are counted in characters.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows, std::size_t first_right = 1);

}  // namespace rarefact
