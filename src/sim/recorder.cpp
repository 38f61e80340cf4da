#include "sim/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace rarefact {

namespace {

auto& series_of(const std::string& name, std::size_t values, Trajectory& trajectory) {
  auto& series = *trajectory.series.try_emplace(name).first;
  if (series.second.empty()) series.second.assign(values, std::numeric_limits<double>::quiet_NaN());
  return series;
}

}  // namespace

void prepare_series(const LearningProblem& problem, Trajectory& trajectory) {
  for (const MetricRow* metric : class_metrics(problem.loss.squares))
    series_of(metric->name, problem.steps.size() * (metric->per_class() ? problem.rows.size() : 1),
              trajectory);
}

Recorder::Recorder(const std::vector<Cell>& cells, CellsToRows to_rows, const LearningProblem& problem,
                   const LossScale& scale, Trajectory& trajectory)
    : problem_(problem), to_rows_(std::move(to_rows)), scale_(scale), trajectory_(trajectory) {
  for (const Cell& cell : cells) weights_.add(cell.classes, cell.probability);
  prepare_series(problem, trajectory);
}

double* Recorder::present(const std::string& variable, std::size_t width) {
  // Every state writes the same variables in the same order, so they need not be looked up again.
  if (next_ == written_.size()) written_.push_back(nullptr);
  auto& series = written_[next_++];
  if (!series || series->first != variable)
    series = &series_of(variable, problem_.steps.size() * width, trajectory_);
  return &series->second[record_ * width];
}

std::vector<double> Recorder::totals_of(const MetricRows& metrics, const Observation& seen,
                                        const Observation&) {
  return totals<double>(metrics, seen, weights_);
}

LawMeasures Recorder::answers(const Observation& seen, const Observation&) const {
  return answers_.value()(seen, weights_.mass);
}

double Recorder::top_total(std::size_t i, const Observation& seen, const Observation&) const {
  return std::inner_product(weights_.mass.begin(), weights_.mass.end(), seen.top[i].begin(), 0.0);
}

void Recorder::write_bands(const std::string& variable, const std::vector<double>& per_cell,
                           const ClassMeasure& measure) {
  if (!to_bands_) return;
  double* band = present("band_" + variable, to_bands_->rows());
  (*to_bands_)(per_cell, band);
  LossScale scale = scale_;
  for (std::size_t b = 0; b < to_bands_->rows(); ++b) {
    scale.least = problem_.band_least[b];
    band[b] = measure.metric(band[b], scale);
  }
}

void Recorder::write_tops(const Observation& seen, const Observation& made_of) {
  for (std::size_t i = 0; i < made_of.top.size(); ++i) {
    const std::string name = fmt::format("top_error_{:.0f}", made_of.top_ranks[i]);
    to_rows_(made_of.top[i], present(name, problem_.rows.size()));
    number("total_" + name, top_total(i, seen, made_of));
    write_bands(name, made_of.top[i]);
  }
}

void Recorder::state(std::size_t record, const Observation& seen) {
  record_ = record;
  next_ = 0;
  const Observation& made_of = shown(seen);
  const MetricRows& metrics = class_metrics(scale_.squares);
  const std::vector<double> sums = totals_of(metrics, seen, made_of);
  std::vector<double> values;
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const MetricRow& metric = *metrics[m];
    const ClassMeasure& measure = metric.classes();
    if (measure.last_total) trajectory_.*measure.last_total = sums[m];
    if (!metric.per_class()) {
      const auto known = measure.known ? seen.*measure.known : std::nullopt;
      number(metric.name, measure.metric(known.value_or(sums[m]), scale_));
      continue;
    }
    values.resize(made_of.excess_loss.size());
    measure.value(made_of, 0, values.size(), values.data());
    double* row = present(metric.name, problem_.rows.size());
    to_rows_(values, row);
    LossScale scale = scale_;
    for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
      if (!problem_.row_least.empty()) scale.least = problem_.row_least[r];
      row[r] = measure.metric(row[r], scale);
    }
    write_bands(metric.name, values, measure);
  }
  for (const std::size_t a : {0, 1})
    if (!seen.attribute_error[a].empty()) cells(attribute_error_name(a), seen.attribute_error[a]);
  write_tops(seen, made_of);
  if (!problem_.answers || scale_.squares) return;
  const LawMeasures law = answers(seen, made_of);
  number("top1_error", law.top1_error);
  present("twin_gain", 1);  // NaN if the engine stores identical classes separately
  std::ranges::copy(law.answer_error, present("answer_error", law.answer_error.size()));
  std::ranges::copy(law.answer_loss, present("answer_loss", law.answer_loss.size()));
}

}  // namespace rarefact
