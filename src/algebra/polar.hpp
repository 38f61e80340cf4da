#pragma once

/// The exact polar factor msgn(X) = U_r V_rᵀ of X = U Σ Vᵀ over the nonzero singular values.
///
/// Rank. A column counts as dependent when, in a QR factorisation with column pivoting, what remains of it is
/// at most rank_tolerance times *its own* reference norm. So the decision does not depend on how widely the
/// columns are scaled: the residual (P̂ - Π) diag(p) keeps its tail classes however rare they are, and its
/// exact left null vector 1 is dropped however large rounding makes it. Zero singular values map to zero.
///
/// Accuracy. For X = Y D, D diagonal, the error is a small multiple of eps κ(Y), independent of D:
/// Householder QR and rotations from the left are backward stable column by column, a perturbation ΔY D = (ΔY
/// Y⁺) X is one from the left, and dX = F X moves the polar factor by at most ‖F‖, because (σ_i M_ij - σ_j
/// M_ji)/(σ_i + σ_j) is bounded by max |M|. For a general X the error is of the order eps σ_max/σ_min, that
/// of the problem itself.
///
/// Measured for I - 11ᵀ/n with columns of sizes k^-2, n = 16 and 64, beside 50 digits, on a busy core with AVX2: the error
/// is at most 2e-15 and 2e-14 (Frobenius norm), refined or from scratch, in 7 and 180 us, or 22 and 640.

#include "algebra/ranked_qr.hpp"
#include "algebra/singular_values.hpp"
#include "core/archive.hpp"
#include "core/parallel.hpp"

namespace rarefact {

/// X = U Σ V_rᵀ, r = rank; V_r is the first r columns of the orthogonal V, whose last n - r span the null
/// space.
template <class Real>
struct SingularBasis {
  MatrixOf<Real> u;  ///< m x r
  MatrixOf<Real> v;  ///< n x n
  Index rank() const { return u.cols(); }
};

/// The factorisation behind msgn, from scratch. reference_norms: for every column the norm to which its
/// rounding noise is relative (empty: the norm of the column itself); larger than the column's norm if the
/// column was computed with cancellation.
template <class Real>
SingularBasis<Real> singular_basis(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {},
                                   Index max_rank = any_rank);

/// The same without the null space: v is n x r.
template <class Real>
SingularBasis<Real> range_basis(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {},
                                Index max_rank = any_rank);

/// msgn(X) from scratch.
template <class Real>
MatrixOf<Real> polar_factor(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {},
                            const Workers& workers = Workers::serial(), Index max_rank = any_rank);

/// Nonzero singular values, descending, with the rank decision above.
template <class Real>
VectorOf<Real> nonzero_singular_values(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {});

/// Known properties of the matrices along a trajectory.
struct PolarHint {
  /// Products with unstructured embeddings have mixed the columns. (In the task basis columns may have any
  /// size, and the singular basis changes slowly along the trajectory.)
  bool mixed_columns = false;
  /// A unit vector u with uᵀX = 0 for every X; null if none is known.
  std::shared_ptr<const Vector> left_null = nullptr;
  /// In a repetition: the largest rank that the run has found, because random rounding must not add directions.
  Index max_rank = any_rank;
  /// The rank, of a symmetric matrix that of its trivial part, is at most this in exact arithmetic. Pivots that are small
  /// remainders of long columns have errors far above the rounding of short columns, which then seem independent.
  Index known_rank = any_rank;
};

/// Properties of a matrix, found while its polar factor is computed.
struct PolarSeen {
  double rank = 0;  ///< of a symmetric matrix: equal parts are counted once
  bool zero_columns = false;
  double least = 0;  ///< WarmStartPolar::least(); 0 if unknown
};

/// Follows the polar factor of a slowly changing matrix. If the basis (U, V) of an earlier step still nearly
/// diagonalises X, B = UᵀXV is nearly diagonal and msgn(B) a product of rotations Q = S + (1 + S²)^½ with S skew,
///
///     S B + Bᵀ S = B - Bᵀ,    B <- Qᵀ B.
///
/// S is found by corrections (R_ij - R_ji)/(B_ii + B_jj), R = B - S B, which never divide by a gap of singular
/// values, so clusters are harmless, and which for X = Y D lose nothing to a wide D: the error of B_ij is eps B_jj,
/// divided by at least B_jj. A handful of products replaces a factorisation of 15 to 20. Corrections shrink by the
/// size of B's entries beside its diagonal; when that grows, U and V are rotated together so that it is small again.
/// When X has moved too far (|S| too large, no convergence, the range or the rank changed) the basis is computed
/// from scratch. If X has new nonzero columns, as momenta of samples have, no earlier basis is near, and the method for
/// nearly orthogonal columns (polar_columns.hpp) comes first. The result agrees with polar_factor(X) to
/// rounding, or to a few times 1000 n eps if X has lower rank than rows: a range that turned by less counts as unchanged.
/// A run is deterministic because this history is part of the run.
template <class Real>
class WarmStartPolar {
 public:
  /// msgn(X); remembers the basis for the next call. reference_norms as in singular_basis.
  MatrixOf<Real> operator()(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {},
                            const Workers& workers = Workers::serial(), Index max_rank = any_rank);

  /// The smallest nonzero singular value of the last X over the largest, within a few percent; 0 if unknown.
  Real least() const { return least_; }

  /// The number of calls answered by refinement, and from scratch (for benchmarks and tests).
  Index refined() const { return refined_; }
  Index from_scratch() const { return from_scratch_; }

  void exchange(Archive& archive) { archive(basis_.u, basis_.v, age_, refined_, from_scratch_, grows_); }

 private:
  SingularBasis<Real> basis_;
  Real least_ = Real(0);
  Index age_ = 0;  // refinements since the basis was computed, or rotated further
  Index refined_ = 0;
  Index from_scratch_ = 0;
  bool grows_ = false;  // the shape of X has changed
};

}  // namespace rarefact
