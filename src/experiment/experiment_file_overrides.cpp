#include <fmt/format.h>

#include "experiment/experiment_file_values.hpp"
#include "experiment/experiment_keys.hpp"

namespace rarefact {

namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

toml::table parse_value(const std::string& value, const std::string& override_text) {
  const std::string place = std::string(override_mark) + override_text;
  const auto as_text = [&] { return toml::parse("value = " + to_toml(Value(value)), place); };
  try {
    toml::table parsed = toml::parse("value = " + value, place);
    // More than the one entry: a line break in the value began another.
    if (parsed.size() == 1) return parsed;  // moved, not copied: a copy forgets its source
    return as_text();
  } catch (const toml::parse_error&) {
    // A bare word; what begins like a list, a table, a quoted text or a number was meant as one.
    if (std::string_view("[{\"'+-0123456789").find(value.front()) != std::string_view::npos) throw;
    return as_text();
  }
}

toml::table* find_optimizer(toml::table& root, std::string_view label) {
  if (toml::array* optimizers = root["optimizer"].as_array()) {
    for (toml::node& node : *optimizers) {
      toml::table* table = node.as_table();
      if (table != nullptr && label_of(*table) == label) return table;
    }
  }
  return nullptr;
}

/// The table at a dotted path, made where it is missing; null where something else is in the way.
toml::table* table_at(toml::table& root, std::string_view path) {
  toml::table* table = &root;
  while (table != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    if (!table->contains(part)) table->insert(part, toml::table{});
    table = (*table)[part].as_table();
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return table;
}

}  // namespace

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);  // npos + 1 is 0
}

std::string path_part(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string label_of(const toml::table& optimizer) {
  if (const auto* name = optimizer["name"].as_string()) return name->get();
  if (const auto* rule = optimizer["rule"].as_string()) return rule->get();
  return "";
}

std::vector<std::string> optimizer_labels(const toml::table& root) {
  std::vector<std::string> labels;
  if (const toml::array* optimizers = root["optimizer"].as_array()) {
    for (const toml::node& node : *optimizers) {
      if (const toml::table* table = node.as_table()) labels.push_back(label_of(*table));
    }
  }
  return labels;
}

std::string no_such_optimizer(const toml::table& root, const std::string& label) {
  const std::vector<std::string> labels = optimizer_labels(root);
  return fmt::format("no optimizer is named \"{}\"; there are: {}{}", label,
                     labels.empty() ? "none" : joined(labels), did_you_mean(nearest_name(label, labels)));
}

toml::table* table_of_key(toml::table& root, std::string_view key) {
  constexpr std::string_view optimizers = "optimizer.";
  const std::string path = path_part(std::string(key));
  return path.starts_with(optimizers) ? find_optimizer(root, path.substr(optimizers.size()))
                                      : table_at(root, path);
}

void place_node(toml::table& table, std::string_view name, toml::node& node,
                const toml::source_region& where) {
  const toml::key placed_key(name, toml::source_region(where));
  node.visit([&](auto& typed) { table.insert_or_assign(placed_key, std::move(typed)); });
}

std::optional<OverrideParts> override_parts(const std::string& override_text, ProblemList& problems) {
  const std::size_t equals = override_text.find('=');
  OverrideParts parts{trimmed(std::string_view(override_text).substr(0, equals)), {}};
  if (equals != std::string::npos) parts.value = trimmed(std::string_view(override_text).substr(equals + 1));
  if (!parts.key.empty() && !parts.value.empty()) return parts;
  problems.add_override(override_text, "expected key=value, such as run.steps=500");
  return {};
}

std::optional<toml::table> override_value(const std::string& value, const std::string& override_text,
                                          ProblemList& problems) {
  try {
    return parse_value(value, override_text);
  } catch (const toml::parse_error& error) {
    problems.add_override(
        override_text, fmt::format("the value is not TOML: {} (put a text in quotes)", error.description()));
    return {};
  }
}

void apply_override(toml::table& root, const std::string& override_text, ProblemList& problems) {
  const auto parts = override_parts(override_text, problems);
  if (!parts) return;
  const std::string& key = parts->key;
  if (find_key(key) == nullptr) {
    problems.add_override(override_text, fmt::format("unknown key \"{}\"{}", key,
                                                     did_you_mean(joined(nearest_keys(key), "\" or \""))));
    return;
  }
  const std::string path = path_part(key);
  if (path == "optimizer") {
    problems.add_override(
        override_text,
        fmt::format("say which optimizer: optimizer.NAME.{} with its name (or rule)", last_part(key)));
    return;
  }
  auto parsed = override_value(parts->value, override_text, problems);
  if (!parsed) return;
  toml::table* table = table_of_key(root, key);
  if (table == nullptr) {
    if (path.starts_with("optimizer."))
      problems.add_override(override_text, no_such_optimizer(root, path.substr(path.find('.') + 1)));
    return;
  }
  toml::node& node = *parsed->get("value");
  place_node(*table, last_part(key), node, node.source());
}

}  // namespace rarefact
