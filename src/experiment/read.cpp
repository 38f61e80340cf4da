#include "experiment/read.hpp"

#include "core/transform.hpp"
#include "experiment/requirements.hpp"
#include "io/atomic_file.hpp"
#include "io/regular_file.hpp"

namespace rarefact {

namespace {

constexpr std::uintmax_t largest_file = 16 << 20;
constexpr double max_recorded_steps = 1e7;

/// The table that sets a section; null, with a problem, if something else is in its place. Optimizers in order.
const ConfigNode* table_of(const Section& section, const ConfigNode& root, ProblemList& problems) {
  if (section.table.empty()) return &root;
  const ConfigNode* table = find_table(root, section.table, section.table, problems);
  return table == nullptr || section.name == section.table
             ? table
             : find_table(*table, KeyPath(section.name).name, section.name, problems);
}

/// True if [embedding] has no tables for queries and answers; if it has, other keys in it are problems.
bool both_sides(const ConfigNode& root, ProblemList& problems) {
  const ConfigNode* table = root.get("embedding");
  if (table == nullptr || (table->get("query") == nullptr && table->get("answer") == nullptr)) return true;
  for (const ConfigNode& entry : table->as<ConfigTable>()->entries) {
    if (entry.name == "query" || entry.name == "answer") continue;
    problems.add(
        entry.key,
        "embedding.{} would be for both sides, but [embedding.query] or [embedding.answer] sets one of them; write it there",
        entry.name);
  }
  return false;
}

/// The tables of the optimizers; a problem for everything else among them.
std::vector<const ConfigNode*> optimizer_tables(const ConfigNode& root, ProblemList& problems) {
  const ConfigNode* setting = root.get("optimizer");
  const auto* list = setting == nullptr ? nullptr : setting->as<ConfigList>();
  std::vector<const ConfigNode*> tables;
  if (list == nullptr || list->empty()) {
    const auto misspelt = [](const ConfigNode& entry) {
      return !nearest_name(entry.name, {"optimizer"}).empty();
    };
    // Reported as an unknown key, which is more helpful.
    if (setting == nullptr && std::ranges::any_of(root.as<ConfigTable>()->entries, misspelt)) return tables;
    const std::string got = setting == nullptr ? "no [[optimizer]] is there"
                            : setting->as<ConfigTable>()
                                ? "optimizer: a table needs double brackets, [[optimizer]]"
                            : list == nullptr ? "optimizer: got " + description(*setting)
                                              : "optimizer: the list is empty";
    problems.add(setting == nullptr ? root.place : setting->place,
                 "{}; at least one table [[optimizer]] with rule and step_size is needed", got);
    return tables;
  }
  std::vector<std::string> labels;
  for (const ConfigNode& table : *list) {
    if (table.as<ConfigTable>() == nullptr) {
      problems.add(table.place, "optimizer: got {}; expected a table [[optimizer]]", description(table));
      continue;
    }
    const std::string label = label_of(table);
    if (!label.empty() && contains(labels, label)) {
      const ConfigNode* name = table.get("name");
      problems.add(name != nullptr ? name->place : table.place,
                   "two optimizers are named \"{}\"; give each its own name", label);
    }
    for (const std::string_view text : split_text(label, '.')) {
      if (!contains(families(), std::string(text))) continue;
      problems.add(table.get(table.get("name") != nullptr ? "name" : "rule")->place,
                   "optimizer.name: got \"{0}\"; expected no part \"{1}\", because {1}.NAME stands for keys",
                   label, text);
      break;
    }
    labels.push_back(label);
    tables.push_back(&table);
  }
  return tables;
}

/// Further legal keys of a table: other tables, and parameters of other points of a sweep.
std::vector<std::string> other_keys(const Section& section, const PointReading& reading) {
  std::vector<std::string> keys;
  if (section.name.empty()) {
    keys = {"sweep"};
    for (const ExperimentTable& table : experiment_tables())
      if (!table.name.empty()) keys.push_back(table.name);
  }
  if (section.name == "embedding") keys = {"query", "answer"};
  const auto tolerated = reading.tolerated.find(section.name);
  if (tolerated != reading.tolerated.end())
    keys.insert(keys.end(), tolerated->second.begin(), tolerated->second.end());
  return keys;
}

void check_recorded(const Section& section, const ConfigNode& table, ProblemList& problems) {
  const RecordRule& rule = section.experiment->record;
  const bool regular = rule.kind == RecordRule::Kind::all || rule.kind == RecordRule::Kind::every;
  const double recorded = static_cast<double>(section.experiment->steps) / static_cast<double>(rule.every);
  if (!section.knows("steps") || !regular || recorded <= max_recorded_steps) return;
  const ConfigNode* record = table.get("record");
  problems.add(record != nullptr ? record->place : table.get("steps")->place,
               "run.record: {:g} steps would be recorded, at most {:g} are possible; expected \"log\", {}",
               recorded, max_recorded_steps, find_key("run.record")->other_forms);
}

/// Reports keys of a table that are incompatible with others.
void check_early(const Section& section, const ConfigNode& table, ProblemList& problems) {
  static const std::vector<KeyPath> keys =
      mapped(reading_rows(), [](const ReadingRow& row) { return KeyPath(row.key); });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ReadingRow& row = reading_rows()[i];
    const ConfigNode* setting = keys[i].table == section.table ? table.get(keys[i].name) : nullptr;
    if (setting == nullptr || !row.wrong(section)) continue;
    Wording words = {{"loss", section.experiment->loss->name}};
    if (section.optimizer != nullptr) words.push_back({"schedule", section.optimizer->schedule});
    problems.add(setting->place, "{}: got {}, but {}", row.key, description(*setting),
                 filled(row.sentence, words));
  }
}

/// True if the answer law has its own table of queries; the presence of [classes] is then a problem.
bool replaces_classes(const ConfigNode& root, ProblemList& problems) {
  const ConfigNode* answers = root.get("answers");
  const ConfigNode* law = answers == nullptr ? nullptr : answers->get("law");
  const auto* name = law == nullptr ? nullptr : law->as<std::string>();
  if (name == nullptr || has_classes(*name)) return false;
  if (const ConfigNode* classes = root.get("classes")) {
    problems.add(
        classes->place,
        "[classes]: the law {} reads the queries and their frequencies from its own table; omit [classes]",
        *name);
  }
  return true;
}

/// True if a spectrum comes from a file, which has not been read yet.
bool from_file(const std::string& spectrum) {
  return row_named(spectrum_catalogue(), spectrum, "spectrum").rows != nullptr;
}

/// The number of classes, if known without reading a file.
std::optional<double> classes_of(const ChosenRow& spectrum) {
  if (spectrum.kind.empty() || from_file(spectrum.kind)) return {};
  try {
    return spectrum_of(spectrum.kind, spectrum.parameters, {}).classes;
  } catch (const std::exception&) {
    return {};  // their problems have been reported
  }
}

/// Problems with combinations of legal parameters of a row; an InputError is passed on.
std::vector<ParameterProblem> problems_of(const Section& section) {
  if (section.table == "optimizer") {
    const OptimizerRow& rule = optimizer_row(*section.row);
    if (rule.problems) return rule.problems(*section.parameters);
  }
  if (section.table == "answers") {
    const AnswerLawRow& law = answer_law_row(*section.row);
    if (law.problems) return law.problems(*section.parameters, classes_of(section.experiment->spectrum));
  }
  // The contents of files are checked where they are read.
  if (section.table == "classes" && !from_file(*section.row))
    spectrum_of(*section.row, *section.parameters, {});
  if (section.table == "embedding" && embedding_row(*section.row).block)
    rotation_block(*section.parameters, section.name == "embedding.answer" ? "answer" : "query");
  if (section.table == "embedding" && embedding_row(*section.row).attributes)
    attribute_gains(*section.parameters);
  return {};
}

void check_together(const Section& section, const ConfigNode& table, ProblemList& problems) {
  const std::string header =
      section.optimizer != nullptr ? "[[optimizer]]" : fmt::format("[{}]", section.name);
  const auto refuse = [&](const Problem& problem) { problems.add(table.place, prefixed(header, problem)); };
  try {
    for (const ParameterProblem& problem : problems_of(section)) {
      const ConfigNode* setting = problem.key.empty() ? nullptr : table.get(problem.key);
      const auto* text = setting == nullptr ? nullptr : setting->as<std::string>();
      if (setting == nullptr) {
        refuse({.message = problem.message});
      } else if (text != nullptr && section.optimizer != nullptr) {
        problems.add_within(setting->place, *text, problem.offset,
                            {.message = problem.message, .hint = problem.hint});
      } else {
        problems.add(setting->place, {.message = problem.message});
      }
    }
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const ConfigNode* setting = problem.key.empty() ? nullptr : table.get(problem.key);
      if (setting == nullptr) {
        refuse(problem);
      } else {
        problems.add(setting->place, "{}: {}", section.key_in_messages(problem.key), problem.message);
      }
    }
  }
}

