#include <boost/algorithm/string/case_conv.hpp>

#include "experiment/formula_files.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

std::optional<double> number_of(const ConfigNode& setting, const Interval& legal) {
  double number = NAN;
  if (const auto* i = setting.as<std::int64_t>()) number = static_cast<double>(*i);
  // Adding zero turns -0.0 into 0, so that equal experiments have equal texts.
  if (const auto* x = setting.as<double>()) number = *x + 0.0;
  return std::isfinite(number) && legal.contains(number) ? std::optional(number) : std::nullopt;
}

std::optional<Value> legal_number(const ConfigNode& setting, const Parameter& parameter) {
  const std::optional<double> x = number_of(setting, parameter.legal);
  if (!x || (parameter.kind != Kind::number && std::floor(*x) != *x)) return {};
  Value value = *x;
  if (parameter.kind == Kind::integer) {
    const auto* i = setting.as<std::int64_t>();
    if (i == nullptr && std::abs(*x) > largest_exact) return {};
    value = i == nullptr ? static_cast<std::int64_t>(*x) : *i;
  }
  const bool chosen = parameter.choices.empty() || contains(parameter.choices, to_toml(value));
  return chosen ? std::optional(value) : std::nullopt;
}

/// A list of numbers, or a square list of lists.
std::optional<Value> legal_numbers(const ConfigNode& setting, const Parameter& parameter) {
  const auto* list = setting.as<ConfigList>();
  if (list == nullptr) return {};
  const ConfigList& rows = parameter.kind == Kind::numbers ? ConfigList{setting} : *list;
  std::vector<double> numbers;
  for (const ConfigNode& row : rows) {
    const auto* entries = row.as<ConfigList>();
    if (entries == nullptr || entries->size() != list->size()) return {};
    for (const ConfigNode& entry : *entries) {
      const std::optional<double> x = number_of(entry, parameter.legal);
      if (!x) return {};
      numbers.push_back(*x);
    }
  }
  return numbers.empty() ? std::nullopt : std::optional<Value>(std::move(numbers));
}

std::optional<Value> legal_text(const ConfigNode& setting, const Parameter& parameter) {
  const auto* text = setting.as<std::string>();
  if (text == nullptr || text->empty()) return {};
  if (sanitize_text(*text) != *text || text->find_first_of("\n\t") != std::string::npos) return {};
  if (!parameter.choices.empty() && !contains(parameter.choices, *text)) return {};
  return *text;
}

/// A whole number, a name, or {exponent, largest}.
std::optional<Value> legal_ranked(const ConfigNode& setting, const Parameter& parameter) {
  if (setting.as<std::string>() != nullptr) return legal_text(setting, parameter);
  const auto* table = setting.as<ConfigTable>();
  const Parameter plain{.name = "", .kind = Kind::count, .meaning = "", .legal = parameter.legal};
  if (table == nullptr) return legal_number(setting, plain);
  const ConfigNode *exponent = setting.get("exponent"), *largest = setting.get("largest");
  if (table->entries.size() != 2 || exponent == nullptr || largest == nullptr) return {};
  const auto s = number_of(*exponent, {.low = 0});
  const auto r = legal_number(*largest, plain);
  return s && r ? std::optional<Value>(std::vector{*s, std::get<double>(*r)}) : std::nullopt;
}

bool takes_list(Kind kind) {
  return kind == Kind::numbers || kind == Kind::matrix;
}

Hint ranked_hint(const ConfigNode& setting, const ConfigTable& table) {
  for (const ConfigNode& entry : table.entries) {
    if (entry.name != "exponent" && entry.name != "largest") {
      const Hint meant = did_you_mean(nearest_name(entry.name, {"exponent", "largest"}));
      return {fmt::format("; it has an unknown \"{}\"{}", entry.name, meant), meant.name};
    }
  }
  for (const char* name : {"exponent", "largest"})
    if (setting.get(name) == nullptr) return {fmt::format("; {} is missing", name)};
  return {fmt::format("; {} is none of these",
                      number_of(*setting.get("exponent"), {.low = 0}) ? "largest" : "exponent")};
}

/// True if the contents of a string are a legal value, as in steps = "20".
bool runs_without_quotes(const std::string& text, const Parameter& parameter) {
  if (text.empty() || text.size() > 100) return false;
  try {
    const ConfigNode value = parse_override(text, {});
    return value.as<std::string>() == nullptr && legal_value(value, parameter).has_value();
  } catch (const InputError&) {
    return false;
  }
}

