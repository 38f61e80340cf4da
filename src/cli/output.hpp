#pragma once

/// Output: rows as plain text for terminals, in help pages, explanations and lists, and JSON for programs.

#include <nlohmann/json.hpp>
#include <utility>

#include "core/transform.hpp"
#include "rarefact/catalogue.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

/// The maximum length of lines, where words allow it: 80, or the width set by fit_terminal.
std::size_t line_width();

/// Sets the line width to that of the terminal, if stdout is one, between 80 and 120.
void fit_terminal();

using TextRows = std::vector<std::pair<std::string, std::string>>;

/// The words of `text` in lines of at most `width` characters, further ones indented. Line breaks in `text` are kept.
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

struct CheckRow;
struct CheckReport;

/// Output for programs: one value on stdout, or one event per line on stderr. Numbers that are not finite are null.
using Json = nlohmann::ordered_json;

/// True if a command line requests JSON, also for errors.
bool asks_json(const std::vector<std::string>& words);

/// Prints one value on separate lines. Characters beyond ASCII are escaped, so that terminals are not affected.
void print_json(std::ostream& stream, const Json& value);
/// Prints one value on one line: an event.
void print_event(std::ostream& stream, const Json& value);

/// {"event": "error", "code": 2, "message": ..., "problems": [{"message", "file", "line", "column", "key",
/// "hint"}]}, with the known members of each problem.
Json error_event(ExitCode code, const std::string& message, const std::vector<Problem>& problems = {});

/// A Value or SweptValue as JSON.
template <class... T>
Json json_of(const std::variant<T...>& value) {
  return std::visit([](const auto& alternative) { return Json(alternative); }, value);
}
/// Name, kind, meaning, default, legal values, unit.
Json json_of(const Parameter& parameter);
/// A statement with its verdict, findings and hypotheses.
Json json_of(const CheckRow& row, const CheckReport& report);

}  // namespace rarefact
