#pragma once

/// What becomes of the states that a training loop shows.

#include "rarefact/sim/class_rows.hpp"
#include "rarefact/sim/result.hpp"

namespace rarefact {

/// Receives the recorded states of a run in order.
struct StateSink {
  virtual ~StateSink() = default;
  /// The state at the `record`-th recorded step. The entries of `seen` belong to the cells of the memory.
  virtual void state(std::size_t record, const Observation& seen) = 0;
};

/// Writes the measured series of an exact engine to a trajectory: totals, and the rows of the result.
class RowRecorder : public StateSink {
 public:
  RowRecorder(std::vector<Cell> cells, const ClassRows& rows, std::size_t records, double irreducible_loss,
              Trajectory& trajectory);
  void state(std::size_t record, const Observation& seen) override;

 private:
  std::vector<Cell> cells_;
  CellsToRows to_rows_;
  std::size_t rows_;
  double irreducible_loss_;
  Trajectory& trajectory_;
};

/// Sets up the measured series that every trajectory has, filled with NaN.
void prepare_series(std::size_t records, std::size_t rows, Trajectory& trajectory);

}  // namespace rarefact
