#include "experiment/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "experiment/overrides.hpp"
#include "experiment/tables.hpp"
#include "io/atomic_file.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/optimizer_catalogue.hpp"

namespace rarefact {

namespace {

constexpr std::uintmax_t largest_file = 16 << 20;
constexpr std::size_t longest_name = 200;
constexpr double most_recorded_steps = 1e7;

/// Reads the tables of a file into an experiment.
class Reader {
 public:
  Reader(const Setting& root, const PointReading& reading, Experiment& experiment, ProblemList& problems)
      : root_(root), reading_(reading), experiment_(experiment), problems_(problems) {}

  void read() {
    top_level();
    if (const Setting* table = find_table(root_, "data", "data", problems_))
      read_part(*table, {"data", "data", &experiment_, &experiment_.data_mode, &experiment_.data_parameters});
    run();
    optimizers();
    spectrum();
    embeddings();
  }

 private:
  Part read_part(const Setting& table, Part part, std::vector<std::string> other_keys = {}) {
    const auto tolerated = reading_.tolerated.find(part.name);
    if (tolerated != reading_.tolerated.end())
      other_keys.insert(other_keys.end(), tolerated->second.begin(), tolerated->second.end());
    read_table(table, part, other_keys, problems_);
    return part;
  }

  /// Runs a check of parameters that are legal one by one; what it finds gets the place of their table.
  template <class Check>
  void check_together(const Setting& table, const std::string& name, const Check& check) {
    if (!problems_.empty() || reading_.checked) return;
    try {
      check();
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems_.add(table.place, fmt::format("[{}]: {}", name, problem.message));
    }
  }

  void top_level() {
    std::vector<std::string> tables;
    for (const ExperimentTable& table : experiment_tables()) {
      if (!table.name.empty()) tables.push_back(table.name);
    }
    if (const Setting* sweep = root_.get("sweep")) {
      problems_.add(sweep->place, "[sweep] makes a grid of experiments, and one experiment belongs here");
      tables.push_back("sweep");
    }
    const std::string& name = experiment_.name;
    if (!read_part(root_, {"", "", &experiment_}, tables).knows("name")) return;
    if (name.find('/') == std::string::npos && name.front() != '.' && name.size() <= longest_name) return;
    const Setting& typed = *root_.get("name");
    problems_.add(typed.place,
                  fmt::format("name: got {}; expected a text of at most {} bytes without \"/\" that does not "
                              "begin with a dot, since it names the result file",
                              description(typed), longest_name));
  }

  void run() {
    const Setting* table = find_table(root_, "run", "run", problems_);
    if (table == nullptr || !read_part(*table, {"run", "run", &experiment_}).knows("steps")) return;
    const RecordRule& rule = experiment_.record;
    const bool regular = rule.kind == RecordRule::Kind::all || rule.kind == RecordRule::Kind::every;
    const double recorded = static_cast<double>(experiment_.steps) / static_cast<double>(rule.every);
    if (!regular || recorded <= most_recorded_steps) return;
    const Setting* record = table->get("record");
    problems_.add(
        record != nullptr ? record->place : table->get("steps")->place,
        fmt::format(
            "run.record: {:g} steps would be recorded, at most {:g} are possible; expected \"log\", {}",
            recorded, most_recorded_steps, find_key("run.record")->other_forms));
  }

  void spectrum() {
    const Setting* table = find_table(root_, "classes", "classes", problems_);
    if (table == nullptr) return;
    Component& spectrum = experiment_.spectrum;
    read_part(*table, {"classes", "classes", &experiment_, &spectrum.kind, &spectrum.parameters});
    check_together(*table, "classes", [&] {
      // What a file holds is checked where it is read.
      if (spectrum.kind != "file") spectrum_of(spectrum.kind, spectrum.parameters, {});
    });
  }

  void read_side(const Setting* table, const std::string& name, const std::string& side,
                 Component& embedding) {
    if (table == nullptr) return;
    std::vector<std::string> sides;
    if (name == "embedding") sides = {"query", "answer"};
    read_part(*table, {name, "embedding", &experiment_, &embedding.kind, &embedding.parameters}, sides);
    check_together(*table, name, [&] {
      if (embedding_row(embedding.kind).block) rotation_block(embedding.parameters, side);
    });
  }

