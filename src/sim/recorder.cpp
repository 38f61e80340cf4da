#include "sim/recorder.hpp"

#include <algorithm>
#include <limits>

namespace rarefact {

std::vector<double>& series_of(const std::string& name, std::size_t values, Trajectory& trajectory) {
  std::vector<double>& series = trajectory.series[name];
  if (series.empty()) series.assign(values, std::numeric_limits<double>::quiet_NaN());
  return series;
}

double* Recorder::present(const std::string& variable, std::size_t width) {
  return &series_of(variable, records_ * width, trajectory_)[record_ * width];
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
    : Recorder(records, trajectory),
      weights_(weights_of(cells, cells.size())),
      to_rows_(std::move(to_rows)),
      rows_(rows),
      scale_(scale),
      row_least_(row_least) {
  prepare_series(records, rows_, trajectory_, scale.squares);
}

void RowRecorder::state(std::size_t record, const Observation& seen) {
  record_ = record;
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
  number("top1_error", law.top1_error);
  present("twin_gain", 1);  // NaN where the engine tells twins apart
  std::ranges::copy(law.answer_error, present("answer_error", law.answer_error.size()));
  std::ranges::copy(law.answer_loss, present("answer_loss", law.answer_loss.size()));
}

}  // namespace rarefact
