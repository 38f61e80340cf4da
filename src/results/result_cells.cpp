#include "results/result_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace rarefact {

namespace {

constexpr std::uint64_t nan_cell = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

std::uint64_t cell_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
std::uint64_t cell_of(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}

}  // namespace

CellWriter index_cells() {
  return [](const Run& run, std::uint64_t* cells) { *cells = cell_of(run.index); };
}

CellWriter trajectory_cells(double Trajectory::*member) {
  return [member](const Run& run, std::uint64_t* cells) {
    for (const Trajectory& trajectory : run.trajectories) *cells++ = cell_of(trajectory.*member);
  };
}
CellWriter trajectory_cells(std::int64_t Trajectory::*member) {
  return [member](const Run& run, std::uint64_t* cells) {
    for (const Trajectory& trajectory : run.trajectories) *cells++ = cell_of(trajectory.*member);
  };
}

CellWriter group_cells(std::vector<double> Run::*member, std::size_t width, double filler) {
  return [=](const Run& run, std::uint64_t* cells) {
    for (const double x : run.*member) *cells++ = cell_of(x);
    std::fill_n(cells, width - (run.*member).size(), cell_of(filler));
  };
}

CellWriter series_cells(const Variable& variable, std::size_t steps, std::size_t row) {
  return [=, name = variable.name, per_class = variable.per_class](const Run& run, std::uint64_t* cells) {
    const std::size_t width = per_class ? run.class_count.size() : 1;
    for (const Trajectory& trajectory : run.trajectories) {
      std::fill_n(cells, steps * row, nan_cell);
      if (const auto found = trajectory.series.find(name); found != trajectory.series.end()) {
        const std::vector<double>& series = found->second;
        for (std::size_t i = 0; i < series.size(); ++i)
          cells[i / width * row + i % width] = cell_of(series[i]);
      }
      cells += steps * row;
    }
  };
}

TextWriter trajectory_texts(std::string Trajectory::*member) {
  return [member](const Run& run, std::vector<std::string>& texts) {
    for (const Trajectory& trajectory : run.trajectories) texts.push_back(trajectory.*member);
  };
}

CellWriter parameter_cells(const std::string& key) {
  return [key](const Run& run, std::uint64_t* cells) {
    const auto found = run.parameters.find(key);
    *cells = found == run.parameters.end() ? nan_cell : cell_of(std::get<double>(found->second));
  };
}

TextWriter parameter_texts(const std::string& key) {
  return [key](const Run& run, std::vector<std::string>& texts) {
    const auto found = run.parameters.find(key);
    if (found == run.parameters.end()) {
      texts.emplace_back();
      return;
    }
    const auto* text = std::get_if<std::string>(&found->second);
    texts.push_back(text != nullptr ? *text : fmt::format("{}", std::get<double>(found->second)));
  };
}

}  // namespace rarefact
