#pragma once

/// What becomes of the states that a training shows.

#include "core/archive.hpp"
#include "metrics/probe.hpp"
#include "rarefact/result.hpp"
#include "sim/answer_groups.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// Receives the recorded states of a run in order, and what probes find there.
class Recorder : public Measurements {
 public:
  Recorder(std::size_t records, Trajectory& trajectory) : records_(records), trajectory_(trajectory) {}
  /// The state at the `record`-th recorded step. The entries of `seen` belong to the cells of the memory.
  virtual void state(std::size_t record, const Observation& seen) = 0;
  void number(const std::string& variable, double value) override { present(variable, 1)[0] = value; }
  /// Saves or loads what was received, unless it is in the trajectory.
  virtual void exchange(Archive&) {}

 protected:
  /// Where the present record's values of a variable stand, so many of them.
  double* present(const std::string& variable, std::size_t width);

  std::size_t records_, record_ = 0;
  Trajectory& trajectory_;
};

/// Writes the measured series of an exact engine to a trajectory: totals, and the rows of the result.
class RowRecorder : public Recorder {
 public:
  RowRecorder(const std::vector<Cell>& cells, CellsToRows to_rows, std::size_t rows, std::size_t records,
              const LossScale& scale, Trajectory& trajectory, const std::vector<double>& row_least = {});
  void state(std::size_t record, const Observation& seen) override;
  void cells(const std::string& variable, const std::vector<double>& per_cell) override {
    to_rows_(per_cell, present(variable, rows_));
  }
  /// Of a law of answers: what is recorded of them besides.
  void measure_answers(AnswerMeasures measures) { answers_ = std::move(measures); }

 private:
  CellWeights<double> weights_;
  CellsToRows to_rows_;
  std::size_t rows_;
  LossScale scale_;
  std::vector<double> row_least_;  // L_l* of every row; empty where it is L* of all
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
