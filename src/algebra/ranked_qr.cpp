#include "algebra/ranked_qr.hpp"

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

template PivotedQr<double> ranked_qr<double>(const Matrix&, const Vector&);
template PivotedQr<Real50> ranked_qr<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);

}  // namespace rarefact
