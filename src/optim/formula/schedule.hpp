#pragma once

/// The order of computing the values of a formula: by level, matrix operations before entrywise ones.

#include "optim/formula/calculus.hpp"

namespace rarefact::formula {

/// Entrywise operations on values of one shape, in the order of the graph.
struct TileGroup {
  int rows = axis::single, columns = axis::single;
  std::vector<int> nodes;
  std::vector<int> reads = {};  ///< matrices from elsewhere
};

struct Stage {
  std::vector<int> matrix_operations;
  std::vector<TileGroup> groups;  ///< numbers, then vectors, then matrices
};

struct Schedule {
  std::vector<Stage> stages;
  std::vector<bool> stored;  ///< nodes whose value is needed beyond their group
  /// For a state's new value, its leaf if the old value is not read later and can be overwritten; else -1.
  std::vector<int> in_place;
  /// Entrywise results that are rescaled to about 1, so that no product of many numbers overflows; their
  /// readers have a later level.
  std::vector<bool> recentred;
  /// The readers of each node.
  std::vector<std::vector<int>> readers;
  std::vector<bool> exact_zeros;  ///< nodes whose rounding noise must be set to zero
};

/// True if a value is computed by a matrix operation, not entrywise. Without Gram factors (columns), sums of
/// X Xᵀ are ordinary matrices.
bool as_a_whole(const Graph& graph, const std::vector<Trait>& traits, int node, bool gram_factors);

/// True if an entrywise operation sends zeros of matrices to zeros, whatever its numbers are.
bool keeps_zeros(const Compiled& rule, int node);

Schedule schedule_of(const Graph& graph, const std::vector<Trait>& traits, bool gram_factors);

}  // namespace rarefact::formula
