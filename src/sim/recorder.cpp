#include "sim/recorder.hpp"

#include <cmath>
#include <limits>

#include "metrics/metric.hpp"

namespace rarefact {

void prepare_series(std::size_t records, std::size_t rows, Trajectory& trajectory) {
  for (const MetricRow& metric : metric_catalogue()) {
    if (metric.kind != MetricKind::trajectory) continue;
    trajectory.series[metric.name].assign(records * (metric.per_class ? rows : 1),
                                          std::numeric_limits<double>::quiet_NaN());
  }
}

void add_loss_drop(double classes, Trajectory& trajectory) {
  const std::vector<double>& loss = trajectory.series.at("loss");
  std::vector<double>& drop = trajectory.series.at("loss_drop");
  for (std::size_t t = 0; t < loss.size(); ++t) drop[t] = 1 - loss[t] / std::log(classes);
}

RowRecorder::RowRecorder(std::vector<Cell> cells, const ClassRows& rows, std::size_t records,
                         double irreducible_loss, Trajectory& trajectory)
    : cells_(std::move(cells)),
      to_rows_(cells_, rows),
      rows_(rows.size()),
      records_(records),
      irreducible_loss_(irreducible_loss),
      trajectory_(trajectory) {
  prepare_series(records, rows_, trajectory_);
}

void RowRecorder::state(std::size_t record, const Observation& seen) {
  auto& series = trajectory_.series;
  const Totals sums = totals(cells_, seen, irreducible_loss_);
  trajectory_.total_error = sums.error;
  series["loss"][record] = sums.loss;
  series["excess_loss"][record] = sums.excess_loss;
  series["gap"][record] = sums.gap;
  series["recovered_count"][record] = sums.recovered_count;
  series["recovered_weight"][record] = sums.recovered_weight;
  series["soft_recovery"][record] = sums.soft_recovery;
  to_rows_(seen.error, &series["error"][record * rows_]);
  double* loss = &series["class_loss"][record * rows_];
  to_rows_(seen.excess_loss, loss);
  for (std::size_t row = 0; row < rows_; ++row) loss[row] += irreducible_loss_;
}

void RowRecorder::push(std::size_t record, const std::vector<double>& per_cell) {
  std::vector<double>& series = trajectory_.series["push"];
  if (series.empty()) series.assign(records_ * rows_, std::numeric_limits<double>::quiet_NaN());
  to_rows_(per_cell, &series[record * rows_]);
}

}  // namespace rarefact
