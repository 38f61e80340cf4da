#pragma once

/// Bands of classes as ranges of ranks, and the class rows of a run that a mean over one needs.

#include <cstddef>
#include <utility>

#include "rarefact/result.hpp"

namespace rarefact {

/// Ranks from `first` to `last`, whole numbers.
struct RankRange {
  double first, last;
  double classes() const { return last - first + 1; }
};

/// The classes of a band of run.bands.
struct ClassBand {
  std::string name;
  std::vector<RankRange> ranges;
  double classes() const;
};

struct RankBand {
  std::vector<std::pair<std::size_t, double>> rows = {};  ///< row, and the number of its classes in the band
  bool of_nodes = false;     ///< some of the rows are quadrature nodes, so the mean is approximate
  std::string problem = {};  ///< why the rows do not have every class of the band, and what to do; else empty
};

/// True if the rows are nodes of a quadrature, which stand for fractional numbers of classes.
bool has_nodes(const Run& run);

/// False if the rows lack some of the classes, as those of a list in run.classes do; they then have less than the
/// whole probability.
bool has_all_classes(const Run& run);

/// The classes of a range. Rows show single classes or groups; a band that cuts a group
/// is a problem, because the row is a mean over the whole group. A quadrature node stands for as many consecutive
/// ranks as its weight (each such range has its node in it), and the ends of a band may cut these.
RankBand rank_band(const Run& run, const RankRange& range);

}  // namespace rarefact