  void embeddings() {
    const Setting* table = find_table(root_, "embedding", "embedding", problems_);
    if (table == nullptr) return;
    if (table->get("query") == nullptr && table->get("answer") == nullptr) {
      read_side(table, "embedding", "query", experiment_.query_embedding);
      experiment_.answer_embedding = experiment_.query_embedding;
      return;
    }
    for (const Setting& entry : table->as<SettingTable>()->entries) {
      if (entry.name == "query" || entry.name == "answer") continue;
      problems_.add(entry.key, fmt::format("embedding.{} would be for both sides, but [embedding.query] or "
                                           "[embedding.answer] sets one of them; write it there",
                                           entry.name));
    }
    for (const std::string side : {"query", "answer"}) {
      const std::string name = "embedding." + side;
      read_side(find_table(*table, side, name, problems_), name, side,
                side == "query" ? experiment_.query_embedding : experiment_.answer_embedding);
    }
  }

  OptimizerChoice optimizer(const Setting& table) {
    OptimizerChoice choice;
    const Part part = read_part(table, {"optimizer." + label_of(table), "optimizer", &experiment_,
                                        &choice.rule, &choice.parameters, &choice});
    if (choice.name.empty()) choice.name = choice.rule;
    if (part.knows("schedule") && choice.schedule != "inverse_sqrt" && choice.schedule_offset != 1) {
      problems_.add(table.get("schedule_offset")->place,
                    fmt::format("optimizer.schedule_offset: got {}, but the schedule {} has no offset; it "
                                "belongs to inverse_sqrt",
                                choice.schedule_offset, choice.schedule));
    }
    if (!problems_.empty() || reading_.checked) return choice;
    const OptimizerRow& rule = optimizer_row(choice.rule);
    const std::string objection = rule.objection ? rule.objection(choice.parameters) : "";
    if (!objection.empty()) problems_.add(table.place, "[[optimizer]]: " + objection);
    return choice;
  }

  void optimizers() {
    const Setting* setting = root_.get("optimizer");
    const auto* tables = setting == nullptr ? nullptr : setting->as<SettingList>();
    if (tables == nullptr || tables->empty()) {
      const std::string got =
          setting == nullptr                      ? "no [[optimizer]] is there"
          : setting->as<SettingTable>()           ? "optimizer: a table needs double brackets, [[optimizer]]"
          : setting->as<SettingList>() == nullptr ? "optimizer: got " + description(*setting)
                                                  : "optimizer: the list is empty";
      problems_.add(setting == nullptr ? root_.place : setting->place,
                    got + "; at least one table [[optimizer]] with rule and step_size is needed");
      return;
    }
    for (const Setting& table : *tables) {
      if (table.as<SettingTable>() == nullptr) {
        problems_.add(table.place,
                      fmt::format("optimizer: got {}; expected a table [[optimizer]]", description(table)));
        continue;
      }
      OptimizerChoice choice = optimizer(table);
      auto& others = experiment_.optimizers;
      const bool taken = std::any_of(others.begin(), others.end(),
                                     [&](const OptimizerChoice& other) { return other.name == choice.name; });
      if (taken && !choice.name.empty()) {
        const Setting* name = table.get("name");
        problems_.add(name != nullptr ? name->place : table.place,
                      fmt::format("two optimizers are named \"{}\"; give each its own name", choice.name));
      }
      others.push_back(std::move(choice));
    }
  }

  const Setting& root_;
  const PointReading& reading_;
  Experiment& experiment_;
  ProblemList& problems_;
};

}  // namespace

Experiment experiment_from(const Setting& root, const std::string& file, const PointReading& reading,
                           ProblemList& problems) {
  Experiment experiment;
  experiment.base_directory = folder_of(file).string();
  Reader(root, reading, experiment, problems).read();
  return experiment;
}

Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<std::string>& overrides) {
  Setting root = parse_toml(text, file);
  ProblemList problems(file);
  for (const std::string& override_text : overrides) apply_override(root, override_text, problems);
  Experiment experiment = experiment_from(root, file, {}, problems);
  problems.throw_if_any();
  return experiment;
}

std::string experiment_file_text(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw FileError(path.string() + ": is a folder, not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  if (const auto size = std::filesystem::file_size(path, error); !error && size > largest_file) {
    throw InputError(
        {{path.string(), 0, 0, fmt::format("{} bytes are too many for an experiment file", size)}});
  }
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) throw FileError(path.string() + ": cannot be read");
  return text;
}

Experiment read_experiment(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return parse_experiment(experiment_file_text(path), path.string(), overrides);
}

}  // namespace rarefact
