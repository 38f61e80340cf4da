#pragma once

// What every variable of a result file takes from a run.

#include <cstddef>
#include <string>
#include <vector>

#include "results/cell_stream.hpp"
#include "results/text_stream.hpp"

namespace rarefact {

CellWriter index_cells();

/// One cell or text for each trajectory.
CellWriter trajectory_cells(double Trajectory::*member);
CellWriter trajectory_cells(std::int64_t Trajectory::*member);
TextWriter trajectory_texts(std::string Trajectory::*member);

/// The values of the run's groups, padded to `width`.
CellWriter group_cells(std::vector<double> Run::*member, std::size_t width, double filler);

/// A series of every trajectory, NaN where there is none. `row`: cells of a step.
CellWriter series_cells(const Variable& variable, std::size_t steps, std::size_t row);

/// The value of a swept key; NaN or an empty text in a run that does not have it.
CellWriter parameter_cells(const std::string& key);
TextWriter parameter_texts(const std::string& key);

}  // namespace rarefact