/// Adds the keys of the only optimizer of a file to the table, unless the table has them.
void include(const std::string& file, ConfigNode& table) {
  ConfigNode root =
      parse_toml(experiment_file_text(file), file, {.included = std::make_shared<std::string>(file)});
  const std::vector<ConfigNode*> all = optimizer_nodes(root);
  if (all.size() != 1) throw FileError(file + ": no experiment file with one [[optimizer]]");
  for (const ConfigNode& entry : all.front()->as<ConfigTable>()->entries)
    if (table.get(entry.name) == nullptr) table.put(entry);
}

}  // namespace

Experiment experiment_from(const ConfigNode& root, const std::string& file, const PointReading& reading,
                           ProblemList& problems) {
  Experiment experiment;
  experiment.base_directory =
      (file == "standard input" ? std::filesystem::current_path() : folder_of(file)).string();
  if (const ConfigNode* sweep = root.get("sweep"))
    problems.add(sweep->place, "[sweep] makes a grid of experiments, and one experiment belongs here");
  ProblemList missing_optimizers(file);
  const std::vector<const ConfigNode*> optimizers = optimizer_tables(root, missing_optimizers);
  for (const ConfigNode* table : optimizers) experiment.optimizers.emplace_back().name = label_of(*table);
  const bool both = both_sides(root, problems);
  const bool without_classes = replaces_classes(root, problems);
  auto next_optimizer = optimizers.begin();
  std::vector<Section> sections = sections_of(experiment, both);
  std::vector<std::pair<const Section*, const ConfigNode*>> read;
  for (Section& section : sections) {
    if (without_classes && section.table == "classes") continue;
    const ConfigNode* table =
        section.optimizer != nullptr ? *next_optimizer++ : table_of(section, root, problems);
    if (table == nullptr) continue;
    const std::size_t before = problems.size();
    read_table(*table, section, other_keys(section, reading), problems);
    if (section.table.empty())
      for (const Problem& problem : missing_optimizers.all()) problems.add(problem);
    read.emplace_back(&section, table);
    if (section.table == "run") check_recorded(section, *table, problems);
    if (section.row != nullptr && problems.size() == before && !reading.checked)
      check_together(section, *table, problems);
  }
  if (both) experiment.answer_embedding = experiment.query_embedding;
  for (const auto& [section, table] : read) check_early(*section, *table, problems);
  return experiment;
}

