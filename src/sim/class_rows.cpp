#include "rarefact/sim/class_rows.hpp"

#include <algorithm>

namespace rarefact {

ClassRows class_rows(const ClassGroups& groups, bool every_class) {
  ClassRows rows;
  rows.every_class = every_class;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double copies = every_class ? groups.count[i] : 1;
    for (double within = 0; within < copies; ++within) {
      rows.group.push_back(static_cast<Index>(i));
      rows.within.push_back(static_cast<Index>(within));
      rows.count.push_back(every_class ? 1 : groups.count[i]);
      rows.probability.push_back(groups.probability[i]);
    }
  }
  return rows;
}

CellsToRows::CellsToRows(std::vector<Cell> cells, const ClassRows& rows)
    : cells_(std::move(cells)), every_class_(rows.every_class) {
  // Cells of a group are consecutive: its first, and how many there are (1, the block size, or one a class).
  std::vector<std::size_t> first, number;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (c == 0 || cells_[c].group != cells_[c - 1].group) {
      first.push_back(c);
      number.push_back(0);
    }
    ++number.back();
  }
  if (every_class_) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto group = static_cast<std::size_t>(rows.group[row]);
      row_cell_.push_back(first[group] + static_cast<std::size_t>(rows.within[row]) % number[group]);
    }
  } else {
    row_classes_.assign(rows.size(), 0);
    for (const Cell& cell : cells_) row_classes_[static_cast<std::size_t>(cell.group)] += cell.classes;
  }
}

void CellsToRows::operator()(const std::vector<double>& per_cell, double* out) const {
  if (every_class_) {
    for (std::size_t row = 0; row < row_cell_.size(); ++row) out[row] = per_cell[row_cell_[row]];
    return;
  }
  std::fill(out, out + row_classes_.size(), 0.0);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto group = static_cast<std::size_t>(cells_[c].group);
    // A share of 1 keeps the value's last bit; that is the case wherever a group is one cell.
    const double share = cells_[c].classes / row_classes_[group];
    out[group] += share * per_cell[c];
  }
}

Totals totals(const std::vector<Cell>& cells, const Observation& observation, double irreducible_loss) {
  Totals t;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const double mass = cells[c].classes * cells[c].probability;
    t.excess_loss += mass * observation.excess_loss[c];
    if (observation.advantage[c] > 0) {
      t.recovered_count += cells[c].classes;
      t.recovered_weight += mass;
    }
  }
  t.loss = irreducible_loss + t.excess_loss;
  // p̂ = 1 - error, so the gap of the p̂ is the gap of the errors, without subtracting from 1.
  const auto [least, most] = std::minmax_element(observation.error.begin(), observation.error.end());
  t.gap = *most - *least;
  return t;
}

}  // namespace rarefact
