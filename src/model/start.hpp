#pragma once

/// Where training starts: W(0), or its factors U(0) and V(0).

#include "model/embedding.hpp"

namespace rarefact {

struct StartRow : CatalogueRow {
  /// W(0) is a matrix of the task basis, Ẽ c I Eᵀ, so that every engine can store it and orthonormal embeddings have no effect.
  bool in_task_basis = false;
  bool of_attributes = false;  ///< for queries that are sums of attributes; equal on their orbits
  bool drawn = false;          ///< at random, so that no row or column belongs to one class
};

/// The kinds of a start: zero, aligned, gaussian, orthogonal, manifold, file.
const std::vector<StartRow>& start_catalogue();
/// The row of a kind that validation has accepted.
const StartRow& start_row(const std::string& kind);

/// A drawn start, from the stream "init" at step `factor`: 0 for W or U, 1 for V. Entries N(0, ε²) column by column; or
/// (orthogonal) ε Q with Q Haar-distributed, whose columns are orthonormal, or rows where there are fewer.
Matrix drawn_start(const std::string& kind, double scale, Index rows, Index columns, std::uint64_t seed,
                   std::uint64_t factor);

/// The parameter of `file` with the path of W, U (factor 0) or V (1).
const char* start_path(std::size_t factor, bool product);
/// Throws InputError unless an array of a file has the shape of W.
void require_start_shape(const std::string& path, const ArrayShape& shape, double rows, double columns,
                         const char* height = "d_out", const char* width = "d_in");

}  // namespace rarefact