ConfigNode parse_file(std::string_view text, const std::string& file) {
  ConfigNode root = parse_toml(text, file);
  ProblemList problems(file);
  for (ConfigNode* table : optimizer_nodes(root)) {
    const ConfigNode* found = table->get("include");
    if (found == nullptr || found->as<std::string>() == nullptr) continue;
    const ConfigNode named = *found;
    table->erase("include");
    try {
      include((folder_of(file) / *named.as<std::string>()).lexically_normal().string(), *table);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    } catch (const FileError& error) {
      problems.add(named.place, "optimizer.include: {}", error.what());
    }
  }
  problems.throw_if_any();
  root.erase("claim");
  flatten_families(root);
  return root;
}

Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<std::string>& overrides) {
  ConfigNode root = parse_file(text, file);
  ProblemList problems(file);
  for_overrides(overrides, problems, [&](const Override& change) { apply_override(root, change); });
  Experiment experiment = experiment_from(root, file, {}, problems);
  problems.throw_if_any();
  return experiment;
}

std::string experiment_file_text(const std::filesystem::path& path) {
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); !error && size > largest_file) {
    throw InputError(
        {{path.string(), 0, 0, fmt::format("{} bytes are too many for an experiment file", size)}});
  }
  const std::vector<std::byte> bytes = read_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace rarefact
