#include <fmt/format.h>

#include <algorithm>

#include "experiment_file_tables.hpp"

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
  if (values.has("classes")) experiment.classes = values.text("classes");
  if (values.has("spectral_metrics")) experiment.spectral_metrics = values.text("spectral_metrics");
}

}  // namespace rarefact
