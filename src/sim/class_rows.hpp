#pragma once

/// The rows of per-class results (class groups, every class, requested classes, or the nodes of a
/// quadrature), and the map from the cells of an engine to these rows.

#include "experiment/experiment.hpp"
#include "metrics/rank_band.hpp"
#include "model/observation.hpp"
#include "model/sampler.hpp"

namespace rarefact {

/// A group of classes, or one class. Places go from 1 group by group, ranks from 1 by frequency, ties in the order of the
/// spectrum: these agree unless a spectrum lists rarer classes before others, or equally likely queries are in several
/// groups because of their answers. Both are real numbers at quadrature nodes.
struct ClassRow {
  double first_class;      ///< the place of the class; of the first of a group
  double log_rank;         ///< ln of the row's rank; of its middle class if there are several
  double count;            ///< number of classes that the row represents
  double probability;      ///< of one of them; the mean if they differ
  std::size_t group = 0;   ///< if classes are written out; for an answer law its query type
  double answer_rank = 0;  ///< for a smooth answer law; else 0
};

struct ClassRows : std::vector<ClassRow> {
  bool groups = false;  ///< row i is group i of the spectrum; else first_class gives the classes
  /// The ranks in the smooth law of every row's class; for a group the middle rank.
  std::vector<double> ranks() const;
  /// Sets the classes of a run.
  void show(Run& run) const;
};

/// Groups in the order of their frequency.
struct ClassOrder {
  std::vector<std::size_t> by_rank;  ///< ties up to rounding in the order of the spectrum
  std::vector<double> place, rank;   ///< classes before each in the order of the groups, and by frequency
  std::vector<Index> place_at = {};  ///< of each rank, both from 0, where groups share ranks; else empty

  explicit ClassOrder(const ClassGroups& groups);
  explicit ClassOrder(const Spectrum& spectrum);
  /// The group of a place, counted from 0.
  std::size_t group_at(Index place) const;
};

/// True if all groups may be shown: there are at most 4,096, or the spectrum has no quadrature nodes.
bool shows_groups(const Spectrum& spectrum);

/// The rows of a result: the classes listed in run.classes, or all classes, or the groups. Too many groups are
/// replaced by the nodes of a panel rule, the same for every optimizer; in the head these are single classes,
/// between which nothing can be interpolated. For samples of classes that are not written out, the rows are
/// octaves of ranks. Nodes are moved to whole ranks if classes are written out. Under an answer law the nodes
/// are answers; a row is then the group of all queries of its answers, likeliest first, at their middle rank.
ClassRows rows_of(const Experiment& experiment, const Spectrum& spectrum);

/// The row of the user's table, from 0, for each row; -1 if it represents several. Empty without a table.
std::vector<Index> table_rows(const ClassRows& rows, const Spectrum& spectrum);

/// Converts values per cell of an exact engine to values per row of the result: means over the cells of a
/// group, or the value of a class's cell.
class CellsToRows {
 public:
  struct Share {
    std::size_t row, cell;
    double weight;
  };
  CellsToRows(std::size_t rows, std::vector<Share> shares) : rows_(rows), shares_(std::move(shares)) {}
  /// Groups are ordered by rank, and so are the cells of a group.
  CellsToRows(const std::vector<Cell>& cells, const ClassRows& rows);
  /// Cells are the sampled classes, then all others together.
  CellsToRows(const SampledClasses& sampled, const ClassRows& rows);
  /// All rows are the only cell.
  explicit CellsToRows(std::size_t rows);
  /// Cells from `first` on are the classes of the rows.
  CellsToRows(std::size_t first, const ClassRows& rows);
  std::size_t rows() const { return rows_; }
  /// Writes as many values to `out`.
  template <class Real>
  void operator()(const std::vector<Real>& per_cell, Real* out) const {
    std::fill(out, out + rows_, Real(0));
    for (const Share& share : shares_) out[share.row] += Real(share.weight) * per_cell[share.cell];
  }

 private:
  std::size_t rows_;
  std::vector<Share> shares_;
};

/// The bands of an experiment among its classes, and means over them on every engine.
/// The bands of run.bands in their order, then `medium` if they leave classes. Throws InputError if a band has no
/// class, bands overlap, or nothing says how often classes occur.
std::vector<ClassBand> bands_of(const Experiment& experiment, const Spectrum& spectrum);

/// The probability of all classes of a band.
double mass_of(const ClassBand& band, const Spectrum& spectrum);

/// The last rank of every range: no panel of a quadrature may extend across it.
std::vector<double> cuts_of(const std::vector<ClassBand>& bands);

/// Means over the classes of bands, from cells of an exact engine, each of which has classes of one group, of sampled
/// classes, or of nodes from the cell `first` on, whose panels end at the cuts.
CellsToRows over_bands(const std::vector<Cell>& cells, const std::vector<ClassBand>& bands,
                       const Spectrum& spectrum);
CellsToRows over_bands(const SampledClasses& sampled, const std::vector<ClassBand>& bands,
                       const Spectrum& spectrum);
CellsToRows over_bands(const QuadratureRule& nodes, std::size_t first, const std::vector<ClassBand>& bands);

}  // namespace rarefact
