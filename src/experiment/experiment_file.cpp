#include "experiment/experiment_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "experiment/experiment_file_tables.hpp"
#include "io/atomic_file.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/optimizer_catalogue.hpp"

namespace rarefact {

namespace {

constexpr std::uintmax_t largest_file = 16 << 20;
constexpr std::size_t longest_name = 200;

/// Runs a check of parameters that are legal one by one; what it finds gets the place of their table.
template <class Check>
void check_together(const Check& check, const toml::node& where, const std::string& name,
                    ProblemList& problems) {
  try {
    check();
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      problems.add(where.source(), fmt::format("[{}]: {}", name, problem.message));
    }
  }
}

std::vector<std::string> tolerated_in(const std::string& table, const PointReading& reading) {
  const auto found = reading.tolerated.find(table);
  return found == reading.tolerated.end() ? std::vector<std::string>{} : found->second;
}

Component read_component(const toml::table& table, const std::string& kind, const std::string& name,
                         const PointReading& reading, ProblemList& problems) {
  std::vector<std::string> others = tolerated_in(name, reading);
  if (name == "embedding") others.insert(others.end(), {"query", "answer"});
  const TableValues read = read_table(table, kind, name, others, problems);
  return {read.selected, own_parameters(read, kind)};
}

Component read_spectrum(const toml::table& root, const PointReading& reading, ProblemList& problems) {
  const toml::table* table = find_table(root, "classes", "classes", problems);
  if (table == nullptr) return {};
  Component spectrum = read_component(*table, "classes", "classes", reading, problems);
  // What a file holds is checked where it is read.
  if (problems.empty() && !reading.checked && spectrum.kind != "file") {
    check_together([&] { spectrum_of(spectrum.kind, spectrum.parameters, {}); }, *table, "classes", problems);
  }
  return spectrum;
}

Component read_side(const toml::table* table, const std::string& side, const std::string& name,
                    const PointReading& reading, ProblemList& problems) {
  if (table == nullptr) return {};
  Component embedding = read_component(*table, "embedding", name, reading, problems);
  if (problems.empty() && !reading.checked && embedding_row(embedding.kind).block) {
    check_together([&] { rotation_block(embedding.parameters, side); }, *table, name, problems);
  }
  return embedding;
}

void read_embeddings(const toml::table& root, Experiment& experiment, const PointReading& reading,
                     ProblemList& problems) {
  const toml::table* table = find_table(root, "embedding", "embedding", problems);
  if (table == nullptr) return;
  if (!table->contains("query") && !table->contains("answer")) {
    experiment.query_embedding = read_side(table, "query", "embedding", reading, problems);
    experiment.answer_embedding = experiment.query_embedding;
    return;
  }
  for (auto&& [key, node] : *table) {
    if (key == "query" || key == "answer") continue;
    problems.add(key.source(), fmt::format("embedding.{} would be for both sides, but [embedding.query] or "
                                           "[embedding.answer] sets one of them; write it there",
                                           key.str()));
  }
  const auto side = [&](const std::string& name) {
    const std::string full = "embedding." + name;
    return read_side(find_table(*table, name, full, problems), name, full, reading, problems);
  };
  experiment.query_embedding = side("query");
  experiment.answer_embedding = side("answer");
}

void read_data(const toml::table& root, Experiment& experiment, const PointReading& reading,
               ProblemList& problems) {
  const toml::table* table = find_table(root, "data", "data", problems);
  if (table == nullptr) return;
  const TableValues data = read_table(*table, "data", "data", tolerated_in("data", reading), problems);
  if (!data.selected.empty()) experiment.data_mode = data.selected;
  if (data.values.has("label_noise")) experiment.label_noise = data.values.number("label_noise");
  if (data.values.has("recovered")) experiment.removes_recovered = data.values.text("recovered") == "removed";
  experiment.data_parameters = own_parameters(data, "data");
}

OptimizerChoice read_optimizer(const toml::table& table, const PointReading& reading, ProblemList& problems) {
  const std::vector<std::string> others = tolerated_in("optimizer." + label_of(table), reading);
  const TableValues read = read_table(table, "optimizer", "optimizer", others, problems);
  OptimizerChoice choice = {
      .name = read.selected, .rule = read.selected, .parameters = own_parameters(read, "optimizer")};
  if (read.values.has("name")) choice.name = read.values.text("name");
  read_step_sizes(table, read.values, choice, problems);
  if (problems.empty() && !reading.checked) {
    const OptimizerRow& rule = optimizer_row(choice.rule);
    const std::string objection = rule.objection ? rule.objection(choice.parameters) : "";
    if (!objection.empty()) problems.add(table.source(), "[[optimizer]]: " + objection);
  }
  return choice;
}

void read_optimizers(const toml::table& root, Experiment& experiment, const PointReading& reading,
                     ProblemList& problems) {
  const toml::node* node = root.get("optimizer");
  const toml::array* optimizers = node == nullptr ? nullptr : node->as_array();
  if (optimizers == nullptr || optimizers->empty()) {
    const std::string got = node == nullptr    ? "no [[optimizer]] is there"
                            : node->is_table() ? "optimizer: a table needs double brackets, [[optimizer]]"
                            : optimizers == nullptr ? "optimizer: got " + description(*node)
                                                    : "optimizer: the list is empty";
    problems.add(node == nullptr ? root.source() : node->source(),
                 got + "; at least one table [[optimizer]] with rule and step_size is needed");
    return;
  }
  for (const toml::node& entry : *optimizers) {
    const toml::table* table = entry.as_table();
    if (table == nullptr) {
      problems.add(entry.source(),
                   fmt::format("optimizer: got {}; expected a table [[optimizer]]", description(entry)));
      continue;
    }
    OptimizerChoice choice = read_optimizer(*table, reading, problems);
    const auto& others = experiment.optimizers;
    const bool taken = std::any_of(others.begin(), others.end(),
                                   [&](const OptimizerChoice& other) { return other.name == choice.name; });
    if (taken && !choice.name.empty()) {
      const toml::node* name = table->get("name");
      problems.add(name ? name->source() : table->source(),
                   fmt::format("two optimizers are named \"{}\"; give each its own name", choice.name));
    }
    experiment.optimizers.push_back(std::move(choice));
  }
}

void read_top_level(const toml::table& root, Experiment& experiment, ProblemList& problems) {
  std::vector<std::string> tables;
  for (const ExperimentTable& table : experiment_tables()) {
    if (!table.name.empty()) tables.push_back(table.name);
  }
  if (const toml::node* sweep = root.get("sweep")) {
    problems.add(sweep->source(), "[sweep] makes a grid of experiments, and one experiment belongs here");
    tables.push_back("sweep");
  }
  const ParameterValues values = read_table(root, "", "", tables, problems).values;
  if (values.has("seed")) experiment.seed = values.integer("seed");
  if (!values.has("name")) return;
  experiment.name = values.text("name");
  if (experiment.name.find('/') != std::string::npos || experiment.name.front() == '.' ||
      experiment.name.size() > longest_name) {
    problems.add(
        root.get("name")->source(),
        fmt::format(
            "name: got {}; expected a text of at most {} bytes without \"/\" that does not begin with "
            "a dot, since it names the result file",
            description(*root.get("name")), longest_name));
  }
}

}  // namespace

Experiment experiment_from(const toml::table& root, const std::string& file, const PointReading& reading,
                           ProblemList& problems) {
  Experiment experiment;
  experiment.base_directory = folder_of(file).string();
  read_top_level(root, experiment, problems);
  read_data(root, experiment, reading, problems);
  read_run(root, experiment, problems);
  read_optimizers(root, experiment, reading, problems);
  experiment.spectrum = read_spectrum(root, reading, problems);
  read_embeddings(root, experiment, reading, problems);
  return experiment;
}

Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<std::string>& overrides) {
  toml::table root = parse_toml(text, file);
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
