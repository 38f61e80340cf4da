#include "experiment/experiment_file_write.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiment/experiment_file.hpp"
#include "experiment/experiment_keys.hpp"
#include "io/checksum.hpp"

namespace rarefact {

namespace {

std::string line(const std::string& key, const Value& value) {
  return fmt::format("{} = {}\n", key, to_toml(value));
}

/// Rows of so many entries, which a Value holds one after the other, as TOML's array of arrays.
std::string rows_line(const std::string& key, const std::vector<double>& entries, std::size_t columns) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < entries.size(); at += columns) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(at);
    lines.push_back(to_toml(Value(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(columns)))));
  }
  return fmt::format("{} = [{}]\n", key, joined(lines));
}

std::string parameter_line(const std::string& name, const Value& value, Kind kind) {
  const auto* entries = std::get_if<std::vector<double>>(&value);
  if (entries == nullptr || kind == Kind::numbers) return line(name, value);
  const double root = std::sqrt(static_cast<double>(entries->size()));
  return rows_line(name, *entries, kind == Kind::triples ? 3 : static_cast<std::size_t>(std::llround(root)));
}

std::string record_line(const RecordRule& record) {
  switch (record.kind) {
    case RecordRule::Kind::all:
      return "record = \"all\"\n";
    case RecordRule::Kind::log:
      return "record = \"log\"\n";
    case RecordRule::Kind::every:
      return fmt::format("record = {{every = {}}}\n", record.every);
    case RecordRule::Kind::list:
      break;
  }
  return fmt::format("record = [{}]\n", fmt::join(record.steps, ", "));
}

std::string nodes_line(const Experiment& experiment) {
  return experiment.nodes ? fmt::format("nodes = {}\n", *experiment.nodes) : "nodes = \"auto\"\n";
}

std::string class_text(const ClassAt& at) {
  if (at.kind == ClassAt::Kind::last) return "\"last\"";
  return at.kind == ClassAt::Kind::percent ? fmt::format("\"{}%\"", at.value) : to_toml(Value(at.value));
}

std::string classes_line(const ClassRule& rule) {
  if (rule.kind == ClassRule::Kind::all) return "classes = \"all\"\n";
  if (rule.kind == ClassRule::Kind::groups) return "classes = \"groups\"\n";
  std::vector<std::string> list;
  for (const ClassAt& at : rule.list) list.push_back(class_text(at));
  return fmt::format("classes = [{}]\n", joined(list));
}

std::string step_size_line(const OptimizerChoice& optimizer) {
  if (!optimizer.search) return line("step_size", optimizer.step_size);
  const StepSearch& search = *optimizer.search;
  return fmt::format("step_size = {{search = [{}, {}, {}], minimise = \"{}\"}}\n", to_toml(Value(search.low)),
                     to_toml(Value(search.high)), search.count, search.minimise);
}

/// The files that a component names, as typed.
std::vector<std::string> files_of(const std::string& table, const Component& component) {
  std::vector<std::string> files;
  for (const ExperimentKey* key : keys_of_table(table)) {
    const Parameter* parameter = key->parameter_of(component.kind);
    if (parameter != nullptr && parameter->kind == Kind::path)
      files.push_back(component.parameters.text(key->last_name()));
  }
  return files;
}

/// A comment with the digest of a file; empty if there is no such file.
std::string digest_line(const std::string& typed, const std::string& base_directory) {
  // "FILE.h5:/dataset" names a file and a place in it.
  const std::filesystem::path path =
      std::filesystem::path(base_directory) / typed.substr(0, typed.find(":/"));
  if (!std::filesystem::is_regular_file(path)) return {};
  return fmt::format("# sha256 {} {}\n", file_sha256(path), typed);
}

/// Writes an experiment without the keys that an axis gives.
class Writer {
 public:
  explicit Writer(const SweptKeys& swept) : swept_(swept) {}

