#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "core/catalogue.hpp"
#include "results/result_fields.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}

TableValue trajectory_value(const Variable& variable) {
  TableValue value;
  value.name = variable.name;
  value.meaning = with_unit(variable.long_name, variable.units);
  value.per_step = true;
  value.per_class = variable.per_class;
  value.number = [name = variable.name, per_class = variable.per_class](
                     const Run& run, const Trajectory& trajectory) -> TableValue::Reader {
    const auto found = trajectory.series.find(name);
    if (found == trajectory.series.end()) return [](std::size_t, std::size_t) { return missing; };
    const std::size_t width = per_class ? run.class_count.size() : 1;
    return [&values = found->second, width](std::size_t record, std::size_t row) {
      const std::size_t place = record * width + (width > 1 ? row : 0);
      return place < values.size() ? values[place] : missing;
    };
  };
  return value;
}

/// How the value of a field is read.
struct FieldReading {
  TableValue& value;

  void operator()(std::vector<double> Run::*member) const {
    value.per_optimizer = false;
    value.per_class = true;
    value.number = [member](const Run& run, const Trajectory&) -> TableValue::Reader {
      return [&values = run.*member](std::size_t, std::size_t row) {
        return row < values.size() ? values[row] : missing;
      };
    };
  }
  template <class Number>
  void operator()(Number Trajectory::*member) const {
    value.number = [member](const Run&, const Trajectory& trajectory) -> TableValue::Reader {
      return [x = static_cast<double>(trajectory.*member)](std::size_t, std::size_t) { return x; };
    };
  }
  void operator()(std::string Trajectory::*member) const {
    value.text = [member](const Run&, const Trajectory& trajectory) { return trajectory.*member; };
  }
};

/// The fields that every result has, by name.
std::map<std::string, TableValue> field_values() {
  std::map<std::string, TableValue> values;
  for (const ResultField& field : result_fields()) {
    TableValue& value = values[field.name];
    value.name = field.name;
    value.meaning = with_unit(field.long_name, field.units);
    std::visit(FieldReading{value}, field.member);
  }
  return values;
}

std::optional<TableValue> one_variable(const Result& result, const std::string& typed,
                                       TableProblems& problems) {
  std::vector<std::string> names;
  for (const Variable& variable : result.variables) {
    if (variable.name == typed) return trajectory_value(variable);
    names.push_back(variable.name);
  }
  for (auto& [name, value] : field_values()) {
    if (name == typed) return value;
    names.push_back(name);
  }
  problems.add(fmt::format(
      "--value: the file has no variable \"{}\"{}; there are {}, and ratios of two such as excess_loss/loss",
      typed, table_hint(typed, names), joined(names)));
  return {};
}

}  // namespace

std::string table_hint(const std::string& typed, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(typed, names);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

std::optional<double> number_from(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return {};
  return x;
}

std::optional<TableValue> table_value(const Result& result, const std::string& typed,
                                      TableProblems& problems) {
  const std::size_t slash = typed.find('/');
  if (slash == std::string::npos) return one_variable(result, typed, problems);
  const auto above = one_variable(result, typed.substr(0, slash), problems);
  const auto below = one_variable(result, typed.substr(slash + 1), problems);
  if (!above || !below) return {};
  for (const TableValue& part : {*above, *below}) {
    if (!part.number) problems.add(fmt::format("--value: {} is a text and has no ratio", part.name));
  }
  if (!above->number || !below->number) return {};
  TableValue ratio;
  ratio.name = typed;
  ratio.counts = false;
  ratio.meaning = fmt::format("{}, divided by {}", above->meaning, below->meaning);
  ratio.per_optimizer = above->per_optimizer || below->per_optimizer;
  ratio.per_step = above->per_step || below->per_step;
  ratio.per_class = above->per_class || below->per_class;
  ratio.number = [a = above->number, b = below->number](const Run& run,
                                                        const Trajectory& trajectory) -> TableValue::Reader {
    return [x = a(run, trajectory), y = b(run, trajectory)](std::size_t record, std::size_t row) {
      return x(record, row) / y(record, row);
    };
  };
  return ratio;
}

}  // namespace rarefact
