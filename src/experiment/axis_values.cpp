#include <set>

#include "core/spacing.hpp"
#include "core/transform.hpp"
#include "experiment/axes.hpp"

namespace rarefact {

namespace {

constexpr char forms[] =
    "a list of values, {range = [a, b]}, {linspace = [a, b, n]} or {logspace = [a, b, n]}";
constexpr char joint_form[] =
    "a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an "
    "axis of one key";
const std::vector<std::string> generators = {"range", "linspace", "logspace"};

/// Largest number of values on an axis; more are probably a mistake.
constexpr double max_axis_values = 1e6;

bool takes_floats(const ExperimentKey& key) {
  const Kind kind = key.uses.front().parameter.kind;
  return kind == Kind::number || kind == Kind::count || kind == Kind::numbers || kind == Kind::matrix ||
         kind == Kind::ranked;
}

/// The value in canonical form, everywhere with the position `place`.
ConfigNode canonical(ConfigNode setting, bool as_float, const Place& place) {
  setting.key = setting.place = place;
  setting.place.on_axis = true;
  if (auto* list = std::get_if<ConfigList>(&setting.value)) {
    for (ConfigNode& entry : *list) entry = canonical(std::move(entry), as_float, place);
  } else if (auto* table = std::get_if<ConfigTable>(&setting.value)) {
    for (ConfigNode& entry : table->entries) entry = canonical(std::move(entry), as_float, place);
  } else if (const auto* i = setting.as<std::int64_t>()) {
    if (as_float) setting.value = static_cast<double>(*i);
  } else if (const auto* x = setting.as<double>()) {
    const double value = *x + 0.0;  // -0.0 is 0
    const bool whole = !as_float && std::floor(value) == value && std::abs(value) <= largest_exact;
    setting.value = value;
    if (whole) setting.value = static_cast<std::int64_t>(value);
  }
  return setting;
}

/// The values of {range = [a, b]} and similar generators; the result of `refuse` if there are none.
template <class Refuse>
std::vector<double> generated(const ConfigNode& table, const Refuse& refuse) {
  const auto& entries = table.as<ConfigTable>()->entries;
  if (entries.size() != 1) return refuse(table, "got a table; expected {}", forms);
  const ConfigNode& ends = entries.front();
  const std::string& form = ends.name;
  if (!contains(generators, form)) {
    return refuse(table, "got {{{} = ...}}; expected {}{}", form, forms,
                  did_you_mean(nearest_name(form, generators)));
  }
  const bool range = form == "range";
  const std::string expected = range ? "[a, b] or [a, b, step]" : "[a, b, n]";
  const auto* list = ends.as<ConfigList>();
  if (list == nullptr || (list->size() != 3 && !(range && list->size() == 2)))
    return refuse(ends, "{}: got {}; expected {}", form, list_description(ends), expected);
  std::vector<double> numbers;
  for (const ConfigNode& entry : *list) {
    const auto x = legal_value(entry, {.name = "", .kind = Kind::number, .meaning = ""});
    if (!x) return refuse(entry, "{}: got {}; expected numbers, {}", form, description(entry), expected);
    numbers.push_back(std::get<double>(*x));
  }
  const double a = numbers[0], b = numbers[1], last = numbers.size() == 3 ? numbers[2] : 1;
  const auto too_many = [&](double n) {
    return refuse(ends, "{}: {:.15g} values; at most {:.0f} fit on an axis", form, n, max_axis_values);
  };
  if (range) {
    const auto whole = [](double x) { return std::floor(x) == x && std::abs(x) <= largest_exact; };
    if (!whole(a) || !whole(b) || !whole(last) || last < 1)
      return refuse(ends, "range: expected integers [a, b] or [a, b, step] with step >= 1");
    if (b <= a)
      return refuse(ends, "range: got the ends {} and {}; expected a second end above the first", a, b);
    if ((b - a) / last > max_axis_values) return too_many(std::ceil((b - a) / last));
    std::vector<double> values;
    for (double x = a; x < b; x += last) values.push_back(x);
    return values;
  }
  if (std::floor(last) != last || last < 1)
    return refuse(ends, "{}: got n = {}; expected an integer >= 1", form, last);
  if (last > max_axis_values) return too_many(last);
  if (form == "linspace") return evenly_spaced(a, b, last);
  if (a <= 0 || b <= 0) return refuse(ends, "logspace: got ends {} and {}; expected ends > 0", a, b);
  return log_spaced(a, b, last);
}

/// The values of the keys at a place of the axis, as TOML: "4", or "[4, 0.1]" for a joint axis.
std::string place_text(const std::vector<AxisKey>& keys, std::size_t place) {
  const std::vector<std::string> texts = mapped(keys, [&](const AxisKey& key) {
    return to_toml(canonical_setting(*find_key(key.name), key.values[place]), true);
  });
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", joined(texts));
}

/// "{range = [a, b, step]}" if the values are at least four equally spaced whole numbers; else empty.
std::string range_text(const std::vector<ConfigNode>& settings) {
  constexpr std::int64_t largest = std::int64_t{1} << 52;
  std::vector<std::int64_t> values;
  for (const ConfigNode& setting : settings) {
    const auto* value = setting.as<std::int64_t>();
    if (value == nullptr || *value > largest || *value < -largest) return {};
    values.push_back(*value);
  }
  if (values.size() < 4) return {};
  const std::int64_t step = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i)
    if (step < 1 || values[i] - values[i - 1] != step) return {};
  const std::string steps = step == 1 ? "" : fmt::format(", {}", step);
  return fmt::format("{{range = [{}, {}{}]}}", values.front(), values.back() + 1, steps);
}

}  // namespace

