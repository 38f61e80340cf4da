#pragma once

/// What programs read instead of the pages for people: one JSON value on stdout, or one event a line on stderr.
/// Numbers that are not finite are null.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

using Json = nlohmann::ordered_json;

inline const Option json_option = {"json", "",
                                   "print one JSON value instead, for programs; errors are JSON, too"};

/// Whether the words of a command line ask for JSON: then errors have that form, too.
bool asks_json(const std::vector<std::string>& words);

/// One value, on lines of its own. All characters beyond ASCII are escaped, so that no terminal is steered.
void print_json(std::ostream& stream, const Json& value);
/// One value on one line: an event.
void print_event(std::ostream& stream, const Json& value);

/// {"event": "error", "code": 2, "message": ..., "problems": [{"message", "file", "line", "column", "key", "hint"}]}:
/// of each problem what is known.
Json error_event(ExitCode code, const std::string& message, const std::vector<Problem>& problems = {});

/// Of a Value or a SweptValue.
template <class... T>
Json json_of(const std::variant<T...>& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}
/// Name, kind, meaning, default, legal values, unit.
Json json_of(const Parameter& parameter);

}  // namespace rarefact
