#pragma once

/// Output for programs: one JSON value on stdout, or one event per line on stderr. Numbers that are not
/// finite are null.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

struct CheckRow;
struct CheckReport;

using Json = nlohmann::ordered_json;

inline const Option json_option = {"json", "",
                                   "print one JSON value instead, for programs; errors are JSON, too"};

/// True if a command line requests JSON, also for errors.
bool asks_json(const std::vector<std::string>& words);

/// Prints one value on separate lines. Characters beyond ASCII are escaped, so that terminals are not
/// affected.
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
