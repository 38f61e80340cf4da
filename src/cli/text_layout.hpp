#pragma once

/// Rows as plain text for terminals or as Markdown: help pages, explanations and lists are made of these.

#include <string>
#include <utility>
#include <vector>

#include "core/transform.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// Lines are no longer than this where words allow it: 80, or what fit_terminal found.
std::size_t line_width();

/// Lets lines be as long as those of the terminal that stdout is, if it is one, but no shorter than 80 and no longer
/// than 120.
void fit_terminal();

/// A name and what it is, each.
using TextRows = std::vector<std::pair<std::string, std::string>>;

/// The words of `text` in lines of at most `width` characters (UTF-8), joined by a line break and `indent`
/// blanks. Line breaks in `text` stay.
std::string wrapped(const std::string& text, std::size_t indent = 0, std::size_t width = line_width());

/// Two columns, both flush left, the second one wrapped, every line indented; ends in a line break. An empty
/// text on the right leaves the left one alone on its line; texts on the left longer than `widest` get a line
/// of their own.
std::string two_columns(const TextRows& rows, std::size_t indent = 2, std::size_t widest = 30);

/// Items with a star before each, wrapped to this width.
std::string bullets(const std::vector<std::string>& items, std::size_t width = line_width());

/// A table of Markdown, the first row its header. Cells are taken as they are.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

/// A text in a cell of such a table; and one set as code.
std::string markdown_cell(const std::string& text);
std::string markdown_code(const std::string& text);

/// The default as TOML, "required", or "none".
std::string default_text(const Parameter& parameter);

/// "1 point", "2 points".
std::string counted(std::size_t count, const std::string& noun);

/// A word as a shell reads it back, on one line.
std::string shell_quoted(const std::string& word);

}  // namespace rarefact
