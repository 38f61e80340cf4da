#include "tables/view.hpp"

#include <set>

#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}

SweptValue in_words(const std::string& key, const SweptValue& value) {
  const ExperimentKey* row = find_key(key);
  const auto* number = std::get_if<double>(&value);
  if (row == nullptr || number == nullptr || row->uses.front().parameter.kind != Kind::boolean) return value;
  return *number == 0 ? "false" : "true";
}

}  // namespace

std::vector<Quantity> quantities(const Result& result) {
  std::vector<Quantity> all;
  for (const Variable& variable : result.variables) {
    all.push_back(recorded(variable.name, variable.along));
    all.back().meaning = with_unit(variable.long_name, variable.units);
  }
  const auto first_field = static_cast<std::ptrdiff_t>(all.size());
  const ResultShape shape = shape_of(result);
  for (const ResultField& field : result_fields()) {
    if (!shape.has(field) || !field.matrix.empty() ||
        std::holds_alternative<std::vector<std::string> Run::*>(field.member))
      continue;
    Quantity& quantity = all.emplace_back(Quantity{.name = field.name,
                                                   .meaning = with_unit(field.long_name, field.units),
                                                   .per_optimizer = field.per_optimizer(),
                                                   .along = field.along});
    if (const auto* text = std::get_if<std::string Trajectory::*>(&field.member)) {
      quantity.text = *text;
      continue;
    }
    quantity.numbers = [&field](const Run& run) -> Numbers {
      return [&field, &run](std::size_t optimizer, std::size_t, std::size_t row) {
        double number = missing;
        visit_field(field, run, run.trajectories[optimizer], [&]<class T>(const T& value) {
          if constexpr (std::is_arithmetic_v<T>) number = static_cast<double>(value);
          if constexpr (std::is_same_v<T, std::vector<double>>) {
            if (row < value.size()) number = value[row];
          }
        });
        return number;
      };
    };
  }
  std::sort(all.begin() + first_field, all.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

std::vector<std::string> swept_keys(const Result& result) {
  std::set<std::string> keys;
  for (const Run& run : result.runs)
    for (const auto& entry : run.parameters) keys.insert(entry.first);
  return {keys.begin(), keys.end()};
}

SweptValue swept_value(const Run& run, const std::string& key) {
  const auto found = run.parameters.find(key);
  return found == run.parameters.end() ? SweptValue("-") : in_words(key, found->second);
}

std::string parameter_text(const std::map<std::string, SweptValue>& parameters) {
  return joined(mapped(parameters, [](const auto& item) {
    return item.first + " = " + axis_text(in_words(item.first, item.second));
  }));
}

std::string axis_text(const SweptValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  // Twelve digits hide the rounding of computed grids.
  const double x = *parse_number<double>(fmt::format("{:.12g}", std::get<double>(value)));
  if (x == std::floor(x) && std::abs(x) < 1e7) return fmt::format("{:.0f}", x + 0.0);
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::vector<std::string> axis_texts(const std::vector<SweptValue>& values) {
  std::vector<std::string> texts;
  for (const SweptValue& value : values)
    if (const std::string text = axis_text(value); !std::ranges::count(texts, text)) texts.push_back(text);
  return texts;
}

bool means(const SweptValue& value, const std::string& typed) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text == typed;
  const double x = std::get<double>(value);
  const auto number = parse_number<double>(typed);
  return number && std::abs(x - *number) <= 1e-12 * std::abs(x);
}

bool means_any(const SweptValue& value, const std::vector<std::string>& typed) {
  return std::ranges::any_of(typed, [&](const std::string& text) { return means(value, text); });
}

}  // namespace rarefact
