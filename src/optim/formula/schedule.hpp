#pragma once

/// The order in which the values of a formula are computed: matrix operations of a level, then all entrywise ones of
/// that level at once.

#include "optim/formula/calculus.hpp"

namespace rarefact::formula {

/// Entrywise operations on values of one shape, in the order of the graph.
struct TileGroup {
  int rows = leg::one, columns = leg::one;
  std::vector<int> nodes;
};

struct Stage {
  std::vector<int> matrix_operations;
  std::vector<TileGroup> groups;  ///< numbers, then vectors, then matrices
};

struct Schedule {
  std::vector<Stage> stages;
  std::vector<bool> stored;  ///< nodes whose value outlives their group
  /// Of a node that is what a state becomes, the state's leaf where nothing reads the old value later: it is overwritten.
  /// -1 elsewhere.
  std::vector<int> in_place;
  /// Entrywise results that are brought back to about 1, so that none is a product of many numbers: their readers have a
  /// later level.
  std::vector<bool> recentred;
  /// Nodes that a run computes from each node.
  std::vector<std::vector<int>> readers;
  std::vector<bool> exact_zeros;  ///< what rounding leaves of a zero would become as large as anything
};

/// A value that is computed as a whole, not entry by entry. Without Gram factors (columns) sums of X Xᵀ are matrices.
bool as_a_whole(const Graph& graph, const std::vector<Trait>& traits, int node, bool gram_factors);

Schedule schedule_of(const Graph& graph, const std::vector<Trait>& traits, bool gram_factors);

}  // namespace rarefact::formula
