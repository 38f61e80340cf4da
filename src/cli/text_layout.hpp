#pragma once

/// Layout of rows as plain text for terminals, for help pages, explanations and lists.

#include <string>
#include <utility>
#include <vector>

#include "core/transform.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// The maximum length of lines, where words allow it: 80, or the width set by fit_terminal.
std::size_t line_width();

/// Sets the line width to that of the terminal, if stdout is one, between 80 and 120.
void fit_terminal();

/// Names with their meanings.
using TextRows = std::vector<std::pair<std::string, std::string>>;

/// The words of `text` in lines of at most `width` characters (UTF-8), joined by a line break and `indent`
/// blanks. Line breaks in `text` are kept.
std::string wrapped(const std::string& text, std::size_t indent = 0, std::size_t width = line_width());

/// Two columns, both flush left, the second one wrapped, every line indented; ends in a line break. A left
/// text longer than `widest`, or without a right one, gets its own line.
std::string two_columns(const TextRows& rows, std::size_t indent = 2, std::size_t widest = 30);

/// Markdown whose paragraphs and items are single lines, wrapped to this width.
std::string wrapped_markdown(const std::string& text, std::size_t width = line_width());

/// The default as TOML, "required", or "none".
std::string default_text(const Parameter& parameter);

/// "1 point", "2 points".
std::string counted(std::size_t count, const std::string& noun);

/// The text of src/cli/words/FILE.
const std::string& words(const std::string& file);

/// A word quoted for a shell, on one line.
std::string shell_quoted(const std::string& word);

}  // namespace rarefact
