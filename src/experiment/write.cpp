#include "experiment/write.hpp"

#include "experiment/keys.hpp"
#include "io/checksum.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

namespace {

/// The names and values of a key in its table: none if the table's row does not have it, several for a
/// family. If the row is swept, parameters are those given in the file.
std::vector<std::pair<std::string, ConfigNode>> written(const ExperimentKey& key, const Section& section,
                                                        const SweptKeys& swept) {
  if (!key.owned()) {
    if (key.codec.written && !key.codec.written(section)) return {};
    return {{key.last_name(), key.codec.write(section)}};
  }
  const auto given = swept.given.find(section.name);
  const ParameterValues& values = given == swept.given.end() ? *section.parameters : given->second;
  const Parameter* parameter = key.parameter_of(*section.row);
  if (parameter == nullptr) parameter = &key.uses.front().parameter;
  std::vector<std::pair<std::string, ConfigNode>> all;
  for (const auto& [name, value] : values.all()) {
    if (!key.has(name)) continue;
    all.emplace_back(name, canonical_setting(key, setting_of(value, parameter->kind)));
  }
  return all;
}

/// Whole numbers as integers, also in a list.
void make_integers(ConfigNode& setting) {
  const auto* x = setting.as<double>();
  if (x != nullptr && std::floor(*x) == *x && std::abs(*x) < 1e15)
    setting.value = static_cast<std::int64_t>(*x);
  else if (auto* list = std::get_if<ConfigList>(&setting.value))
    std::ranges::for_each(*list, make_integers);
}

}  // namespace

std::string to_toml(const Experiment& experiment, const SweptKeys& swept) {
  Experiment copy = experiment;
  std::string text;
  for (const Section& section : sections_of(copy, swept.both_sides)) {
    const auto written_if = row_named(experiment_tables(), section.table, "table").written;
    if (written_if != nullptr && !written_if(experiment) && !swept.given.contains(section.name)) continue;
    const auto put = [&](const std::string& key, const ConfigNode& setting) {
      text += fmt::format("{} = {}\n", key, to_toml(setting));
    };
    if (section.optimizer != nullptr) {
      text += "\n[[optimizer]]\n";
      put("name", {section.optimizer->name});
    } else if (!section.name.empty()) {
      text += fmt::format("\n[{}]\n", section.name);
    }
    for (const ExperimentKey* key : keys_of_table(section.table)) {
      if (key->name() == "optimizer.name") continue;
      for (auto& [name, setting] : written(*key, section, swept)) {
        if (swept.whole_counts && key->uses.front().parameter.kind != Kind::number) make_integers(setting);
        if (!swept.keys.contains(dotted(section.name, name))) put(name, setting);
      }
    }
  }
  return text;
}

std::string resolved_text(const Experiment& experiment, const SweptKeys& swept) {
  return with_digests(to_toml(experiment, swept), named_files(experiment), experiment.base_directory);
}

std::string rules_text(const Experiment& experiment) {
  std::string text;
  for (const OptimizerChoice& choice : experiment.optimizers)
    text += fmt::format("{}: {}\n", choice.name,
                        in_one_line(properties_of(optimizer_row(choice.rule), choice.parameters)));
  return text;
}

std::vector<std::string> named_files(const Experiment& experiment) {
  Experiment copy = experiment;
  std::vector<std::string> files;
  for (const Section& section : sections_of(copy)) {
    for (const ExperimentKey* key : keys_of_table(section.table)) {
      const std::string& name = key->last_name();
      const Parameter* parameter = key->owned() ? key->parameter_of(*section.row) : nullptr;
      if (parameter != nullptr && parameter->kind == Kind::path && section.parameters->has(name))
        files.push_back(section.parameters->text(name));
    }
  }
  return files;
}

std::string with_digests(const std::string& text, const std::vector<std::string>& files,
                         const std::string& base_directory) {
  std::string digests;
  for (const std::string& file : files) {
    const auto path = std::filesystem::path(base_directory) / file.substr(0, file.find(":/"));
    if (std::filesystem::is_regular_file(path))
      digests += fmt::format("# sha256 {} {}\n", file_sha256(path), file);
  }
  return text + (digests.empty() ? "" : fmt::format("\n{}", digests));
}

}  // namespace rarefact
