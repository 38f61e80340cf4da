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
RankDecision rank_decision(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms) {
  const Real tolerance = rank_tolerance(x);
  std::vector<Index> pivots_before,
      others;  // the columns that are noise, and the number of pivots before each
  const PivotedQr<Real> qr =
      pivoted_qr(x, [&](const MatrixOf<Real>&, Index pivots, Index column, const Real& norm) {
        if (!(norm <= tolerance * reference_norms(column))) return false;
        if (reference_norms(column) > Real(0)) pivots_before.push_back(pivots);
        return true;
      });
  RankDecision decided{qr.r.rows()};
  decided.dropped_early =
      std::ranges::count_if(pivots_before, [&](Index before) { return before < decided.rank; });
  for (Index j = 0; j < x.cols(); ++j)
    if (std::ranges::find(qr.pivots, j) == qr.pivots.end()) others.push_back(j);
  if (decided.rank == 0 || others.empty()) return decided;
  const MatrixOf<Real> triangle = qr.r(Eigen::all, qr.pivots);
  MatrixOf<Real> parts = qr.r(Eigen::all, others);
  triangle.template triangularView<Eigen::Upper>().solveInPlace(parts);
  constexpr double rounding = 1e4;
  const Real largest = parts.cwiseAbs().maxCoeff();
  decided.general = parts.cwiseAbs().minCoeff() > Real(rounding) * tolerance * largest;
  return decided;
}

template PivotedQr<double> ranked_qr<double>(const Matrix&, const Vector&);
template RankDecision rank_decision<double>(const Matrix&, const Vector&);
template PivotedQr<Real50> ranked_qr<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);
template RankDecision rank_decision<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);

}  // namespace rarefact
