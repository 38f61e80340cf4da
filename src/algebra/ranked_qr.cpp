#include "algebra/ranked_qr.hpp"

#include "algebra/singular_values.hpp"
#include "core/real50.hpp"

namespace rarefact {

template <class Real>
PivotedQr<Real> ranked_qr(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms, Index max_rank) {
  const VectorOf<Real> norms = reference_norms.size() > 0 ? reference_norms : column_norms(x);
  const Real tolerance = rank_tolerance(x);
  if constexpr (std::is_same_v<Real, double>) {
    constexpr Index smallest_for_lists = 24;  // below, its lists cost as much as it saves
    if (std::min(x.rows(), x.cols()) >= smallest_for_lists)
      return ranked_qr_of_doubles(x, norms, tolerance, max_rank);
  }
  return pivoted_qr(x, [&](const MatrixOf<Real>&, Index pivots, Index column, const Real& norm) {
    return pivots >= max_rank || norm <= tolerance * norms(column);
  });
}

template <class Real>
RankDecision rank_decision(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms, Index max_rank) {
  const Real tolerance = rank_tolerance(x);
  const PivotedQr<Real> qr = ranked_qr(x, reference_norms, max_rank);
  RankDecision decided{qr.r.rows()};
  std::vector<Index> others;  // the columns that are noise
  for (Index j = 0; j < x.cols(); ++j)
    if (std::ranges::find(qr.pivots, j) == qr.pivots.end()) others.push_back(j);
  if (decided.rank == 0 || others.empty()) return decided;
  const MatrixOf<Real> triangle = qr.r(Eigen::all, qr.pivots);
  const Real smallest = triangle.diagonal().cwiseAbs().minCoeff();
  decided.dropped =
      std::ranges::count_if(others, [&](Index j) { return tolerance * reference_norms(j) > smallest; });
  MatrixOf<Real> parts = qr.r(Eigen::all, others);
  triangle.template triangularView<Eigen::Upper>().solveInPlace(parts);
  constexpr double rounding = 1e4;
  const Real largest = parts.cwiseAbs().maxCoeff();
  decided.general = parts.cwiseAbs().minCoeff() > Real(rounding) * tolerance * largest;
  return decided;
}

template PivotedQr<double> ranked_qr<double>(const Matrix&, const Vector&, Index);
template RankDecision rank_decision<double>(const Matrix&, const Vector&, Index);
template PivotedQr<Real50> ranked_qr<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&, Index);
template RankDecision rank_decision<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&, Index);

}  // namespace rarefact
