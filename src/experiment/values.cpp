#include "experiment/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::optional<double> number_of(const Setting& setting) {
  if (const auto* i = setting.as<std::int64_t>()) return static_cast<double>(*i);
  // Adding zero makes -0.0 the plain zero, so that equal experiments have equal texts.
  if (const auto* x = setting.as<double>()) return *x + 0.0;
  return {};
}

std::optional<Value> legal_number(const Setting& setting, const Parameter& parameter) {
  const std::optional<double> x = number_of(setting);
  if (!x || !std::isfinite(*x) || !parameter.legal.contains(*x)) return {};
  if (parameter.kind != Kind::number && std::floor(*x) != *x) return {};
  Value value = *x;
  if (parameter.kind == Kind::integer) {
    const auto* i = setting.as<std::int64_t>();
    if (i == nullptr && std::abs(*x) > largest_exact) return {};
    value = i == nullptr ? static_cast<std::int64_t>(*x) : *i;
  }
  const bool chosen = parameter.choices.empty() || contains(parameter.choices, to_toml(value));
  return chosen ? std::optional(value) : std::nullopt;
}

/// Puts the numbers of a list of `length` (0: of any but none) behind the others. False where it is no such.
bool append_numbers(const Setting& setting, std::size_t length, const Parameter& parameter,
                    std::vector<double>& numbers) {
  const auto* list = setting.as<SettingList>();
  if (list == nullptr || list->empty() || (length != 0 && list->size() != length)) return false;
  return std::all_of(list->begin(), list->end(), [&](const Setting& entry) {
    numbers.push_back(number_of(entry).value_or(NAN));
    return std::isfinite(numbers.back()) && parameter.legal.contains(numbers.back());
  });
}

std::optional<Value> legal_numbers(const Setting& setting, const Parameter& parameter) {
  std::vector<double> numbers;
  bool legal = false;
  if (parameter.kind == Kind::numbers) {
    legal = append_numbers(setting, 0, parameter, numbers);
  } else if (const auto* rows = setting.as<SettingList>(); rows != nullptr && !rows->empty()) {
    const std::size_t length = parameter.kind == Kind::triples ? 3 : rows->size();
    legal = std::all_of(rows->begin(), rows->end(),
                        [&](const Setting& row) { return append_numbers(row, length, parameter, numbers); });
  }
  return legal ? std::optional<Value>(std::move(numbers)) : std::nullopt;
}

std::optional<Value> legal_text(const Setting& setting, const Parameter& parameter) {
  const auto* text = setting.as<std::string>();
  if (text == nullptr || text->empty()) return {};
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text->begin(), text->end(), control)) return {};
  if (!parameter.choices.empty() && !contains(parameter.choices, *text)) return {};
  return *text;
}

bool takes_list(Kind kind) {
  return kind == Kind::numbers || kind == Kind::matrix || kind == Kind::triples;
}

/// What to change, where that can be told.
std::string hint(const Setting& setting, const Parameter& parameter) {
  const auto* text = setting.as<std::string>();
  if (text == nullptr) return "";
  if (!parameter.choices.empty()) return did_you_mean(nearest_name(*text, parameter.choices));
  if (parameter.kind == Kind::text || parameter.kind == Kind::path)
    return " that is not empty and has no control characters";
  const bool list = parameter.kind == Kind::numbers || parameter.kind == Kind::matrix;
  const bool digits =
      !text->empty() && std::string_view("+-.0123456789tf").find(text->front()) != std::string_view::npos;
  return digits && !list ? "; write it without quotes" : "";
}

}  // namespace

std::optional<Value> legal_value(const Setting& setting, const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::number:
    case Kind::count:
    case Kind::integer:
      return legal_number(setting, parameter);
    case Kind::boolean:
      return setting.as<bool>() ? std::optional<Value>(*setting.as<bool>()) : std::nullopt;
    case Kind::text:
    case Kind::path:
      return legal_text(setting, parameter);
    case Kind::numbers:
    case Kind::matrix:
      return legal_numbers(setting, parameter);
    case Kind::triples:
      break;
  }
  return setting.as<SettingList>() ? legal_numbers(setting, parameter) : legal_text(setting, parameter);
}

std::optional<Value> read_value(const Setting& setting, const std::string& key, const Parameter& parameter,
                                ProblemList& problems) {
  if (auto value = legal_value(setting, parameter)) return value;
  if (setting.as<SettingList>() && !takes_list(parameter.kind)) {
    problems.add(setting.place,
                 fmt::format("{}: got a list, but one value belongs here: {}; to run one experiment for each "
                             "value, write {}",
                             key, legal_values(parameter),
                             setting.place.on_axis ? "them all in the outer list: [a, b, c], not [[a, b], c]"
                                                   : "the list in [sweep]"));
  } else {
    problems.add(setting.place, fmt::format("{}: got {}; expected {}{}", key, description(setting),
                                            legal_values(parameter), hint(setting, parameter)));
  }
  return {};
}

Setting setting_of(const Value& value, Kind kind) {
  const auto* numbers = std::get_if<std::vector<double>>(&value);
  if (numbers == nullptr) {
    Setting setting;
    std::visit(
        [&](const auto& held) {
          if constexpr (!std::is_same_v<decltype(held), const std::vector<double>&>) setting.value = held;
        },
        value);
    return setting;
  }
  SettingList list;
  for (const double x : *numbers) list.push_back({x});
  if (kind == Kind::numbers) return {std::move(list)};
  const auto root = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(list.size()))));
  const auto columns = static_cast<std::ptrdiff_t>(kind == Kind::triples ? 3 : root);
  SettingList rows;
  for (auto at = list.begin(); at != list.end(); at += columns)
    rows.push_back({SettingList(at, at + columns)});
  return {std::move(rows)};
}

Value canonical(const Value& value, Kind kind) {
  const auto* i = std::get_if<std::int64_t>(&value);
  const bool stored_as_double = kind == Kind::number || kind == Kind::count;
  return i != nullptr && stored_as_double ? Value(static_cast<double>(*i)) : value;
}

}  // namespace rarefact
