#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/catalogue.hpp"
#include "experiment/experiment_keys.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

/// The swept key of that name, as typed in the experiment or as in the file; empty if there is none.
std::string swept_key(const Result& result, const std::string& typed) {
  for (const std::string& key : swept_keys(result)) {
    if (typed == key || typed == parameter_variable(key)) return key;
  }
  return {};
}

/// Why a word names no swept key, with those there are.
std::string no_such_key(const Result& result, const std::string& typed, std::vector<std::string> others) {
  std::vector<std::string> names = swept_keys(result);
  const std::string swept = names.empty() ? "the file has no sweep" : "swept keys: " + joined(names);
  names.insert(names.end(), others.begin(), others.end());
  const std::string hint = table_hint(typed, names);
  const std::string what =
      find_key(typed) != nullptr ? "does not vary in the file" : "is no swept key of the file";
  return fmt::format("\"{}\" {}{}; {}; others: {}", typed, what, hint, swept, joined(others));
}

/// Whether a value is what a user typed. Grids are computed, so 0.3 means 0.30000000000000004, too.
bool means(const AxisValue& value, const std::string& typed) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text == typed;
  const double x = std::get<double>(value);
  const auto number = number_from(typed);
  return number && std::abs(x - *number) <= 1e-12 * std::abs(x);
}

/// The indices in 0..count-1 whose value is one of those typed; a problem for what no value is.
std::vector<std::size_t> matching(const std::string& key, const std::vector<AxisValue>& values,
                                  const std::vector<std::string>& typed, TableProblems& problems) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::any_of(typed.begin(), typed.end(), [&](const auto& t) { return means(values[i], t); })) {
      kept.push_back(i);
    }
  }
  for (const std::string& one : typed) {
    if (std::any_of(values.begin(), values.end(), [&](const auto& v) { return means(v, one); })) continue;
    std::vector<std::string> names, texts;
    for (const AxisValue& value : values) {
      if (std::find(names.begin(), names.end(), axis_text(value)) != names.end()) continue;
      names.push_back(axis_text(value));
      if (std::holds_alternative<std::string>(value)) texts.push_back(names.back());
    }
    problems.add(fmt::format("--where: {} is never \"{}\"{}; its values: {}", key, one,
                             table_hint(one, texts), joined(names)));
  }
  return kept;
}

/// The name of a joint axis has a blank after each comma.
std::string without_blanks(const std::string& name) {
  const std::size_t begin = std::min(name.find_first_not_of(' '), name.size());
  return name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i;
  return indices;
}

}  // namespace

std::vector<std::string> swept_keys(const Result& result) {
  std::set<std::string> keys;
  for (const Run& run : result.runs) {
    for (const auto& entry : run.parameters) keys.insert(entry.first);
  }
  return {keys.begin(), keys.end()};
}

AxisValue swept_value(const Run& run, const std::string& key) {
  const auto found = run.parameters.find(key);
  return found == run.parameters.end() ? AxisValue("-") : found->second;
}

std::vector<TableAxis> table_axes(const Result& result, const std::string& option,
                                  const std::vector<std::string>& typed, TableProblems& problems) {
  static const std::map<std::string, TableAxis::Kind> named = {{"optimizer", TableAxis::Kind::optimizer},
                                                               {"class", TableAxis::Kind::class_row},
                                                               {"step", TableAxis::Kind::step}};
  std::vector<TableAxis> axes;
  for (const std::string& one : typed) {
    const std::string name = without_blanks(one);
    if (const auto row = named.find(name); row != named.end()) {
      axes.push_back({row->second, name});
    } else if (const std::string key = swept_key(result, name); !key.empty()) {
      axes.push_back({TableAxis::Kind::key, key});
    } else {
      problems.add(
          fmt::format("--{}: {}", option, no_such_key(result, name, {"optimizer", "class", "step"})));
    }
  }
  return axes;
}

TableChoice table_choice(const Result& result, const std::vector<std::string>& where,
                         TableProblems& problems) {
  std::map<std::string, std::vector<std::string>> wanted;
  for (const std::string& text : where) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) {
      problems.add(fmt::format("--where: got \"{}\"; expected KEY=VALUE", text));
      continue;
    }
    const std::string typed = text.substr(0, sign);
    const std::string key = typed == "optimizer" ? typed : swept_key(result, typed);
    if (key.empty()) {
      problems.add("--where: " + no_such_key(result, typed, {"optimizer"}));
    } else {
      wanted[key].push_back(text.substr(sign + 1));
    }
  }
  TableChoice choice{all_of(result.runs.size()), all_of(result.optimizers.size())};
  for (const auto& [key, typed] : wanted) {
    std::vector<AxisValue> values;
    if (key == "optimizer") {
      values.assign(result.optimizers.begin(), result.optimizers.end());
      choice.optimizers = matching(key, values, typed, problems);
      continue;
    }
    for (const Run& run : result.runs) values.push_back(swept_value(run, key));
    const std::vector<std::size_t> kept = matching(key, values, typed, problems);
    std::erase_if(choice.runs,
                  [&](std::size_t run) { return !std::binary_search(kept.begin(), kept.end(), run); });
  }
  return choice;
}

}  // namespace rarefact
