#include <cctype>

#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "experiment/step_sizes.hpp"

namespace rarefact {

namespace {

constexpr double max_records_a_decade = 1000;

/// A legal number or text; otherwise nullopt, with a problem.
template <class T>
std::optional<T> read_as(const ConfigNode& setting, const std::string& key, Kind kind, Interval legal,
                         ProblemList& problems, const std::vector<std::string>& choices = {}) {
  const auto value = read_value(
      setting, key, {.name = "", .kind = kind, .meaning = "", .legal = legal, .choices = choices}, problems);
  return value ? std::optional(std::get<T>(*value)) : std::nullopt;
}

/// A word for a key that has other forms, too. `join` precedes these in the message.
std::optional<std::string> read_word(const ConfigNode& setting, const ExperimentKey& key,
                                     std::string_view join, ProblemList& problems) {
  const Parameter& parameter = key.uses.front().parameter;
  if (legal_value(setting, parameter)) return std::get<std::string>(setting.value);
  const auto* text = setting.as<std::string>();
  problems.add(setting.place, "{}: got {}; expected {}{}{}{}", key.name(), description(setting),
               legal_values(parameter), join, key.other_forms,
               did_you_mean(text ? nearest_name(*text, parameter.choices) : ""));
  return {};
}

/// The number in "99%" or "99.9%", in (0, 100); nullopt otherwise.
std::optional<double> percentage(const std::string& text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  const auto value = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
  return value && *value > 0 && *value < 100 ? value : std::nullopt;
}

std::optional<ClassAt> read_class(const ConfigNode& setting, ProblemList& problems) {
  if (const auto* text = setting.as<std::string>()) {
    if (*text == "last") return ClassAt{.kind = ClassAt::Kind::last};
    if (const auto value = percentage(*text)) return ClassAt{ClassAt::Kind::percent, *value};
    problems.add(setting.place,
                 "run.classes: got {}; expected a rank, \"last\", or a percentage between 0 and 100 such "
                 "as \"99%\"",
                 description(setting));
    return std::nullopt;
  }
  const auto rank =
      read_as<double>(setting, "run.classes", Kind::count, {.low = 1, .high = max_classes}, problems);
  return rank ? std::optional(ClassAt{ClassAt::Kind::rank, *rank}) : std::nullopt;
}

/// Reads a legal number, or an expression; a number in quotes is a problem.
std::optional<StepSize> read_size(const ConfigNode& setting, const std::string& key, ProblemList& problems,
                                  Interval legal = {.low = 0, .low_open = true}) {
  const auto* text = setting.as<std::string>();
  if (text == nullptr || text->empty() || parse_number<double>(*text))
    return read_as<double>(setting, key, Kind::number, legal, problems);
  try {
    StepSize size;
    size.expression = checked_expression(*text);
    return size;
  } catch (const InputError& error) {
    if (meant_number(*text)) return read_as<double>(setting, key, Kind::number, legal, problems);
    problems.add(setting.place, prefixed(key + ": " + description(setting), error.problems().front()));
    return {};
  }
}

ConfigNode written(const StepSize& size) {
  return size.expression.empty() ? ConfigNode{size.number} : ConfigNode{size.expression};
}

void read_search_range(const ConfigNode& setting, StepSearch& search, ProblemList& problems) {
  const std::string name = "optimizer.step_size.search";
  const auto* list = setting.as<ConfigList>();
  if (list == nullptr || list->size() != 3)
    return problems.add(setting.place, "{}: got {}; expected [low, high, n]", name,
                        list_description(setting));
  const ConfigNode &low_at = (*list)[0], &high_at = (*list)[1], &count_at = (*list)[2];
  const auto low = read_size(low_at, name + ": low", problems),
             high = read_size(high_at, name + ": high", problems);
  const auto count = read_as<std::int64_t>(count_at, name + ": n", Kind::integer,
                                           {.low = 2, .high = max_searched}, problems);
  const bool numbers = low && high && low->expression.empty() && high->expression.empty();
  if (numbers && !(high->number > low->number)) {
    problems.add(high_at.place, "{}: high: got {}; expected a number > low, {}", name, description(high_at),
                 low->number);
  }
  search.low = low.value_or(StepSize());
  search.high = high.value_or(StepSize());
  search.count = count.value_or(2);
}

}  // namespace

// Codecs of keys with special forms, declared in keys.cpp.

void read_record(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                 ProblemList& problems) {
  RecordRule& record = section.experiment->record;
  const double last_step =
      section.knows("steps") ? static_cast<double>(section.experiment->steps) : Interval{}.high;
  if (const auto* table = setting.as<ConfigTable>()) {
    if (table->entries.size() != 1)
      problems.add(setting.place, "run.record: got {} table; expected {{every = N}} or {{log = N}}",
                   table->entries.empty() ? "an empty" : "more than one key in a");
    for (const ConfigNode& entry : table->entries) {
      const bool log = entry.name == "log";
      if (!log && entry.name != "every") {
        problems.add(entry.key, "unknown key \"{}\" in run.record; expected {{every = N}} or {{log = N}}",
                     entry.name);
      } else if (const auto number = read_as<std::int64_t>(
                     entry, "run.record." + entry.name, Kind::integer,
                     {.low = 1, .high = log ? max_records_a_decade : last_step}, problems)) {
        record.kind = log ? RecordRule::Kind::log : RecordRule::Kind::every;
        (log ? record.log : record.every) = *number;
      }
    }
  } else if (const auto* steps = setting.as<ConfigList>()) {
    record.kind = RecordRule::Kind::list;
    for (const ConfigNode& step : *steps) {
      if (const auto read = read_as<std::int64_t>(step, "run.record", Kind::integer,
                                                  {.low = 0, .high = last_step}, problems))
        record.steps.push_back(*read);
    }
    std::sort(record.steps.begin(), record.steps.end());
    record.steps.erase(std::unique(record.steps.begin(), record.steps.end()), record.steps.end());
  } else if (const auto word = read_word(setting, key, ", ", problems)) {
    record.kind = *word == "log" ? RecordRule::Kind::log : RecordRule::Kind::all;
  }
}

ConfigNode write_record(const Section& section) {
  const RecordRule& record = section.experiment->record;
  ConfigList steps;
  switch (record.kind) {
    case RecordRule::Kind::all:
      return {std::string("all")};
    case RecordRule::Kind::log:
      if (record.log != RecordRule{}.log) return {ConfigTable{{{.value = record.log, .name = "log"}}}};
      return {std::string("log")};
    case RecordRule::Kind::every:
      return {ConfigTable{{{.value = record.every, .name = "every"}}}};
    case RecordRule::Kind::list:
      for (const std::int64_t step : record.steps) steps.push_back({step});
  }
  return {std::move(steps)};
}

void read_nodes(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                ProblemList& problems) {
  if (legal_value(setting, key.uses.front().parameter)) return;  // "auto"
  if (setting.as<std::string>()) {
    problems.add(setting.place, "run.nodes: got {}; expected \"auto\" or {}", description(setting),
                 key.other_forms);
  } else {
    const Interval legal{.low = static_cast<double>(min_nodes), .high = static_cast<double>(max_nodes)};
    section.experiment->nodes = read_as<std::int64_t>(setting, "run.nodes", Kind::integer, legal, problems);
  }
}

ConfigNode write_nodes(const Section& section) {
  const auto& nodes = section.experiment->nodes;
  return nodes ? ConfigNode{*nodes} : ConfigNode{std::string("auto")};
}

void read_classes(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                  ProblemList& problems) {
  ClassRule& rule = section.experiment->classes;
  if (const auto* list = setting.as<ConfigList>()) {
    rule.kind = ClassRule::Kind::list;
    if (list->empty())
      problems.add(setting.place, "run.classes: got an empty list; expected {}", key.other_forms);
    for (const ConfigNode& entry : *list)
      if (const auto at = read_class(entry, problems)) rule.list.push_back(*at);
  } else if (const auto word = read_word(setting, key, ", or ", problems)) {
    rule.kind = *word == "all" ? ClassRule::Kind::all : ClassRule::Kind::groups;
  }
}

ConfigNode write_classes(const Section& section) {
  const ClassRule& rule = section.experiment->classes;
  if (rule.kind != ClassRule::Kind::list)
    return {std::string(rule.kind == ClassRule::Kind::all ? "all" : "groups")};
  ConfigList list;
  for (const ClassAt& at : rule.list) {
    if (at.kind == ClassAt::Kind::rank) list.push_back({at.value});
    if (at.kind == ClassAt::Kind::last) list.push_back({std::string("last")});
    if (at.kind == ClassAt::Kind::percent) list.push_back({fmt::format("{}%", at.value)});
  }
  return {std::move(list)};
}

void read_top(const ConfigNode& setting, const ExperimentKey&, Section& section, ProblemList& problems) {
  const auto* list = setting.as<ConfigList>();
  if (list == nullptr || list->empty())
    return problems.add(setting.place, "run.top: got {}; expected a list of integers such as [1, 5]",
                        list_description(setting));
  std::vector<std::int64_t>& top = section.experiment->top;
  for (const ConfigNode& entry : *list) {
    const auto k = read_as<std::int64_t>(entry, "run.top", Kind::integer, {.low = 1}, problems);
    if (!k) continue;
    if (contains(top, *k)) problems.add(entry.place, "run.top: {} is there twice", *k);
    top.push_back(*k);
  }
  std::ranges::sort(top);
}

ConfigNode write_top(const Section& section) {
  return {mapped(section.experiment->top, [](std::int64_t k) { return ConfigNode{k}; })};
}

void read_bands(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                ProblemList& problems) {
  const auto* table = setting.as<ConfigTable>();
  if (table == nullptr || table->entries.empty())
    return problems.add(setting.place, "run.bands: got {}; expected {}",
                        table ? "an empty table" : description(setting), key.other_forms);
  for (const ConfigNode& entry : in_file_order(table->entries)) {
    const std::string name = "run.bands." + entry.name;
    const auto* text = entry.as<std::string>();
    // Tables know rows by these words and by their numbers.
    static const std::set<std::string> taken = {remainder_band, "head", "tail", "min", "max"};
    if (taken.contains(entry.name) || !legal_name(entry.name)) {
      problems.add(
          entry.key,
          "run.bands: got the name \"{}\"; expected a letter, then letters, digits and _, and not head, tail, min, max, nor {}, "
          "the remainder",
          entry.name, remainder_band);
    } else if (text == nullptr) {
      problems.add(entry.place, "{}: got {}; expected a condition such as \"rank <= 100\"", name,
                   description(entry));
    } else {
      try {
        bounds_of(*text);
        section.experiment->bands.push_back({entry.name, to_text(parsed_condition(*text))});
      } catch (const InputError& error) {
        problems.add(entry.place, prefixed(name, error.problems().front()));
      }
    }
  }
}

ConfigNode write_bands(const Section& section) {
  return {ConfigTable{mapped(section.experiment->bands, [](const Band& band) {
    return ConfigNode{.value = band.condition, .name = band.name};
  })}};
}

void read_weight_decay(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                       ProblemList& problems) {
  section.optimizer->weight_decay =
      read_size(setting, key.name(), problems, key.uses.front().parameter.legal).value_or(StepSize());
}

ConfigNode write_weight_decay(const Section& section) {
  return written(section.optimizer->weight_decay);
}

void read_schedule(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                   ProblemList& problems) {
  const auto* text = setting.as<std::string>();
  const auto in_word = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  try {
    if (text != nullptr) {
      schedule_factor(*text);
      section.optimizer->schedule = without_blanks(*text);
      return;
    }
  } catch (const InputError& error) {
    if (!std::ranges::all_of(*text, in_word))
      return problems.add(setting.place,
                          prefixed(key.name() + ": " + description(setting), error.problems().front()));
  }
  read_word(setting, key, ", or ", problems);
}

ConfigNode write_schedule(const Section& section) {
  return {section.optimizer->schedule};
}

void read_step_size(const ConfigNode& setting, const ExperimentKey& key, Section& section,
                    ProblemList& problems) {
  const std::string name = key.name();
  const auto* table = setting.as<ConfigTable>();
  if (table == nullptr) {
    section.optimizer->step_size = read_size(setting, name, problems).value_or(StepSize());
    return;
  }
  StepSearch& search = section.optimizer->search.emplace();
  const std::vector<std::string> known = {"search", "minimise"};
  bool all_known = true;
  for (const ConfigNode& entry : table->entries) {
    if (entry.name == "search") read_search_range(entry, search, problems);
    if (entry.name == "minimise")
      search.minimise = read_as<std::string>(entry, name + ".minimise", Kind::text, {}, problems,
                                             names_of(search_criteria()))
                            .value_or(search.minimise);
    if (contains(known, entry.name)) continue;
    all_known = false;
    problems.add(entry.key, "unknown key \"{}\" in {}; expected {}{}", entry.name, name, in_words(known),
                 did_you_mean(nearest_name(entry.name, known)));
  }
  if (all_known && setting.get("search") == nullptr)
    problems.add(setting.place, "{}: got a table without search; expected {{search = [low, high, n]}}", name);
  if (section.experiment->loss->of_outputs && search.minimise.ends_with("error"))
    problems.add(setting.place,
                 "{}: minimise is \"{}\", and least squares has no error; expected minimise = \"loss\" or "
                 "\"excess_loss\"",
                 name, search.minimise);
}

ConfigNode write_step_size(const Section& section) {
  const OptimizerChoice& optimizer = *section.optimizer;
  if (!optimizer.search) return written(optimizer.step_size);
  const StepSearch& search = *optimizer.search;
  const ConfigNode range{.value = ConfigList{written(search.low), written(search.high), {search.count}},
                         .name = "search"};
  return {ConfigTable{{range, {.value = search.minimise, .name = "minimise"}}}};
}

}  // namespace rarefact
