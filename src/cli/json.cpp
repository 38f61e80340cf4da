#include "cli/json.hpp"

#include <algorithm>
#include <ostream>
#include <variant>

#include "experiment/keys.hpp"

namespace rarefact {

namespace {

/// What stands between two marks; empty where they are not both there.
std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  const std::size_t first = from + begin.size(), last = text.find(end, first);
  return last == std::string::npos ? "" : text.substr(first, last - first);
}

/// The key that a message is about: it starts "run.steps: got 0; ..." or 'unknown key "x" in [run]'.
std::string key_of(const std::string& message) {
  const std::string first = message.substr(0, message.find_first_of(": "));
  if (find_key(first) != nullptr) return first;
  if (!message.starts_with("unknown key \"")) return "";
  return dotted(between(message, "\" in [", "]"), between(message, "unknown key \"", "\""));
}

/// What may have been meant.
std::string hint_of(const std::string& message) {
  std::string hint = between(message, "did you mean ", "?");
  std::erase(hint, '"');
  return hint;
}

Json problem_json(const Problem& problem) {
  Json json = {{"message", problem.message}};
  const auto add = [&](const char* name, const auto& value) {
    if (value != std::decay_t<decltype(value)>{}) json[name] = value;
  };
  add("file", problem.file);
  add("line", problem.line);
  add("column", problem.column);
  add("key", key_of(problem.message));
  add("hint", hint_of(problem.message));
  return json;
}

}  // namespace

bool asks_json(const std::vector<std::string>& words) {
  const auto at = std::ranges::find(words, "--progress");
  return std::ranges::count(words, "--json") + std::ranges::count(words, "--progress=json") > 0 ||
         (at != words.end() && at + 1 != words.end() && at[1] == "json");
}

void print_json(std::ostream& stream, const Json& value) {
  stream << value.dump(1, ' ', true, Json::error_handler_t::replace) << "\n";
}

void print_event(std::ostream& stream, const Json& value) {
  stream << value.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" << std::flush;
}

Json error_event(ExitCode code, const std::string& message, const std::vector<Problem>& problems) {
  Json json = {{"event", "error"}, {"code", static_cast<int>(code)}, {"message", message}};
  for (const Problem& problem : problems) json["problems"].push_back(problem_json(problem));
  return json;
}

Json json_of(const SweptValue& value) {
  return std::visit([](const auto& x) { return Json(x); }, value);
}

Json json_of(const Value& value) {
  return std::visit([](const auto& x) { return Json(x); }, value);
}

Json json_of(const Parameter& parameter) {
  Json json = {{"name", parameter.name},       {"kind", to_string(parameter.kind)},
               {"meaning", parameter.meaning}, {"legal", legal_values(parameter)},
               {"unit", parameter.unit},       {"required", !parameter.default_value && !parameter.optional}};
  if (parameter.default_value) json["default"] = json_of(*parameter.default_value);
  if (parameter.family) json["family"] = true;
  if (!parameter.choices.empty()) json["choices"] = parameter.choices;
  return json;
}

}  // namespace rarefact
