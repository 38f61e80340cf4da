#include "experiment/experiment_plan_joint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/experiment_plan_values.hpp"

namespace rarefact {

namespace {

constexpr char form[] =
    "a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an "
    "axis of one key";

/// Where the first key of the text ends.
std::size_t end_of_key(std::string_view text, const std::vector<std::string>& labels) {
  std::size_t label_end = 0;
  for (const std::string& label : labels) {
    const std::string table = "optimizer." + label + ".";
    if (text.starts_with(table)) label_end = std::max(label_end, table.size());
  }
  return std::min(text.find(',', label_end), text.size());
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);  // npos + 1 is 0
}

}  // namespace

std::vector<std::string> keys_of_axis(std::string_view name, const std::vector<std::string>& labels) {
  if (end_of_key(name, labels) == name.size()) return {std::string(name)};
  std::vector<std::string> keys;
  for (std::string_view rest = name;;) {
    rest = without_blanks(rest);
    const std::size_t end = end_of_key(rest, labels);
    keys.emplace_back(without_blanks(rest.substr(0, end)));
    if (end == rest.size()) return keys;
    rest.remove_prefix(end + 1);
  }
}

std::vector<AxisKey> joint_axis_keys(const toml::node& node, const std::vector<std::string>& keys,
                                     ProblemList& problems) {
  const std::string name = joined(keys);
  const auto refuse = [&](const toml::node& where, const std::string& message) {
    problems.add(where.source(), fmt::format("sweep.{}: {}", name, message));
  };
  std::vector<AxisKey> axis;
  for (const std::string& key : keys) axis.push_back({key, {}});
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    refuse(node, fmt::format("got {}; expected {}", description(node), form));
    return axis;
  }
  if (list->empty()) refuse(node, fmt::format("the axis is empty; expected {}", form));
  if (static_cast<double>(list->size()) > most_axis_values) {
    refuse(node,
           fmt::format("{} lists of values; at most {:.0f} fit on an axis", list->size(), most_axis_values));
    return axis;
  }
  std::vector<const toml::node*> places;
  for (const toml::node& entry : *list) {
    const toml::array* values = entry.as_array();
    if (values == nullptr) {
      refuse(entry, fmt::format("got {}, expected a list of {} values, one for each key", description(entry),
                                keys.size()));
    } else if (values->size() != keys.size()) {
      refuse(entry, fmt::format("got {} value{}, expected {}, one for each key", values->size(),
                                values->size() == 1 ? "" : "s", keys.size()));
    } else {
      places.push_back(&entry);
      for (std::size_t k = 0; k < keys.size(); ++k)
        axis[k].elements.push_back(axis_element((*values)[k], *find_key(keys[k])));
    }
  }
  refuse_repetitions(axis, places, node, name, problems);
  return axis;
}

}  // namespace rarefact