Hint hint(const ConfigNode& setting, const Parameter& parameter) {
  if (const auto* table = setting.as<ConfigTable>(); table != nullptr && parameter.kind == Kind::ranked)
    return ranked_hint(setting, *table);
  const auto* real = setting.as<double>();
  if (real != nullptr && parameter.kind == Kind::integer && std::abs(*real) > largest_exact &&
      number_of(setting, parameter.legal))
    return {std::abs(*real) < 0x1p63 ? "; above 2^53 in digits, without an exponent" : "; at most 2^63 - 1"};
  const auto* text = setting.as<std::string>();
  if (text == nullptr) return {};
  const std::string lower = boost::to_lower_copy(*text);
  if (parameter.name == "rule" && contains(split_text(formula_files, ' '), std::string_view(lower)))
    return {fmt::format("; experiments/rules/{}.toml has it as a formula", lower)};
  if (runs_without_quotes(*text, parameter)) return {"; write it without quotes"};
  const std::string ours = our_word(
      lower, "minibatch online stochastic sgd;population full_batch;identity one_hot;gaussian random");
  if (contains(parameter.choices, ours)) return did_you_mean(ours);
  if (!parameter.choices.empty()) return did_you_mean(nearest_name(lower, parameter.choices));
  if (parameter.kind == Kind::text || parameter.kind == Kind::formula || parameter.kind == Kind::path)
    return {" that is not empty and has no control characters"};
  const auto number = meant_number(*text);
  return {number && legal_value(ConfigNode{*number}, parameter) ? fmt::format("; write {:.15g}", *number)
                                                                : ""};
}

/// The illegal value, or the first illegal number of an array.
std::string wrong_part(const ConfigNode& setting, const Parameter& parameter) {
  const auto* list = parameter.kind == Kind::numbers ? setting.as<ConfigList>() : nullptr;
  if (list == nullptr) return description(setting);
  for (const ConfigNode& entry : *list)
    if (!number_of(entry, parameter.legal)) return description(entry) + " in an array";
  return "an empty array";
}

}  // namespace

std::optional<Value> legal_value(const ConfigNode& setting, const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::number:
    case Kind::count:
    case Kind::integer:
      return legal_number(setting, parameter);
    case Kind::boolean:
      return setting.as<bool>() ? std::optional<Value>(*setting.as<bool>()) : std::nullopt;
    case Kind::numbers:
    case Kind::matrix:
      return legal_numbers(setting, parameter);
    case Kind::ranked:
      return legal_ranked(setting, parameter);
    case Kind::column:
      if (const auto* number = setting.as<std::int64_t>(); number && *number > 0)
        return std::to_string(*number);
      [[fallthrough]];
    case Kind::text:
    case Kind::formula:
    case Kind::path:
      break;
  }
  return legal_text(setting, parameter);
}

std::optional<Value> read_value(const ConfigNode& setting, const std::string& key, const Parameter& parameter,
                                ProblemList& problems) {
  if (auto value = legal_value(setting, parameter)) return value;
  if (setting.as<ConfigList>() && !takes_list(parameter.kind)) {
    problems.add(setting.place,
                 "{}: got a list, but one value belongs here: {}; to run one experiment for each "
                 "value, write {}",
                 key, legal_values(parameter),
                 setting.place.on_axis ? "them all in the outer list: [a, b, c], not [[a, b], c]"
                                       : "the list in [sweep]");
  } else {
    problems.add(setting.place, "{}: got {}; expected {}{}", key, wrong_part(setting, parameter),
                 legal_values(parameter), hint(setting, parameter));
  }
  return {};
}

ConfigNode setting_of(const Value& value, Kind kind) {
  return std::visit(
      [&]<class T>(const T& alternative) {
        if constexpr (!std::is_same_v<T, std::vector<double>>)
          return ConfigNode{alternative};
        else {
          ConfigList list;
          for (const double x : alternative) list.push_back({x});
          if (kind == Kind::numbers) return ConfigNode{std::move(list)};
          if (kind == Kind::ranked) {
            list[0].name = "exponent";
            list[1].name = "largest";
            return ConfigNode{ConfigTable{std::move(list)}};
          }
          const auto size = std::llround(std::sqrt(static_cast<double>(list.size())));
          ConfigList rows;
          for (auto at = list.begin(); at != list.end(); at += size)
            rows.push_back({ConfigList(at, at + size)});
          return ConfigNode{std::move(rows)};
        }
      },
      value);
}

Value canonical(const Value& value, Kind kind) {
  const auto* i = std::get_if<std::int64_t>(&value);
  const bool stored_as_double = kind == Kind::number || kind == Kind::count;
  return i != nullptr && stored_as_double ? Value(static_cast<double>(*i)) : value;
}

}  // namespace rarefact
