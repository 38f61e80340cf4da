#pragma once

/// Plain text for terminals.

#include <string>
#include <utility>
#include <vector>

namespace rarefact {

/// Lines are no longer than this where words allow it.
inline constexpr std::size_t line_width = 100;

/// The words of `text` in lines of at most `width` characters (UTF-8), joined by a line break and `indent`
/// blanks. Line breaks in `text` stay.
std::string wrapped(const std::string& text, std::size_t indent = 0, std::size_t width = line_width);

/// Two columns, both flush left, the second one wrapped, every line indented; ends in a line break. An empty
/// text on the right leaves the left one alone on its line; texts on the left longer than `widest` get a line
/// of their own.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t indent = 2,
                        std::size_t widest = 30);

/// A word as a shell reads it back, on one line.
std::string shell_quoted(const std::string& word);

}  // namespace rarefact
