#include "sim/recorder.hpp"

#include <algorithm>
#include <limits>

namespace rarefact {

std::vector<double>& series_of(const std::string& name, std::size_t values, Trajectory& trajectory) {
  std::vector<double>& series = trajectory.series[name];
  if (series.empty()) series.assign(values, std::numeric_limits<double>::quiet_NaN());
  return series;
}

void prepare_series(std::size_t records, std::size_t rows, Trajectory& trajectory, bool squares) {
  for (const MetricRow* metric : class_metrics(squares))
    series_of(metric->name, records * (metric->per_class() ? rows : 1), trajectory);
}

CellWeights<double> weights_of(const std::vector<Cell>& cells, std::size_t number) {
  CellWeights<double> weights;
  for (std::size_t c = 0; c < number; ++c) weights.add(cells[c].classes, cells[c].probability);
  return weights;
}

double total_error(const double* totals) {
  for (const MetricRow* metric : class_metrics()) {
    if (metric->name == "error") break;
    ++totals;
  }
  return *totals;
}

RowRecorder::RowRecorder(const std::vector<Cell>& cells, CellsToRows to_rows, std::size_t rows,
                         std::size_t records, const LossScale& scale, Trajectory& trajectory,
                         const std::vector<double>& row_least)
    : weights_(weights_of(cells, cells.size())),
      to_rows_(std::move(to_rows)),
      rows_(rows),
      records_(records),
      scale_(scale),
      row_least_(row_least),
      trajectory_(trajectory) {
  prepare_series(records, rows_, trajectory_, scale.squares);
}

void RowRecorder::state(std::size_t record, const Observation& seen) {
  const MetricRows& metrics = class_metrics(scale_.squares);
  const std::vector<double> sums = totals<double>(metrics, seen, weights_);
  if (!scale_.squares) trajectory_.total_error = total_error(sums.data());
  std::vector<double> values;
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const MetricRow& metric = *metrics[m];
    const ClassMeasure& measure = metric.classes();
    std::vector<double>& series = trajectory_.series.at(metric.name);
    if (!metric.per_class()) {
      const auto known = measure.known ? seen.*measure.known : std::nullopt;
      series[record] = measure.metric(known.value_or(sums[m]), scale_);
      continue;
    }
    values.resize(weights_.size());
    measure.value(seen, 0, values.size(), values.data());
    double* row = &series[record * rows_];
    to_rows_(values, row);
    LossScale scale = scale_;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (!row_least_.empty()) scale.least = row_least_[r];
      row[r] = measure.metric(row[r], scale);
    }
  }
  if (!answers_) return;
  const LawMeasures law = (*answers_)(seen, weights_.mass);
  for (const MetricRow* metric : metrics_of(MetricKind::answers)) {
    const std::vector<double> numbers = metric->of(law);
    std::vector<double>& series = series_of(metric->name, records_ * numbers.size(), trajectory_);
    std::ranges::copy(numbers, series.begin() + static_cast<std::ptrdiff_t>(record * numbers.size()));
  }
}

void RowRecorder::twin_gain(std::size_t record, double gain) {
  series_of("twin_gain", records_, trajectory_)[record] = gain;
}

void RowRecorder::push(std::size_t record, const std::vector<double>& per_cell) {
  for (const MetricRow* metric : metrics_of(MetricKind::step))
    to_rows_(per_cell, &series_of(metric->name, records_ * rows_, trajectory_)[record * rows_]);
}

}  // namespace rarefact
