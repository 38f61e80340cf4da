#include <fmt/format.h>

#include "experiment_file_values.hpp"
#include "rarefact/sim/experiment_keys.hpp"

namespace rarefact {

namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

/// A table with the one entry `value`, so that the node has a place that names the override.
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

/// The label of an optimizer's table: its name, or else its rule.
std::string label_of(const toml::table& optimizer) {
  if (const auto* name = optimizer["name"].as_string()) return name->get();
  if (const auto* rule = optimizer["rule"].as_string()) return rule->get();
  return "";
}

toml::table* find_optimizer(toml::table& root, const std::string& label, const std::string& override_text,
                            ProblemList& problems) {
  std::vector<std::string> labels;
  if (toml::array* optimizers = root["optimizer"].as_array()) {
    for (toml::node& node : *optimizers) {
      toml::table* table = node.as_table();
      if (table == nullptr) continue;
      labels.push_back(label_of(*table));
      if (labels.back() == label) return table;
    }
  }
  problems.add_override(override_text, fmt::format("no optimizer is named \"{}\"; there are: {}{}", label,
                                                   labels.empty() ? "none" : joined(labels),
                                                   did_you_mean(nearest_name(label, labels))));
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

void apply_override(toml::table& root, const std::string& override_text, ProblemList& problems) {
  const std::size_t equals = override_text.find('=');
  const std::string key = trimmed(std::string_view(override_text).substr(0, equals));
  const std::string value =
      equals == std::string::npos ? "" : trimmed(std::string_view(override_text).substr(equals + 1));
  if (key.empty() || value.empty()) {
    problems.add_override(override_text, "expected key=value, such as run.steps=500");
    return;
  }
  if (find_key(key) == nullptr) {
    problems.add_override(override_text, fmt::format("unknown key \"{}\"{}", key,
                                                     did_you_mean(joined(nearest_keys(key), "\" or \""))));
    return;
  }
  const std::size_t last_dot = key.rfind('.');
  const std::string last_name = last_dot == std::string::npos ? key : key.substr(last_dot + 1);
  const std::string path = last_dot == std::string::npos ? "" : key.substr(0, last_dot);
  if (path == "optimizer") {
    problems.add_override(
        override_text,
        fmt::format("say which optimizer: optimizer.NAME.{} with its name (or rule)", last_name));
    return;
  }
  try {
    toml::table parsed = parse_value(value, override_text);
    toml::table* table = path.starts_with("optimizer.")
                             ? find_optimizer(root, path.substr(path.find('.') + 1), override_text, problems)
                             : table_at(root, path);
    if (table == nullptr) return;
    toml::node& node = *parsed.get("value");
    const toml::key placed_key(last_name, node.source());
    // A copied node would forget its source, so it is moved.
    node.visit([&](auto& typed) { table->insert_or_assign(placed_key, std::move(typed)); });
  } catch (const toml::parse_error& error) {
    problems.add_override(
        override_text, fmt::format("the value is not TOML: {} (put a text in quotes)", error.description()));
  }
}

}  // namespace rarefact