  std::string write(const Experiment& experiment) {
    text_ += line("name", experiment.name);
    put("", "seed", line("seed", experiment.seed));
    component("classes", "classes", "spectrum", experiment.spectrum);
    if (swept_.both_sides) {
      component("embedding", "embedding", "kind", experiment.query_embedding);
    } else {
      component("embedding.query", "embedding", "kind", experiment.query_embedding);
      component("embedding.answer", "embedding", "kind", experiment.answer_embedding);
    }
    text_ += "\n[data]\n";
    put("data", "mode", line("mode", experiment.data_mode));
    put("data", "label_noise", line("label_noise", experiment.label_noise));
    put("data", "recovered", line("recovered", experiment.removes_recovered ? "removed" : "kept"));
    parameters("data", "data", experiment.data_mode, experiment.data_parameters);
    text_ += "\n[run]\n";
    put("run", "steps", line("steps", experiment.steps));
    put("run", "engine", line("engine", experiment.engine));
    put("run", "nodes", nodes_line(experiment));
    put("run", "quadrature_tolerance", line("quadrature_tolerance", experiment.quadrature_tolerance));
    put("run", "record", record_line(experiment.record));
    put("run", "classes", classes_line(experiment.classes));
    put("run", "spectral_metrics", line("spectral_metrics", experiment.spectral_metrics));
    put("run", "precision", line("precision", experiment.precision));
    put("run", "rho_epsilon", line("rho_epsilon", experiment.rho_epsilon));
    put("run", "push", line("push", experiment.push));
    for (const OptimizerChoice& optimizer : experiment.optimizers) {
      const std::string table = "optimizer." + optimizer.name;
      text_ += "\n[[optimizer]]\n" + line("name", optimizer.name);
      put(table, "rule", line("rule", optimizer.rule));
      put(table, "step_size", step_size_line(optimizer));
      put(table, "schedule", line("schedule", optimizer.schedule));
      if (optimizer.schedule == "inverse_sqrt")
        put(table, "schedule_offset", line("schedule_offset", optimizer.schedule_offset));
      parameters(table, "optimizer", optimizer.rule, optimizer.parameters);
    }
    return std::move(text_);
  }

 private:
  void put(const std::string& table, const std::string& key, const std::string& text) {
    if (!swept_.keys.contains(table.empty() ? key : table + "." + key)) text_ += text;
  }

  void component(const std::string& table, const std::string& kind, const std::string& selector,
                 const Component& chosen) {
    text_ += fmt::format("\n[{}]\n", table);
    put(table, selector, line(selector, chosen.kind));
    parameters(table, kind, chosen.kind, chosen.parameters);
  }

  /// The parameters of a row in the order of the key catalogue; where the row is swept, those that the file
  /// gives.
  void parameters(const std::string& table, const std::string& kind, const std::string& owner,
                  const ParameterValues& of_row) {
    const auto given = swept_.given.find(table);
    const ParameterValues& values = given == swept_.given.end() ? of_row : given->second;
    for (const ExperimentKey* key : keys_of_table(kind)) {
      const std::string& name = key->last_name();
      if (key->owners().empty() || !values.has(name)) continue;
      const Parameter* parameter = key->parameter_of(owner);
      if (parameter == nullptr) parameter = &key->uses.front().parameter;
      put(table, name, parameter_line(name, values.all().at(name), parameter->kind));
    }
  }

  const SweptKeys& swept_;
  std::string text_ = {};
};

}  // namespace

std::vector<std::string> named_files(const Experiment& experiment) {
  std::vector<std::string> files = files_of("classes", experiment.spectrum);
  for (const Component* side : {&experiment.query_embedding, &experiment.answer_embedding}) {
    for (std::string& file : files_of("embedding", *side)) files.push_back(std::move(file));
  }
  return files;
}

std::string with_digests(const std::string& text, const std::vector<std::string>& files,
                         const std::string& base_directory) {
  std::string digests;
  for (const std::string& file : files) digests += digest_line(file, base_directory);
  return text + (digests.empty() ? "" : fmt::format("\n{}", digests));
}

std::string resolved_text(const Experiment& experiment) {
  return with_digests(to_toml(experiment), named_files(experiment), experiment.base_directory);
}

std::string to_toml(const Experiment& experiment) {
  return to_toml(experiment, SweptKeys{});
}

std::string to_toml(const Experiment& experiment, const SweptKeys& swept) {
  return Writer(swept).write(experiment);
}

}  // namespace rarefact
