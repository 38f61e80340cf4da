#include "algebra/ranked_qr.hpp"

#include <algorithm>

#include "algebra/singular_values.hpp"
#include "core/real50.hpp"

namespace rarefact {

template <class Real>
PivotedQr<Real> ranked_qr(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms) {
  const VectorOf<Real> norms = reference_norms.size() > 0 ? reference_norms : column_norms(x);
  const Real tolerance = rank_tolerance(x);
  return pivoted_qr(x, [&](const MatrixOf<Real>&, Index, Index column, const Real& norm) {
    return norm <= tolerance * norms(column);
  });
}

template <class Real>
ColumnRange<Real> column_range(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms) {
  const PivotedQr<Real> qr = ranked_qr(x, reference_norms);
  const Index rank = qr.r.rows();
  return {rank, qr.q(x.rows()).rightCols(x.rows() - rank)};
}

template <class Real>
bool ColumnRange<Real>::contains(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms) const {
  if (x.rows() != complement.rows()) return false;
  constexpr int lenient = 4;  // X carries the roundings of earlier steps
  const MatrixOf<Real> outside = complement.transpose() * x;
  for (Index j = 0; j < x.cols(); ++j) {
    if (!(safe_norm(outside.col(j)) <= Real(lenient) * rank_tolerance(x) * reference_norms(j))) return false;
  }
  return true;
}

template <class Real>
void raise_rank(MatrixOf<Real>& x, const VectorOf<Real>& reference_norms, Index most,
                const std::function<bool()>& negative) {
  const PivotedQr<Real> qr = ranked_qr(x, reference_norms);
  Index rank = qr.r.rows();
  most = std::min({most, x.rows(), x.cols()});
  if (rank >= most) return;
  const MatrixOf<Real> q = qr.q(most);
  for (Index j = 0; j < x.cols() && rank < most; ++j) {
    // Exact zeros hide no rank.
    if (reference_norms(j) == Real(0) || std::ranges::find(qr.pivots, j) != qr.pivots.end()) continue;
    const Real size = Real(4) * rank_tolerance(x) * reference_norms(j);
    x.col(j) += (negative() ? Real(-size) : size) * q.col(rank++);
  }
}

template PivotedQr<double> ranked_qr<double>(const Matrix&, const Vector&);
template struct ColumnRange<double>;
template ColumnRange<double> column_range<double>(const Matrix&, const Vector&);
template void raise_rank<double>(Matrix&, const Vector&, Index, const std::function<bool()>&);
template PivotedQr<Real50> ranked_qr<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);
template struct ColumnRange<Real50>;
template ColumnRange<Real50> column_range<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);
template void raise_rank<Real50>(MatrixOf<Real50>&, const VectorOf<Real50>&, Index,
                                 const std::function<bool()>&);

}  // namespace rarefact
