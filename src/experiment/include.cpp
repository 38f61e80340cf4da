// Including optimizers from other experiment files.

#include "experiment/read.hpp"
#include "io/atomic_file.hpp"

namespace rarefact {

namespace {

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

ConfigNode parse_file(std::string_view text, const std::string& file) {
  ConfigNode root = parse_toml(text, file);
  ProblemList problems(file);
  for (ConfigNode* table : optimizer_nodes(root)) {
    const ConfigNode* found = table->get("include");
    if (found == nullptr || found->as<std::string>() == nullptr) continue;
    const ConfigNode named = *found;
    std::erase_if(std::get<ConfigTable>(table->value).entries,
                  [](const ConfigNode& entry) { return entry.name == "include"; });
    try {
      include((folder_of(file) / *named.as<std::string>()).lexically_normal().string(), *table);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    } catch (const FileError& error) {
      problems.add(named.place, "optimizer.include: {}", error.what());
    }
  }
  problems.throw_if_any();
  std::erase_if(std::get<ConfigTable>(root.value).entries,
                [](const ConfigNode& entry) { return entry.name == "claim"; });
  flatten_families(root);
  return root;
}

}  // namespace rarefact
