#pragma once

/// The rank of a matrix up to rounding, as polar.hpp explains it, by QR with column pivoting.

#include <limits>

#include "algebra/decompositions.hpp"

namespace rarefact {

/// A remainder of a column below this multiple of eps max(rows, columns) is rounding noise. Stored in result
/// files.
inline constexpr double rank_tolerance_factor = 16;

/// The remainder of a column, relative to its reference norm, up to which it is rounding noise; `longest`: the number of
/// rows or of columns, whichever is larger.
template <class Real>
Real rank_tolerance(Index longest) {
  return Real(rank_tolerance_factor * static_cast<double>(longest)) * std::numeric_limits<Real>::epsilon();
}
template <class Real>
Real rank_tolerance(const MatrixOf<Real>& x) {
  return rank_tolerance<Real>(std::max(x.rows(), x.cols()));
}

inline constexpr Index any_rank = std::numeric_limits<Index>::max() / 2;

/// The factorisation by which the rank is decided, at most `max_rank`. `reference_norms` as for singular_basis().
template <class Real>
PivotedQr<Real> ranked_qr(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                          Index max_rank = any_rank);

/// The same for doubles, of reference norms that are given and a remainder up to which a column is noise.
PivotedQr<double> ranked_qr_of_doubles(const Matrix& x, const Vector& norms, double tolerance,
                                       Index max_rank);

/// How the rank of a matrix was decided.
struct RankDecision {
  Index rank = 0;
  /// Columns taken for dependent whose rounding may hide the smallest remainder that was kept. It is right only if the
  /// dependence is exact.
  Index dropped = 0;
  bool general = true;  ///< no column depends on fewer others than the rank
};
template <class Real>
RankDecision rank_decision(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                           Index max_rank = any_rank);

}  // namespace rarefact
