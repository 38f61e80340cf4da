#include <ostream>

#include "cli/output.hpp"
#include "experiment/keys.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace {

Json problem_json(const Problem& problem) {
  Json json = {{"message", problem.message}};
  const auto add = [&](const char* name, const auto& value) {
    if (value != std::decay_t<decltype(value)>{}) json[name] = value;
  };
  add("file", problem.file);
  add("line", problem.line);
  add("column", problem.column);
  add("key", problem.key);
  add("hint", problem.hint);
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

Json json_of(const Parameter& parameter) {
  Json json = {{"name", parameter.name},       {"kind", to_string(parameter.kind)},
               {"meaning", parameter.meaning}, {"legal", legal_values(parameter)},
               {"unit", parameter.unit},       {"required", !parameter.default_value && !parameter.optional}};
  if (parameter.default_value) json["default"] = json_of(*parameter.default_value);
  if (parameter.family) json["family"] = true;
  if (!parameter.choices.empty()) json["choices"] = parameter.choices;
  return json;
}

Json json_of(const CheckRow& row, const CheckReport& report) {
  Json json = {{"id", row.id},
               {"title", row.word("title")},
               {"source", row.word("source")},
               {"statement", row.word("statement")},
               {"verdict", verdict_text(report.verdict())},
               {"trajectories", report.runs},
               {"findings", Json::array()},
               {"hypotheses", Json::array()},
               {"note", report.note},
               {"unfinished", report.unfinished},
               {"unseen", report.unseen},
               {"vacuous", report.vacuous}};
  for (const Finding& finding : report.findings) {
    json["findings"].push_back({{"id", finding.id},
                                {"quantity", finding.quantity},
                                {"verdict", verdict_text(finding.verdict)},
                                {"measured", finding.measured},
                                {"low", finding.low.value_or(NAN)},
                                {"high", finding.high.value_or(NAN)},
                                {"published", finding.published},
                                {"sharp", finding.sharp.value_or(NAN)},
                                {"right_digits", finding.right_digits.value_or(NAN)},
                                {"headline", finding.headline},
                                {"rule", finding.rule}});
  }
  for (const Hypothesis& hypothesis : report.hypotheses)
    json["hypotheses"].push_back(
        {{"text", hypothesis.text}, {"met", hypothesis.met}, {"detail", hypothesis.detail}});
  return json;
}

}  // namespace rarefact
