#pragma once

/// Small functions for texts.

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rarefact/error.hpp"

namespace rarefact {

/// The number of characters (code points) in a UTF-8 text.
std::size_t utf8_length(std::string_view text);

/// The text as a number; nullopt if the whole text is not a number of this type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "a, b, c" in the given order.
std::string joined(const std::vector<std::string>& names, std::string_view separator = ", ");

/// The text without white space, these characters, at its ends.
std::string_view trimmed(std::string_view text, std::string_view white = " \t");

/// True if a name has only letters, digits and _, and does not start with a digit.
bool legal_name(std::string_view name);

/// The parts of a text between separators, including empty ones.
std::vector<std::string_view> split_text(std::string_view text, char separator);

/// Our word for a synonym; empty if there is none. `rows`: "word synonym synonym;word synonym".
std::string our_word(std::string_view synonym, std::string_view rows);

/// The candidate nearest to `name` by edit distance; empty if none is near enough for a typing error.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// A part of a message, and the name that it suggests.
struct Hint {
  std::string text = {}, name = {};
};

/// '; did you mean "NEAREST"?', with these quotes around the name; empty if `nearest` is.
Hint did_you_mean(std::string_view nearest, std::string_view quotes = "\"");

/// A problem with this message. Its hint is the name that a Hint among the values suggests.
template <class... Values>
Problem problem_of(fmt::format_string<Values...> message, Values&&... values) {
  Problem problem{.message = fmt::format(message, std::forward<Values>(values)...)};
  [[maybe_unused]] const auto take = [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, Hint>) problem.hint = value.name;
  };
  (take(values), ...);
  return problem;
}

/// An InputError with one such problem.
template <class... Values>
InputError bad_input(fmt::format_string<Values...> message, Values&&... values) {
  return InputError({problem_of(message, std::forward<Values>(values)...)});
}

/// "PREFIX: message".
Problem prefixed(const std::string& prefix, Problem problem);

/// Lays out rows in columns two blanks apart, without trailing blanks. Columns from `first_right` on are flush right,
/// those before flush left. Widths are counted in characters.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows, std::size_t first_right = 1);

/// Length of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text);

/// The number of that character; without one, the value of its first byte.
std::uint32_t code_point(std::string_view text);

/// The text with dangerous characters escaped, as \u001b or, if a byte is not UTF-8, as \xff: controls except
/// line breaks and tabs, line separators, and characters that change the direction of writing.
std::string sanitize_text(std::string_view text);

}  // namespace rarefact

template <>
struct fmt::formatter<rarefact::Hint> : fmt::formatter<std::string> {
  auto format(const rarefact::Hint& hint, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(hint.text, context);
  }
};
