#pragma once

/// The associative memory on column matrices: identity embeddings (or the task basis), wrong answers of a
/// column equal.

#include "rarefact/algebra/column_matrix.hpp"
#include "rarefact/core/parallel.hpp"
#include "rarefact/model/gradient.hpp"
#include "rarefact/model/observation.hpp"
#include "rarefact/model/spectrum.hpp"

namespace rarefact {

/// S = W. A column is the margin m = own - other, λ = ln(K-1) - m, and
///   G(l,l) = -p_l (error - α(K-1)/K),   G(k,l) = -G(l,l)/(K-1).
/// O(M) a step; tiles of columns are spread over the workers.
class ColumnMemory {
 public:
  using State = ColumnMatrix;

  /// Preconditions: K >= 2, 0 <= label_noise < 1.
  ColumnMemory(const ClassGroups& groups, double label_noise);

  State zero() const { return ColumnMatrix(structure_); }
  std::vector<Cell> cells() const;
  /// Gradient and observation at W; either may be null.
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                const Workers& workers) const;
  /// Ẽᵀ W E = W.
  const State& logits(const State& w) const { return w; }
  /// Ẽ X Eᵀ = X.
  State to_ambient(const State& x) const { return x; }

 private:
  SharedStructure structure_;
  Vector scaled_probability_;  // p / 2^exponent_, exactly
  double classes_, label_noise_;
  int exponent_;
};

}  // namespace rarefact