bool generates_values(const ConfigNode& table) {
  return std::ranges::any_of(generators, [&](const auto& form) { return table.get(form) != nullptr; });
}

std::vector<std::string> keys_of_axis(std::string_view name) {
  std::vector<std::string> keys;
  bool in_label = false;  // the last key ends within a label
  for (const std::string_view piece : split_text(name, ',')) {
    const std::string text(trimmed(piece)), whole = in_label ? "optimizer." + text : text;
    if (in_label)
      keys.back().append(",").append(piece);
    else
      keys.push_back(text);
    in_label = whole.starts_with("optimizer.") && (KeyPath(whole).part.empty() || find_key(whole) == nullptr);
    if (!in_label) keys.back() = std::string(trimmed(keys.back()));
  }
  return keys;
}

std::vector<AxisKey> axis_keys(const ConfigNode& written, const std::vector<std::string>& keys,
                               ProblemList& problems) {
  const bool alone = keys.size() == 1;
  const std::string name = joined(keys), form = alone ? forms : joint_form;
  const auto refuse = [&]<class... V>(const ConfigNode& where, fmt::format_string<V...> text, V&&... values) {
    problems.add(where.place, prefixed("sweep." + name, problem_of(text, std::forward<V>(values)...)));
    return std::vector<double>();
  };
  std::vector<AxisKey> axis;
  std::vector<std::shared_ptr<const std::string>> full_keys;
  for (const std::string& key : keys) {
    axis.push_back({key});
    full_keys.push_back(std::make_shared<const std::string>(key));
  }
  ConfigList numbers;
  const auto* list = written.as<ConfigList>();
  const bool generates = alone && written.as<ConfigTable>() != nullptr;
  if (generates) {
    ConfigNode number{.value = 0.0, .place = written.place};
    for (const double x : generated(written, refuse)) {
      number.value = x;
      numbers.push_back(number);
    }
    list = &numbers;
  } else if (list == nullptr) {
    refuse(written, "got {}; expected {}{}", description(written), form,
           alone ? "; a single value belongs outside [sweep]" : "");
    return axis;
  } else if (list->empty()) {
    refuse(written, "the axis is empty; expected {}", form);
  }
  if (static_cast<double>(list->size()) > max_axis_values) {
    refuse(written, "{} {}values; at most {:.0f} fit on an axis", list->size(), alone ? "" : "lists of ",
           max_axis_values);
    return axis;
  }
  std::set<std::string> seen;
  for (const ConfigNode& entry : *list) {
    if (problems.full()) break;
    const auto* row = entry.as<ConfigList>();
    if (!alone && (row == nullptr || row->size() != keys.size())) {
      const std::string got = row == nullptr
                                  ? description(entry)
                                  : fmt::format("{} value{}", row->size(), row->size() == 1 ? "" : "s");
      refuse(entry, "got {}, expected {}{}{}, one for each key", got, row == nullptr ? "a list of " : "",
             keys.size(), row == nullptr ? " values" : "");
      continue;
    }
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const ConfigNode& value = alone ? entry : (*row)[k];
      Place place = value.place;
      place.full_key = full_keys[k];
      axis[k].values.push_back(canonical(value, takes_floats(*find_key(keys[k])), place));
    }
    // Generated values are monotone.
    const auto text = [&] { return place_text(axis, axis.front().values.size() - 1); };
    const bool first = &entry == &list->front();
    if (generates ? first || *entry.as<double>() != *(&entry)[-1].as<double>() : seen.insert(text()).second)
      continue;
    refuse(entry, "{} is on the axis twice", text());
    if (generates) break;  // a generated list has a single position
  }
  return axis;
}

std::vector<SweptValue> swept_values(const AxisKey& key) {
  const auto number = []<class T>(const T& alternative) -> std::optional<double> {
    if constexpr (std::is_arithmetic_v<T>) return static_cast<double>(alternative);
    return {};
  };
  const bool numbers = std::ranges::all_of(
      key.values, [&](const ConfigNode& node) { return std::visit(number, node.value).has_value(); });
  std::vector<SweptValue> values;
  for (const ConfigNode& written : key.values) {
    const ConfigNode node = canonical_setting(*find_key(key.name), written);
    const auto* text = node.as<std::string>();
    if (numbers) {
      values.emplace_back(*std::visit(number, node.value));
    } else {
      values.emplace_back(text != nullptr ? *text : to_toml(node, true));
    }
  }
  return values;
}

std::string axis_line(const Axis& axis) {
  const std::vector<std::string> names = names_of(axis.keys);
  std::string values = names.size() == 1 ? range_text(axis.keys.front().values) : "";
  if (values.empty()) {
    std::vector<std::string> texts;
    for (std::size_t place = 0; place < axis.size(); ++place) texts.push_back(place_text(axis.keys, place));
    values = fmt::format("[{}]", joined(texts));
  }
  return fmt::format("{} = {}\n", to_toml(Value(joined(names))), values);
}

}  // namespace rarefact
