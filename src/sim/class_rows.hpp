#pragma once

/// From the cells of an engine to the rows of a result: class groups, every class, requested classes, or the
/// nodes of a quadrature.

#include <algorithm>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/observation.hpp"
#include "model/sampled_classes.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// Rows of the per-class results. A row shows a whole group, or the mean of `width` consecutive classes from
/// first_class on. Classes are numbered from 1 in the order of the spectrum, ranks from 1, the most frequent
/// class first: these agree unless a spectrum lists rarer classes before others. Both are real numbers at
/// quadrature nodes.
struct ClassRows {
  bool groups = false;              ///< row i is group i of the spectrum; else first_class gives the classes
  Index width = 1;                  ///< classes per row, if first_class gives them
  std::vector<double> first_class;  ///< the number of the first class of the row
  std::vector<double> log_rank;     ///< ln of the row's rank; of its middle class if there are several
  std::vector<double> count;        ///< number of classes that the row represents
  std::vector<double> probability;  ///< of one of them; the mean if they differ
  std::vector<double> answer_rank = {};  ///< for a smooth answer law; else empty
  void add(double first, double rank, double classes, double p);
  std::size_t size() const { return first_class.size(); }
  /// The numbers of every row's classes, row by row: size() x width; of a group that of its first class.
  std::vector<double> places() const;
  /// Their ranks in the smooth law; of a group the middle rank.
  std::vector<double> ranks() const;
};

/// The position of a class in a sequence of groups.
struct RankAt {
  std::size_t group;
  double rank;  ///< within the group, from 1
};
std::vector<RankAt> ranks_among(const std::vector<double>& count, const std::vector<double>& ranks);

/// A row for each group.
ClassRows group_rows(const ClassGroups& groups);
/// The same for a spectrum that is written out, with the answers of its queries.
ClassRows group_rows(const Spectrum& spectrum);

/// A row for the class of each of these ranks.
ClassRows rows_at(const std::vector<double>& ranks, const Spectrum& spectrum);

/// One row a node of the panel rule over blocks of `width` classes of a smooth law. Where the classes are written out, so that
/// an engine may hold each of them, nodes are moved to whole ranks. Of a law of answers the nodes are answers; a row is as a
/// group of all the queries that the node stands for, the likeliest first, and its rank the middle one of theirs.
ClassRows panel_rows(const Spectrum& spectrum, Index width);

/// The ranks that an experiment requests: those of all classes, in the order of the spectrum, or of a list,
/// ascending and without repetition. Precondition: these classes exist, and groups are not requested.
std::vector<double> requested_ranks(const ClassRule& rule, const Spectrum& spectrum);

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
