#pragma once

/// From the cells of an engine to the rows of a result: class groups, or every class.

#include <map>
#include <string>
#include <vector>

#include "rarefact/model/observation.hpp"
#include "rarefact/model/spectrum.hpp"

namespace rarefact {

/// Rows of the per-class results.
struct ClassRows {
  bool every_class = false;
  std::vector<Index> group;         ///< of the class spectrum
  std::vector<Index> within;        ///< place of the class in its group (every_class only; else 0)
  std::vector<double> count;        ///< classes the row stands for
  std::vector<double> probability;  ///< of one of them
  std::size_t size() const { return group.size(); }
};

ClassRows class_rows(const ClassGroups& groups, bool every_class);

/// Values of one quantity per row of the result from one per cell of the engine: means over the cells of a
/// group, or each class its own cell's value.
class CellsToRows {
 public:
  CellsToRows(std::vector<Cell> cells, const ClassRows& rows);
  /// Writes rows.size() values to `out`.
  void operator()(const std::vector<double>& per_cell, double* out) const;
  const std::vector<Cell>& cells() const { return cells_; }

 private:
  std::vector<Cell> cells_;
  bool every_class_;
  std::vector<std::size_t> row_cell_;  // every_class: the cell of each row
  std::vector<double> row_classes_;    // groups: classes in all cells of the row
};

/// loss, excess_loss, gap, recovered_count and recovered_weight of an observed state.
struct Totals {
  double loss = 0;
  double excess_loss = 0;
  double gap = 0;
  double recovered_count = 0;
  double recovered_weight = 0;
};
Totals totals(const std::vector<Cell>& cells, const Observation& observation, double irreducible_loss);

}  // namespace rarefact
