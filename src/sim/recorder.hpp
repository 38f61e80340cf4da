#pragma once

/// Recording of the states of a training.

#include "metrics/probe.hpp"
#include "sim/unit.hpp"

namespace rarefact {

/// Writes the recorded states of a run, and the measurements of probes, to the series of a trajectory: totals
/// over the cells of the memory, and the rows of the result.
class Recorder : public Measurements {
 public:
  /// All arguments except the cells and the scale must outlive it.
  Recorder(const std::vector<Cell>& cells, CellsToRows to_rows, const LearningProblem& problem,
           const LossScale& scale, Trajectory& trajectory);

  /// Measures answers, too; on an exact engine.
  void measure_answers(AnswerMeasures answers) { answers_ = std::move(answers); }
  /// Measures means over the bands of the problem, too.
  void measure_bands(CellsToRows to_bands) { to_bands_ = std::move(to_bands); }
  /// The state at the `record`-th recorded step. The entries of `seen` belong to the cells of the memory.
  void state(std::size_t record, const Observation& seen);
  void number(const std::string& variable, double value) override { present(variable, 1)[0] = value; }
  void cells(const std::string& variable, const std::vector<double>& per_cell) override {
    to_rows_(shown(per_cell), present(variable, problem_.rows.size()));
  }

 protected:
  /// The values from which rows are made: those of cells, or interpolated between them.
  virtual const Observation& shown(const Observation& seen) { return seen; }
  virtual const std::vector<double>& shown(const std::vector<double>& per_cell) { return per_cell; }
  virtual std::vector<double> totals_of(const MetricRows& metrics, const Observation& seen,
                                        const Observation& shown);
  virtual LawMeasures answers(const Observation& seen, const Observation& shown) const;
  /// The total of the i-th top-k error.
  virtual double top_total(std::size_t i, const Observation& seen, const Observation& shown) const;

  const LearningProblem& problem_;
  CellWeights<double> weights_;

 private:
  /// The place of the `width` values of a variable for the current record.
  double* present(const std::string& variable, std::size_t width);
  void write_bands(const std::string& variable, const std::vector<double>& per_cell,
                   const ClassMeasure& measure = {});
  void write_tops(const Observation& seen, const Observation& made_of);

  CellsToRows to_rows_;
  std::size_t record_ = 0;
  std::vector<decltype(Trajectory::series)::value_type*> written_ = {};
  std::size_t next_ = 0;  // of written_
  LossScale scale_;
  Trajectory& trajectory_;
  std::optional<AnswerMeasures> answers_ = {};
  std::optional<CellsToRows> to_bands_ = {};
};

/// Sets up the measured series that every trajectory has, filled with NaN.
void prepare_series(const LearningProblem& problem, Trajectory& trajectory);

}  // namespace rarefact
