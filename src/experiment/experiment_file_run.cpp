#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "experiment/experiment_file_tables.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

namespace {

constexpr double most_recorded_steps = 1e7;

std::optional<std::int64_t> whole_number(const toml::node& node, const std::string& key, Interval legal,
                                         ProblemList& problems) {
  const auto value =
      read_value(node, key, {.name = "", .kind = Kind::integer, .meaning = "", .legal = legal}, problems);
  return value ? std::optional(std::get<std::int64_t>(*value)) : std::nullopt;
}

RecordRule read_record_table(const toml::table& table, double last_step, ProblemList& problems) {
  RecordRule record;
  record.kind = RecordRule::Kind::every;
  for (auto&& [key, node] : table) {
    if (key == "every") {
      record.every =
          whole_number(node, "run.record.every", {.low = 1, .high = last_step}, problems).value_or(1);
    } else {
      problems.add(key.source(),
                   fmt::format("unknown key \"{}\" in run.record; expected {{every = N}}", key.str()));
    }
  }
  if (table.empty()) problems.add(table.source(), "run.record: got an empty table; expected {every = N}");
  return record;
}

RecordRule read_record(const toml::node& node, double last_step, ProblemList& problems) {
  if (const toml::table* table = node.as_table()) return read_record_table(*table, last_step, problems);
  RecordRule record;
  if (const toml::array* steps = node.as_array()) {
    record.kind = RecordRule::Kind::list;
    for (const toml::node& step : *steps) {
      const auto read = whole_number(step, "run.record", {.low = 0, .high = last_step}, problems);
      if (read) record.steps.push_back(*read);
    }
    std::sort(record.steps.begin(), record.steps.end());
    record.steps.erase(std::unique(record.steps.begin(), record.steps.end()), record.steps.end());
    return record;
  }
  const ExperimentKey& key = *find_key("run.record");
  const auto* text = node.as_string();
  if (text != nullptr && text->get() == "log") {
    record.kind = RecordRule::Kind::log;
  } else if (text == nullptr || text->get() != "all") {
    const Parameter& parameter = key.uses.front().parameter;
    problems.add(
        node.source(),
        fmt::format("run.record: got {}; expected {}, {}{}", description(node), legal_values(parameter),
                    key.other_forms, text ? did_you_mean(nearest_name(text->get(), parameter.choices)) : ""));
  }
  return record;
}

std::optional<std::int64_t> read_nodes(const toml::node& node, ProblemList& problems) {
  const ExperimentKey& key = *find_key("run.nodes");
  if (const auto* text = node.as_string()) {
    if (text->get() == "auto") return std::nullopt;
    problems.add(node.source(), fmt::format("run.nodes: got {}; expected \"auto\" or {}", description(node),
                                            key.other_forms));
    return std::nullopt;
  }
  return whole_number(node, "run.nodes",
                      {.low = static_cast<double>(least_nodes), .high = static_cast<double>(most_nodes)},
                      problems);
}

/// "99%" or "99.9%": the number in (0, 100); nothing where it is none.
std::optional<double> percentage(const std::string& text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  double value = 0;
  const char *begin = text.data(), *end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool legal = error == std::errc() && stop == end && value > 0 && value < 100;
  return legal ? std::optional(value) : std::nullopt;
}

std::optional<ClassAt> read_class(const toml::node& node, ProblemList& problems) {
  if (const auto* text = node.as_string()) {
    if (text->get() == "last") return ClassAt{.kind = ClassAt::Kind::last};
    if (const auto value = percentage(text->get())) return ClassAt{ClassAt::Kind::percent, *value};
    problems.add(
        node.source(),
        fmt::format("run.classes: got {}; expected a rank, \"last\", or a percentage between 0 and 100 "
                    "such as \"99%\"",
                    description(node)));
    return std::nullopt;
  }
  const auto rank = read_value(
      node, "run.classes",
      {.name = "", .kind = Kind::count, .meaning = "", .legal = {.low = 1, .high = most_classes}}, problems);
  return rank ? std::optional(ClassAt{ClassAt::Kind::rank, std::get<double>(*rank)}) : std::nullopt;
}

ClassRule read_classes(const toml::node& node, ProblemList& problems) {
  const ExperimentKey& key = *find_key("run.classes");
  ClassRule rule;
  if (const toml::array* list = node.as_array()) {
    rule.kind = ClassRule::Kind::list;
    if (list->empty()) {
      problems.add(node.source(),
                   fmt::format("run.classes: got an empty list; expected {}", key.other_forms));
    }
    for (const toml::node& element : *list) {
      if (const auto at = read_class(element, problems)) rule.list.push_back(*at);
    }
    return rule;
  }
  const auto* text = node.as_string();
  if (text != nullptr && text->get() == "all") {
    rule.kind = ClassRule::Kind::all;
  } else if (text == nullptr || text->get() != "groups") {
    const Parameter& parameter = key.uses.front().parameter;
    problems.add(
        node.source(),
        fmt::format("run.classes: got {}; expected {}, or {}{}", description(node), legal_values(parameter),
                    key.other_forms, text ? did_you_mean(nearest_name(text->get(), parameter.choices)) : ""));
  }
  return rule;
}

}  // namespace

void read_run(const toml::table& root, Experiment& experiment, ProblemList& problems) {
  const toml::table* table = find_table(root, "run", "run", problems);
  if (table == nullptr) return;
  const ParameterValues values = read_table(*table, "run", "run", {}, problems).values;
  const bool steps_known = values.has("steps");
  if (steps_known) experiment.steps = values.integer("steps");
  const auto last_step = steps_known ? static_cast<double>(experiment.steps) : Interval{}.high;
  const toml::node* record = table->get("record");
  if (record != nullptr) experiment.record = read_record(*record, last_step, problems);
  const RecordRule& rule = experiment.record;
  const bool regular = rule.kind == RecordRule::Kind::all || rule.kind == RecordRule::Kind::every;
  const double recorded = last_step / static_cast<double>(rule.every);
  if (steps_known && regular && recorded > most_recorded_steps) {
    const toml::node* steps = table->get("steps");
    problems.add(
        record != nullptr ? record->source() : steps->source(),
        fmt::format(
            "run.record: {:g} steps would be recorded, at most {:g} are possible; expected \"log\", {}",
            recorded, most_recorded_steps, find_key("run.record")->other_forms));
  }
  if (values.has("engine")) experiment.engine = values.text("engine");
  if (const toml::node* nodes = table->get("nodes")) experiment.nodes = read_nodes(*nodes, problems);
  if (values.has("quadrature_tolerance"))
    experiment.quadrature_tolerance = values.number("quadrature_tolerance");
  if (const toml::node* classes = table->get("classes"))
    experiment.classes = read_classes(*classes, problems);
  if (values.has("precision")) experiment.precision = values.integer("precision");
  if (values.has("rho_epsilon")) experiment.rho_epsilon = values.number("rho_epsilon");
  if (values.has("push")) experiment.push = values.boolean("push");
  if (values.has("spectral_metrics")) experiment.spectral_metrics = values.text("spectral_metrics");
}

}  // namespace rarefact
