#pragma once

/// msgn along a trajectory: the singular basis of an earlier step, refined by matrix products alone.

#include "algebra/polar.hpp"
#include "core/archive.hpp"

namespace rarefact {

/// Follows the polar factor of a slowly changing matrix. Where the basis (U, V) of an earlier step still
/// nearly diagonalises X, B = UᵀXV is nearly diagonal and msgn(B) = exp(S) with S skew, found by
///
///     S_ij += (C_ij - C_ji) / (C_ii + C_jj),    C = exp(-S) B,
///
/// which never divides by a gap of singular values, so clusters are harmless, and which for X = Y D loses
/// nothing to a wide D: the error of C_ij is eps C_jj, divided by at least C_jj. A handful of products
/// replaces a factorisation of 15 to 20. When X has moved too far (|S| too large, no convergence, the range
/// or the rank changed) the basis is computed afresh. The result agrees with polar_factor(X) to rounding; a
/// run is deterministic because the tracker's history is part of the run.
template <class Real>
class PolarTracker {
 public:
  /// msgn(X); remembers the basis for the next call. reference_norms as in singular_basis.
  MatrixOf<Real> operator()(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {},
                            const Workers& workers = Workers::serial());

  /// How many calls were answered by refinement and how many from scratch (for benchmarks and tests).
  Index refined() const { return refined_; }
  Index from_scratch() const { return from_scratch_; }

  void exchange(Archive& archive) { archive(basis_.u, basis_.v, age_, refined_, from_scratch_); }

 private:
  SingularBasis<Real> basis_;
  Index age_ = 0;  // refinements since the basis was computed
  Index refined_ = 0;
  Index from_scratch_ = 0;
};

extern template class PolarTracker<double>;

}  // namespace rarefact
