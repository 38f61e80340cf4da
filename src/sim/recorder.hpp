#pragma once

/// Recording of the states of a training.

#include <functional>

#include "metrics/probe.hpp"
#include "rarefact/result.hpp"
#include "sim/answer_groups.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// Writes the recorded states of a run, and what probes find there, to the measured series of a trajectory: totals over the
/// cells of the memory, and the rows of the result.
class Recorder : public Measurements {
 public:
  Recorder(const std::vector<Cell>& cells, CellsToRows to_rows, std::size_t rows, std::size_t records,
           const LossScale& scale, Trajectory& trajectory, const std::vector<double>& row_least = {});

  /// The state at the `record`-th recorded step. The entries of `seen` belong to the cells of the memory.
  void state(std::size_t record, const Observation& seen);
  void number(const std::string& variable, double value) override { present(variable, 1)[0] = value; }
  void cells(const std::string& variable, const std::vector<double>& per_cell) override {
    to_rows_(shown(per_cell), present(variable, rows_));
  }
  /// Of a law of answers: what is recorded of them besides, from what is seen and what rows are made of.
  using Answers = std::function<LawMeasures(const Observation& seen, const Observation& shown)>;
  void measure_answers(Answers answers) { answers_ = std::move(answers); }

 protected:
  /// What the rows are made of: cells themselves, or what stands between them.
  virtual const Observation& shown(const Observation& seen) { return seen; }
  virtual const std::vector<double>& shown(const std::vector<double>& per_cell) { return per_cell; }
  virtual std::vector<double> totals_of(const MetricRows& metrics, const Observation& seen,
                                        const Observation& shown);

  CellWeights<double> weights_;

 private:
  /// The place of the `width` values of a variable for the current record.
  double* present(const std::string& variable, std::size_t width);

  CellsToRows to_rows_;
  std::size_t rows_, records_, record_ = 0;
  LossScale scale_;
  std::vector<double> row_least_;  // L_l* of every row; empty if all are L*
  Trajectory& trajectory_;
  Answers answers_ = {};
};

/// Sets up the measured series that every trajectory has, filled with NaN.
void prepare_series(std::size_t records, std::size_t rows, Trajectory& trajectory, bool squares = false);

}  // namespace rarefact
