#include "algebra/polar_variants.hpp"

#include <fmt/format.h>

#include <cmath>

#include "algebra/polar_newton.hpp"
#include "algebra/product.hpp"
#include "algebra/ranked_svd.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

using std::ldexp, std::sqrt;

/// 1/(f ‖x‖ + δ 2^-exponent), the factor from x to X_0; 0 for x = 0 and if δ is far larger.
template <class Real>
Real first_scale(const PolarPolynomial& polynomial, const Real& norm, int exponent) {
  if (norm == Real(0)) return norm;
  return Real(1) / Real(Real(polynomial.norm_factor) * norm + ldexp(Real(polynomial.norm_offset), -exponent));
}

/// The polynomial steps on one matrix, with Gram matrices of its shorter side.
template <class Real>
MatrixOf<Real> after_steps(const std::vector<Quintic>& steps, MatrixOf<Real> x, const Workers& workers) {
  const bool tall = x.rows() > x.cols();
  for (const Quintic& q : steps) {
    const MatrixOf<Real> gram =
        tall ? product(x.transpose(), x, workers) : product(x, x.transpose(), workers);
    MatrixOf<Real> factor = Real(q[2]) * product(gram, gram, workers);
    factor += Real(q[1]) * gram;
    const MatrixOf<Real> rest = tall ? product(x, factor, workers) : product(factor, x, workers);
    x = Real(q[0]) * x + rest;
  }
  return x;
}

/// λ in the unit of x, bounded so that sums with other numbers are finite (B is negligible then).
template <class Real>
Real in_units(double smoothing, int exponent) {
  const Real bound = std::numeric_limits<Real>::max() / Real(1e30);
  return std::min(Real(ldexp(Real(smoothing), -exponent)), bound);
}

/// X (XᵀX + λ²I)^-½. reference_norms as in polar.hpp; empty: those of the columns. Column x has an error of a small multiple of
/// ε‖x‖/λ, also where λ is far above it: as the polar factor of the stack of X and λI it would have one of ε.
template <class Real>
MatrixOf<Real> smoothed(const MatrixOf<Real>& x, const Real& lambda, const VectorOf<Real>& reference_norms,
                        const Workers& workers) {
  if (!(lambda > Real(0))) return polar_factor<Real>(x, reference_norms, workers);
  const Real largest = x.cwiseAbs().maxCoeff();
  if (!(largest > Real(0))) return x;
  if constexpr (std::is_same_v<Real, double>) {
    // In units of the larger of the two, so that squares neither overflow nor underflow. Newton's method multiplies X by
    // polynomials of XᵀX, which keeps its columns.
    const double max_graded = 1e-4, unit = std::max(lambda, largest);
    if (lambda > max_graded * unit && x.cols() >= smallest_for_newton) {
      Matrix stacked(x.rows() + x.cols(), x.cols());
      stacked.topRows(x.rows()) = x / unit;
      stacked.bottomRows(x.cols()) = (lambda / unit) * Matrix::Identity(x.cols(), x.cols());
      if (const auto polar = newton_polar(stacked, workers)) return polar->topRows(x.rows());
    }
  }
  const auto f = [&](const Real& value) {
    const Real unit = std::max(lambda, value), a = value / unit, b = lambda / unit;
    return Real(a / sqrt(Real(a * a + b * b)));
  };
  return mapped_singular_values<Real>(ranked_svd<Real>(x, reference_norms, workers), f, workers);
}

}  // namespace

const Quintic& newton_schulz_step() {
  static constexpr Quintic step = {3.4445, -4.7750, 2.0315};
  return step;
}

const std::vector<Quintic>& polar_express_steps() {
  static const std::vector<Quintic> steps = {
      {8.237312490, -23.157747415, 16.680568411}, {4.082441999, -2.893047735, 0.525284926},
      {3.926347992, -2.854746803, 0.531802242},   {3.298218713, -2.424541981, 0.486320084},
      {2.297036943, -1.636625581, 0.400262846},   {1.876380535, -1.234789658, 0.358918875},
      {1.856442349, -1.213244988, 0.356800349},   {1.856432730, -1.213231972, 0.356796833},
      {1.856431164, -1.213228903, 0.356795328},   {1.874995478, -1.249990955, 0.374995478}};
  return steps;
}

