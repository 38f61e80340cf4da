#pragma once

/// The singular value decomposition with the rank decision of polar.hpp, and functions of it.

#include <functional>

#include "algebra/polar.hpp"

namespace rarefact {

/// X = U diag(σ) Vᵀ over the nonzero singular values, descending.
template <class Real>
struct RankedSvd {
  MatrixOf<Real> u;  ///< m x r
  VectorOf<Real> sigma;
  MatrixOf<Real> v;  ///< n x r
  Index rank() const { return sigma.size(); }
};

/// For X = Y D, D diagonal, every σ has a relative error of a small multiple of eps κ(Y), for any D.
/// reference_norms as in singular_basis. X must be finite.
template <class Real>
RankedSvd<Real> ranked_svd(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms = {},
                           const Workers& workers = Workers::serial(), Index max_rank = any_rank);

/// A function of singular values or eigenvalues.
template <class Real>
using SpectralMap = std::function<Real(const Real&)>;

/// U f(Σ) Vᵀ over the nonzero singular values.
template <class Real>
MatrixOf<Real> mapped_singular_values(const RankedSvd<Real>& svd, const SpectralMap<Real>& f,
                                      const Workers& workers);

/// Singular values that differ by less than this, relative to the larger one, share their singular vectors.
inline constexpr double min_gap = 1e-8;

}  // namespace rarefact
