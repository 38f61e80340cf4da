#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "core/catalogue.hpp"
#include "results/result_layout.hpp"
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

TableValue per_group(std::vector<double> Run::*member) {
  TableValue value;
  value.per_optimizer = false;
  value.number = [member](const Run& run, const Trajectory&) -> TableValue::Reader {
    return [&values = run.*member](std::size_t, std::size_t row) {
      return row < values.size() ? values[row] : missing;
    };
  };
  return value;
}

template <class T>
TableValue per_trajectory(T Trajectory::*member) {
  TableValue value;
  value.number = [member](const Run&, const Trajectory& trajectory) -> TableValue::Reader {
    return [x = static_cast<double>(trajectory.*member)](std::size_t, std::size_t) { return x; };
  };
  return value;
}

TableValue words(std::string Trajectory::*member) {
  TableValue value;
  value.text = [member](const Run&, const Trajectory& trajectory) { return trajectory.*member; };
  return value;
}

/// The variables whose place in a result is fixed, by name.
std::map<std::string, TableValue> fixed_values() {
  std::map<std::string, TableValue> values = {
      {"class_count", per_group(&Run::class_count)},
      {"class_probability", per_group(&Run::class_probability)},
      {"class_log_rank", per_group(&Run::class_log_rank)},
      {"status", words(&Trajectory::status)},
      {"status_step", per_trajectory(&Trajectory::status_step)},
      {"status_detail", words(&Trajectory::status_detail)},
      {"engine", words(&Trajectory::engine)},
      {"engine_reason", words(&Trajectory::engine_reason)},
      {"step_size", per_trajectory(&Trajectory::step_size)},
      {"step_size_edge", per_trajectory(&Trajectory::step_size_edge)},
      {"quadrature_error", per_trajectory(&Trajectory::quadrature_error)},
      {"quadrature_nodes", per_trajectory(&Trajectory::quadrature_nodes)},
  };
  for (const FixedVariable& variable : fixed_variables()) {
    const auto found = values.find(variable.name);
    if (found == values.end()) continue;
    found->second.name = variable.name;
    found->second.meaning = with_unit(variable.long_name, variable.units);
    const auto& dimensions = variable.dimensions;
    found->second.per_class =
        std::find(dimensions.begin(), dimensions.end(), "class_group") != dimensions.end();
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
  for (auto& [name, value] : fixed_values()) {
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