std::vector<Quintic> taken_steps(const std::vector<Quintic>& list, std::size_t number) {
  std::vector<Quintic> steps = list;
  steps.resize(number, list.back());
  return steps;
}

template <class M>
M polar_polynomial(const PolarPolynomial& polynomial, const M& x, int exponent, const Workers& workers) {
  using Real = typename M::Scalar;
  const Real scale = first_scale(polynomial, frobenius_norm(x), exponent);
  return mapped_parts(x, [&](MatrixOf<Real>& part, const VectorOf<Real>&) {
    part = after_steps<Real>(polynomial.steps, scale * part, workers);
  });
}

ColumnMatrix polar_polynomial(const PolarPolynomial& polynomial, const ColumnMatrix& x, int exponent,
                              const Workers&) {
  ColumnMatrix y = with_all_columns(x);
  y.right *= first_scale(polynomial, frobenius_norm(y), exponent);
  return map_values(y, [&](double value) {
    for (const Quintic& q : polynomial.steps) value = value_at(q, value);
    return value;
  });
}

template <class M>
std::string shortfall(const PolarPolynomial& polynomial, const M& x, int exponent, const M& image) {
  using Real = typename M::Scalar;
  const Real norm = frobenius_norm(x), first = norm * first_scale(polynomial, norm, exponent);
  if (norm == Real(0)) return "";
  std::string text;
  if (Real(polynomial.norm_factor) * first < Real(0.5))
    text = fmt::format("δ = {:g} is above the norm {:.2g} of the matrix that the polynomial takes",
                       polynomial.norm_offset, static_cast<double>(ldexp(norm, exponent)));
  double gain = 1;
  for (const Quintic& q : polynomial.steps) gain *= q[0];
  constexpr double linear = 0.97;  // the largest singular value is then lifted to about 0.5 at most
  const Real lifted = frobenius_norm(image);
  if (gain > 0 && lifted > Real(linear * gain) * first && linear * lifted < Real(gain) * first) {
    const std::size_t steps = polynomial.steps.size();
    text +=
        fmt::format("{}{} of the polynomial only multipl{} it by {:.3g}", text.empty() ? "" : ", and ",
                    steps == 1 ? "1 step" : fmt::format("{} steps", steps), steps == 1 ? "ies" : "y", gain);
  }
  return text;
}

template <class M>
M smoothed_polar(const M& x, double smoothing, int exponent, const Workers& workers) {
  using Real = typename M::Scalar;
  const Real lambda = in_units<Real>(smoothing, exponent);
  return mapped_parts(x, [&](MatrixOf<Real>& part, const VectorOf<Real>& norms) {
    if (!is_wide(part)) {
      part = smoothed<Real>(part, lambda, norms, workers);
    } else if (!(lambda > Real(0))) {
      to_polar(part, norms, workers);
    } else {
      // The stack has as many columns as X, so for a wide X that of the transpose is smaller and has full rank.
      part = smoothed<Real>(part.transpose(), lambda, {}, workers).transpose().eval();
    }
  });
}

ColumnMatrix smoothed_polar(const ColumnMatrix& x, double smoothing, int exponent, const Workers&) {
  return map_values(x, [lambda = in_units<double>(smoothing, exponent)](double value) {
    return value / std::hypot(value, lambda);
  });
}

template std::string shortfall(const PolarPolynomial&, const ColumnMatrix&, int, const ColumnMatrix&);

#define RAREFACT_VARIANTS(M)                                                          \
  template M polar_polynomial(const PolarPolynomial&, const M&, int, const Workers&); \
  template M smoothed_polar(const M&, double, int, const Workers&);                   \
  template std::string shortfall(const PolarPolynomial&, const M&, int, const M&);

RAREFACT_VARIANTS(DenseMatrix)
RAREFACT_VARIANTS(SymmetricMatrix<double>)
RAREFACT_VARIANTS(SymmetricMatrix<Real50>)

}  // namespace rarefact
