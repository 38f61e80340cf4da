#include "experiment/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

constexpr std::string_view optimizer_prefix = "optimizer.";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

}  // namespace

std::optional<OverrideParts> override_parts(const std::string& override_text, ProblemList& problems) {
  const std::size_t equals = override_text.find('=');
  OverrideParts parts{trimmed(std::string_view(override_text).substr(0, equals)), {}};
  if (equals != std::string::npos) parts.value = trimmed(std::string_view(override_text).substr(equals + 1));
  if (!parts.key.empty() && !parts.value.empty()) return parts;
  problems.add({.override_text = override_text}, "expected key=value, such as run.steps=500");
  return {};
}

std::optional<Setting> override_value(const OverrideParts& parts, const std::string& override_text,
                                      ProblemList& problems) {
  try {
    return parse_override(parts.value, override_text);
  } catch (const InputError& error) {
    problems.add({.override_text = override_text}, error.problems().front().message);
    return {};
  }
}

void apply_override(Setting& root, const std::string& override_text, ProblemList& problems) {
  const auto parts = override_parts(override_text, problems);
  if (!parts) return;
  const std::string& key = parts->key;
  const std::string path = path_part(key);
  const auto refuse = [&](std::string why) {
    problems.add({.override_text = override_text}, std::move(why));
  };
  if (find_key(key) == nullptr)
    return refuse(
        fmt::format("unknown key \"{}\"{}", key, did_you_mean(joined(nearest_keys(key), "\" or \""))));
  if (path == "optimizer")
    return refuse(
        fmt::format("say which optimizer: optimizer.NAME.{} with its name (or rule)", last_part(key)));
  auto value = override_value(*parts, override_text, problems);
  if (!value) return;
  if (Setting* table = table_of_key(root, key)) {
    value->name = last_part(key);
    value->key = value->place;
    table->put(std::move(*value));
  } else if (path.starts_with(optimizer_prefix)) {
    refuse(no_such_optimizer(root, path.substr(optimizer_prefix.size())));
  }
}

std::string label_of(const Setting& optimizer) {
  for (const char* key : {"name", "rule"}) {
    const Setting* setting = optimizer.get(key);
    if (setting != nullptr && setting->as<std::string>() != nullptr) return *setting->as<std::string>();
  }
  return "";
}

std::vector<std::string> optimizer_labels(const Setting& root) {
  std::vector<std::string> labels;
  const Setting* optimizers = root.get("optimizer");
  if (optimizers == nullptr || optimizers->as<SettingList>() == nullptr) return labels;
  for (const Setting& one : *optimizers->as<SettingList>()) {
    if (one.as<SettingTable>() != nullptr) labels.push_back(label_of(one));
  }
  return labels;
}

std::string no_such_optimizer(const Setting& root, const std::string& label) {
  const std::vector<std::string> labels = optimizer_labels(root);
  return fmt::format("no optimizer is named \"{}\"; there are: {}{}", label,
                     labels.empty() ? "none" : joined(labels), did_you_mean(nearest_name(label, labels)));
}

Setting* table_of_key(Setting& root, const std::string& key) {
  std::string path = path_part(key);
  if (path.starts_with(optimizer_prefix)) {
    Setting* optimizers = root.get("optimizer");
    auto* list = optimizers == nullptr ? nullptr : std::get_if<SettingList>(&optimizers->value);
    if (list == nullptr) return nullptr;
    const auto found = std::find_if(list->begin(), list->end(), [&](const Setting& one) {
      return one.as<SettingTable>() != nullptr && label_of(one) == path.substr(optimizer_prefix.size());
    });
    return found == list->end() ? nullptr : &*found;
  }
  Setting* table = &root;
  while (table != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string part = path.substr(0, dot);
    if (table->get(part) == nullptr) table->put({.name = part});
    table = table->get(part);
    if (table->as<SettingTable>() == nullptr) return nullptr;
    path.erase(0, std::min(dot + 1, path.size()));
  }
  return table;
}

}  // namespace rarefact
