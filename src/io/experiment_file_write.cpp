#include <fmt/format.h>

#include <cmath>

#include "rarefact/io/checksum.hpp"
#include "rarefact/io/experiment_file.hpp"
#include "rarefact/sim/experiment_keys.hpp"

namespace rarefact {

namespace {

std::string line(const std::string& key, const Value& value) {
  return fmt::format("{} = {}\n", key, to_toml(value));
}

/// A square matrix, which a Value holds row by row, as TOML's array of arrays.
std::string matrix_line(const std::string& key, const std::vector<double>& entries) {
  const auto rows = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(entries.size()))));
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(row * rows);
    lines.push_back(to_toml(Value(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(rows)))));
  }
  return fmt::format("{} = [{}]\n", key, joined(lines));
}

/// The parameters of a row in the order of the key catalogue.
std::string parameter_lines(const std::string& table, const std::string& owner,
                            const ParameterValues& values) {
  std::string text;
  for (const ExperimentKey* key : keys_of_table(table)) {
    const std::string& name = key->last_name();
    if (key->owners().empty() || !values.has(name)) continue;
    const Parameter* parameter = key->parameter_of(owner);
    text += parameter != nullptr && parameter->kind == Kind::matrix ? matrix_line(name, values.numbers(name))
                                                                    : line(name, values.all().at(name));
  }
  return text;
}

std::string side(const std::string& name, const Component& embedding) {
  return fmt::format("\n[embedding.{}]\n", name) + line("kind", embedding.kind) +
         parameter_lines("embedding", embedding.kind, embedding.parameters);
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

/// A comment with the digest of each file that a component names.
std::string digest_lines(const std::string& table, const Component& component,
                         const std::string& base_directory) {
  std::string text;
  for (const ExperimentKey* key : keys_of_table(table)) {
    const Parameter* parameter = key->parameter_of(component.kind);
    if (parameter == nullptr || parameter->kind != Kind::path) continue;
    const std::string& typed = component.parameters.text(key->last_name());
    // "FILE.h5:/dataset" names a file and a place in it.
    const std::filesystem::path path =
        std::filesystem::path(base_directory) / typed.substr(0, typed.find(":/"));
    if (std::filesystem::is_regular_file(path))
      text += fmt::format("# sha256 {} {}\n", file_sha256(path), typed);
  }
  return text;
}

}  // namespace

std::string resolved_text(const Experiment& experiment) {
  const std::string& base = experiment.base_directory;
  const std::string digests = digest_lines("classes", experiment.spectrum, base) +
                              digest_lines("embedding", experiment.query_embedding, base) +
                              digest_lines("embedding", experiment.answer_embedding, base);
  return to_toml(experiment) + (digests.empty() ? "" : fmt::format("\n{}", digests));
}

std::string to_toml(const Experiment& experiment) {
  std::string text = line("name", experiment.name) + line("seed", experiment.seed);
  text += "\n[classes]\n" + line("spectrum", experiment.spectrum.kind) +
          parameter_lines("classes", experiment.spectrum.kind, experiment.spectrum.parameters);
  text += side("query", experiment.query_embedding) + side("answer", experiment.answer_embedding);
  text += "\n[data]\n" + line("mode", experiment.data_mode) + line("label_noise", experiment.label_noise);
  text += "\n[run]\n" + line("steps", experiment.steps) + line("engine", experiment.engine) +
          record_line(experiment.record) + line("classes", experiment.classes) +
          line("spectral_metrics", experiment.spectral_metrics);
  for (const OptimizerChoice& optimizer : experiment.optimizers) {
    text += "\n[[optimizer]]\n" + line("name", optimizer.name) + line("rule", optimizer.rule) +
            line("step_size", optimizer.step_size) +
            parameter_lines("optimizer", optimizer.rule, optimizer.parameters);
  }
  return text;
}

}  // namespace rarefact
