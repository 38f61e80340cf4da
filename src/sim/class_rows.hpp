#pragma once

/// The rows of the per-class results: class groups, every class, requested classes, or the nodes of a quadrature; and
/// from the cells of an engine to these rows.

#include <algorithm>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/observation.hpp"
#include "model/sampled_classes.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// A row shows a whole group, or the mean of `width` consecutive classes from first_class on. Classes are numbered from 1
/// in the order of the spectrum, ranks from 1, the most frequent class first: these agree unless a spectrum lists rarer
/// classes before others. Both are real numbers at quadrature nodes.
struct ClassRows {
  bool groups = false;              ///< row i is group i of the spectrum; else first_class gives the classes
  Index width = 1;                  ///< classes per row, if first_class gives them
  std::vector<double> first_class;  ///< the number of the first class of the row
  std::vector<double> log_rank;     ///< ln of the row's rank; of its middle class if there are several
  std::vector<double> count;        ///< number of classes that the row represents
  std::vector<double> probability;  ///< of one of them; the mean if they differ
  std::vector<std::size_t> group;   ///< of a spectrum that is written out; of an answer law the query type
  std::vector<double> answer_rank = {};  ///< for a smooth answer law; else empty
  void add(double first, double rank, double classes, double p, std::size_t of_group = 0);
  std::size_t size() const { return first_class.size(); }
  /// The numbers of every row's classes, row by row: size() x width; of a group that of its first class.
  std::vector<double> places() const;
  /// Their ranks in the smooth law; of a group the middle rank.
  std::vector<double> ranks() const;
};

/// True if all groups may be shown: there are at most 4,096, or no nodes can stand for them.
bool shows_groups(const Spectrum& spectrum);

/// The classes of the list in run.classes, or all, or the groups; where those are too many panel nodes, whatever rule an optimizer
/// runs on: real classes in the head, where compressed nodes sit on classes and nothing between them could be
/// interpolated; or, of samples of classes that are not written out, the octaves of ranks. Where the classes are written
/// out, nodes are moved to whole ranks. Of a law of answers the nodes are answers; a row is as a group of all the queries
/// that the node stands for, the likeliest first, and its rank the middle one of theirs.
ClassRows rows_of(const Experiment& experiment, const Spectrum& spectrum);

/// The row of the user's table, from 0, for each of these rows; -1 if it represents several. Empty without a
/// table.
std::vector<Index> table_rows(const ClassRows& rows, const Spectrum& spectrum);

/// Converts values per cell of an exact engine to values per row of the result: means over the cells of a
/// group, or the value of a class's cell.
class CellsToRows {
 public:
  /// Groups are in the order of the ranks, and so are cells of a group.
  CellsToRows(const std::vector<Cell>& cells, const ClassRows& rows);
  /// Cells are the sampled classes, and last all others.
  CellsToRows(const SampledClasses& met, const ClassRows& rows);
  /// Cells from `first` on are the classes of the rows, one row after the other.
  CellsToRows(std::size_t first, const ClassRows& rows);
  std::size_t rows() const { return rows_; }
  /// Writes as many values to `out`.
  template <class Real>
  void operator()(const std::vector<Real>& per_cell, Real* out) const {
    std::fill(out, out + rows_, Real(0));
    for (const Share& share : shares_) out[share.row] += Real(share.weight) * per_cell[share.cell];
  }

 private:
  struct Share {
    std::size_t row, cell;
    double weight;
  };

  std::size_t rows_;
  std::vector<Share> shares_;
};

}  // namespace rarefact
