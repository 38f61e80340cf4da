#include "experiment/write.hpp"

#include <fmt/format.h>

#include "experiment/keys.hpp"
#include "experiment/values.hpp"
#include "io/checksum.hpp"

namespace rarefact {

namespace {

/// The value of a key; nothing where the table's row has none of it. Where the row is swept, parameters are
/// those that the file gives.
std::optional<Setting> written(const ExperimentKey& key, const Part& part, const SweptKeys& swept) {
  if (!key.owned()) {
    if (key.codec.written && !key.codec.written(part)) return {};
    return key.codec.write(part);
  }
  const auto given = swept.given.find(part.name);
  const ParameterValues& values = given == swept.given.end() ? *part.parameters : given->second;
  if (!values.has(key.last_name())) return {};
  const Parameter* parameter = key.parameter_of(*part.row);
  if (parameter == nullptr) parameter = &key.uses.front().parameter;
  return setting_of(values.all().at(key.last_name()), parameter->kind);
}

}  // namespace

std::string to_toml(const Experiment& experiment, const SweptKeys& swept) {
  Experiment copy = experiment;
  std::string text;
  for (const Part& part : parts_of(copy, swept.both_sides)) {
    const auto put = [&](const std::string& key, const Setting& setting) {
      text += fmt::format("{} = {}\n", key, to_toml(setting));
    };
    if (part.optimizer != nullptr) {
      text += "\n[[optimizer]]\n";
      put("name", {part.optimizer->name});
    } else if (!part.name.empty()) {
      text += fmt::format("\n[{}]\n", part.name);
    }
    for (const ExperimentKey* key : keys_of_table(part.table)) {
      const std::string& name = key->last_name();
      if (swept.keys.contains(dotted(part.name, name)) || key->name() == "optimizer.name") continue;
      if (const auto setting = written(*key, part, swept)) put(name, *setting);
    }
  }
  return text;
}

std::string resolved_text(const Experiment& experiment) {
  return with_digests(to_toml(experiment), named_files(experiment), experiment.base_directory);
}

std::vector<std::string> named_files(const Experiment& experiment) {
  Experiment copy = experiment;
  std::vector<std::string> files;
  for (const Part& part : parts_of(copy)) {
    for (const ExperimentKey* key : keys_of_table(part.table)) {
      if (!key->owned()) continue;
      const Parameter* parameter = key->parameter_of(*part.row);
      if (parameter != nullptr && parameter->kind == Kind::path)
        files.push_back(part.parameters->text(key->last_name()));
    }
  }
  return files;
}

std::string with_digests(const std::string& text, const std::vector<std::string>& files,
                         const std::string& base_directory) {
  std::string digests;
  for (const std::string& file : files) {
    // "FILE.h5:/dataset" names a file and a place in it.
    const auto path = std::filesystem::path(base_directory) / file.substr(0, file.find(":/"));
    if (std::filesystem::is_regular_file(path))
      digests += fmt::format("# sha256 {} {}\n", file_sha256(path), file);
  }
  return text + (digests.empty() ? "" : fmt::format("\n{}", digests));
}

}  // namespace rarefact
