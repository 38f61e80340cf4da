#include "algebra/smoothed_polar.hpp"

#include <cmath>
#include <limits>

#include "algebra/polar_halley.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// λ in the unit of x; at most a number whose sum with others is still one, where B is nothing beside it.
template <class Real>
Real in_units(double smoothing, int exponent) {
  using std::ldexp;
  const Real most = std::numeric_limits<Real>::max() / Real(1e30);
  return std::min(Real(ldexp(Real(smoothing), -exponent)), most);
}

/// reference_norms as in polar.hpp; empty: those of the columns. The stack is of full rank, so where λ is not
/// far below all of X products alone take its polar factor.
template <class Real>
MatrixOf<Real> smoothed(const MatrixOf<Real>& x, const Real& lambda, const VectorOf<Real>& reference_norms,
                        const Workers& workers) {
  using std::sqrt;
  if (!(lambda > Real(0))) return polar_factor<Real>(x, reference_norms, workers);
  const Real largest = x.cwiseAbs().maxCoeff();
  if (!(largest > Real(0))) return x;
  // In units of the larger of the two, whose squares neither over- nor underflow.
  const Real unit = std::max(lambda, largest);
  MatrixOf<Real> stacked(x.rows() + x.cols(), x.cols());
  stacked.topRows(x.rows()) = x / unit;
  stacked.bottomRows(x.cols()) = (lambda / unit) * MatrixOf<Real>::Identity(x.cols(), x.cols());
  VectorOf<Real> references(reference_norms.size());
  for (Index j = 0; j < references.size(); ++j) {
    const Real noise = reference_norms(j) / unit, ours = lambda / unit;
    references(j) = sqrt(Real(noise * noise + ours * ours));
  }
  if constexpr (std::is_same_v<Real, double>) {
    const double most_graded = 1e-4;
    if (lambda > most_graded * unit && x.cols() >= smallest_for_halley) {
      if (const auto polar = halley_polar(stacked, workers)) return polar->topRows(x.rows());
    }
  }
  return polar_factor<Real>(stacked, references, workers).topRows(x.rows());
}

}  // namespace

DenseMatrix smoothed_polar(const DenseMatrix& x, double smoothing, int exponent, const Workers& workers) {
  return {smoothed<double>(x.entries, in_units<double>(smoothing, exponent), {}, workers)};
}

template <class Real>
SymmetricMatrix<Real> smoothed_polar(const SymmetricMatrix<Real>& x, double smoothing, int exponent,
                                     const Workers& workers) {
  const Real lambda = in_units<Real>(smoothing, exponent);
  return mapped_parts(x, [&](const MatrixOf<Real>& part, const VectorOf<Real>& reference_norms) {
    return smoothed<Real>(part, lambda, reference_norms, workers);
  });
}

template SymmetricMatrix<double> smoothed_polar(const SymmetricMatrix<double>&, double, int, const Workers&);
template SymmetricMatrix<Real50> smoothed_polar(const SymmetricMatrix<Real50>&, double, int, const Workers&);

}  // namespace rarefact
