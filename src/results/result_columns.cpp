#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>

#include "experiment/keys.hpp"
#include "results/column_stream.hpp"

namespace rarefact {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Number>
std::uint64_t cell_of(Number x) {
  return std::bit_cast<std::uint64_t>(x);
}

/// The value of a swept key; NaN or an empty text in a run that does not have it.
ResultColumn parameter_column(const std::string& name, const std::string& key, bool text) {
  ResultColumn column{name, {"run"}, "swept value of " + key};
  column.attributes = {{"key", key}};
  if (text) {
    column.kind = CellKind::text;
    column.texts = [key](const Run& run, std::vector<std::string>& texts) {
      const auto found = run.parameters.find(key);
      if (found == run.parameters.end()) {
        texts.emplace_back();
      } else if (const auto* word = std::get_if<std::string>(&found->second)) {
        texts.push_back(*word);
      } else {
        texts.push_back(fmt::format("{}", std::get<double>(found->second)));
      }
    };
  } else {
    column.cells = [key](const Run& run, std::uint64_t* cells) {
      const auto found = run.parameters.find(key);
      *cells = cell_of(found == run.parameters.end() ? nan : std::get<double>(found->second));
    };
  }
  return column;
}

ResultColumn field_column(const ResultField& field, std::size_t width) {
  ResultColumn column{field.name, dimensions_of(field), field.long_name, field.units};
  std::visit(
      [&]<class T, class Holder>(T Holder::*member) {
        if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          column.kind = CellKind::text;
          column.texts = [member, width](const Run& run, std::vector<std::string>& texts) {
            const std::size_t end = texts.size() + width;
            texts.insert(texts.end(), (run.*member).begin(), (run.*member).end());
            texts.resize(end);
          };
        } else if constexpr (!std::is_same_v<Holder, Trajectory>) {
          column.cells = [member, width, padding = field.padding](const Run& run, std::uint64_t* cells) {
            std::fill_n(cells, width, cell_of(padding));
            const Holder* held = holder_in<Holder>(run);
            if constexpr (std::is_same_v<T, double>) {
              if (held != nullptr) *cells = cell_of(held->*member);
            } else if (held != nullptr) {
              for (const double x : held->*member) *cells++ = cell_of(x);
            }
          };
        } else if constexpr (std::is_same_v<T, std::string>) {
          column.kind = CellKind::text;
          column.texts = [member](const Run& run, std::vector<std::string>& texts) {
            for (const Trajectory& trajectory : run.trajectories) texts.push_back(trajectory.*member);
          };
        } else {
          column.kind = std::is_same_v<T, double> ? CellKind::real : CellKind::integer;
          column.cells = [member](const Run& run, std::uint64_t* cells) {
            for (const Trajectory& trajectory : run.trajectories) *cells++ = cell_of(trajectory.*member);
          };
        }
      },
      field.member);
  return column;
}

/// A series of every trajectory; NaN if it has none.
ResultColumn series_column(const Variable& variable, const ResultShape& shape) {
  ResultColumn column{variable.name, series_dimensions(variable.along), variable.long_name, variable.units};
  const std::size_t row = shape.width(variable.along), steps = shape.steps;
  column.cells = [=, name = variable.name, along = variable.along](const Run& run, std::uint64_t* cells) {
    const std::size_t width = width_of(run, along);
    for (const Trajectory& trajectory : run.trajectories) {
      std::fill_n(cells, steps * row, cell_of(nan));
      if (const auto found = trajectory.series.find(name); found != trajectory.series.end()) {
        const std::vector<double>& series = found->second;
        for (std::size_t i = 0; i < series.size(); ++i)
          cells[i / width * row + i % width] = cell_of(series[i]);
      }
      cells += steps * row;
    }
  };
  if (variable.name.find("_predicted") != std::string::npos || !variable.source.empty())
    column.attributes = {{"source", variable.source}, {"validity", variable.validity}};
  return column;
}

}  // namespace

std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape) {
  std::vector<ResultColumn> columns;
  std::map<std::string, std::string> keys;  // by name in the file
  for (const auto& [key, text] : head.parameters) {
    const auto [place, fresh] = keys.emplace(parameter_variable(key), key);
    if (!fresh) throw std::logic_error(fmt::format("{} and {} share a name in the file", place->second, key));
  }
  for (const auto& [name, key] : keys)
    columns.push_back(parameter_column(name, key, head.parameters.at(key)));
  for (const ResultField& field : result_fields()) {
    if (shape.has(field)) columns.push_back(field_column(field, shape.width(field.along)));
  }
  for (const Variable& variable : head.described.variables) columns.push_back(series_column(variable, shape));
  return columns;
}

}  // namespace rarefact
