#pragma once

/// What becomes of the states that a training loop shows.

#include "core/archive.hpp"
#include "metrics/metric.hpp"
#include "rarefact/result.hpp"
#include "sim/answer_groups.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// Receives the recorded states of a run in order.
struct StateSink {
  virtual ~StateSink() = default;
  /// The state at the `record`-th recorded step. The entries of `seen` belong to the cells of the memory.
  virtual void state(std::size_t record, const Observation& seen) = 0;
  /// What the next update does to the right logit of every cell, per unit of step size; after the state of
  /// the same step, if it is measured.
  virtual void push(std::size_t record, const std::vector<double>& per_cell) = 0;
  /// How much the next update multiplies a difference between twins by, at most.
  virtual void twin_gain(std::size_t, double) {}
  /// Saves or loads what was received, unless it is in the trajectory.
  virtual void exchange(Archive&) {}
};

/// Writes the measured series of an exact engine to a trajectory: totals, and the rows of the result.
class RowRecorder : public StateSink {
 public:
  RowRecorder(const std::vector<Cell>& cells, CellsToRows to_rows, std::size_t rows, std::size_t records,
              const LossScale& scale, Trajectory& trajectory, const std::vector<double>& row_least = {});
  void state(std::size_t record, const Observation& seen) override;
  void push(std::size_t record, const std::vector<double>& per_cell) override;
  void twin_gain(std::size_t record, double gain) override;
  /// Of a law of answers: what is recorded of them besides.
  void measure_answers(AnswerMeasures measures) { answers_ = std::move(measures); }

 private:
  CellWeights<double> weights_;
  CellsToRows to_rows_;
  std::size_t rows_, records_;
  LossScale scale_;
  std::vector<double> row_least_;  // L_l* of every row; empty where it is L* of all
  Trajectory& trajectory_;
  std::optional<AnswerMeasures> answers_ = {};
};

/// Sets up the measured series that every trajectory has, filled with NaN.
void prepare_series(std::size_t records, std::size_t rows, Trajectory& trajectory, bool squares = false);

/// The series of a metric that not every run measures, set up when it is first asked for.
std::vector<double>& series_of(const std::string& name, std::size_t values, Trajectory& trajectory);

/// How many classes each of the first `cells` cells stands for, and their probability.
CellWeights<double> weights_of(const std::vector<Cell>& cells, std::size_t number);

/// Σ_l p_l (1 - p̂(l|l)) among the totals of all class metrics.
double total_error(const double* totals);

}  // namespace rarefact
