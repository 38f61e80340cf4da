#include "rarefact/algebra/polar_halley.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rarefact/algebra/cholesky.hpp"
#include "rarefact/algebra/polar.hpp"
#include "rarefact/algebra/product.hpp"

namespace rarefact {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// The least ratio of singular values that weights are chosen for: their square times epsilon must stay small
/// against 1 for the Cholesky factors of [√c A; I] to be repaired.
constexpr double least_weighted = 1e-8;
/// Ratios below are lost in the rounding of AᵀA.
constexpr double least_resolved = 3e-7;
constexpr Index pass_tile = 32;  // columns of an elementwise pass

struct Weights {
  double a, b, c;
};

Weights weights(double l) {
  const double square = l * l;
  const double d = std::cbrt(4 * (1 - square) / (square * square)), root = std::sqrt(1 + d);
  const double a = root + 0.5 * std::sqrt(8 - 4 * d + 8 * (2 - square) / (square * root));
  const double b = (a - 1) * (a - 1) / 4;
  return {a, b, a + b - 1};
}

double mapped(double sigma, const Weights& w) {
  const double square = sigma * sigma;
  return sigma * (w.a + w.b * square) / (1 + w.c * square);
}

/// y <- s y + t x, entry by entry.
void blend(Matrix& y, double s, double t, const Matrix& x, const Workers& workers) {
  workers.for_tiles(y.cols(), pass_tile, [&](Index begin, Index end) {
    y.middleCols(begin, end - begin) =
        s * y.middleCols(begin, end - begin) + t * x.middleCols(begin, end - begin);
  });
}

/// x in single precision, and back.
template <class To, class From>
MatrixOf<To> cast(const MatrixOf<From>& x, const Workers& workers) {
  MatrixOf<To> y(x.rows(), x.cols());
  workers.for_tiles(x.cols(), pass_tile, [&](Index begin, Index end) {
    y.middleCols(begin, end - begin) = x.middleCols(begin, end - begin).template cast<To>();
  });
  return y;
}

/// The product of matrices of which half the digits do, made in single precision.
Matrix rough_product(const Matrix& a, const Matrix& b, const Workers& workers) {
  return cast<double>(product(cast<float>(a, workers), cast<float>(b, workers), workers), workers);
}

Matrix scaled(const Matrix& x, double factor, const Workers& workers) {
  Matrix y(x.rows(), x.cols());
  workers.for_tiles(x.cols(), pass_tile, [&](Index begin, Index end) {
    y.middleCols(begin, end - begin) = factor * x.middleCols(begin, end - begin);
  });
  return y;
}

/// A unit vector no structure of a matrix is likely to be orthogonal to.
Vector probe(Index n) {
  Vector x(n);
  for (Index i = 0; i < n; ++i) x(i) = (i % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(i % 7) / 8);
  return x.normalized();
}

/// σ_max from AᵀA to some ten per cent; the iteration does not mind singular values a little above 1.
double largest_singular_value(const Matrix& gram) {
  Vector x = probe(gram.rows());
  double value = 0;
  for (int i = 0; i < 5; ++i) {
    const Vector y = gram * x;
    value = y.norm();
    if (!(value > 0)) return 0;
    x = y / value;
  }
  return std::min(1.1 * std::sqrt(value), std::sqrt(gram.trace()));
}

/// σ_min of a matrix with σ_max about 1 from its AᵀA, rather too small than too large, as weights for less
/// than σ_min only cost a little; nothing where rounding hides it.
std::optional<double> smallest_singular_value(const Matrix& gram, const Workers& workers) {
  const auto inverse = inverse_cholesky(gram, workers);
  if (!inverse) return std::nullopt;
  Vector x = probe(gram.rows());
  double value = 0;
  for (int i = 0; i < 3; ++i) {
    const Vector half = inverse->triangularView<Eigen::Lower>() * x;
    const Vector y = inverse->transpose().triangularView<Eigen::Upper>() * half;
    value = y.norm();
    if (!std::isfinite(value) || !(value > 0)) return std::nullopt;
    x = y / value;
  }
  const double sigma = 1 / std::sqrt(value), safety = 0.7;
  if (sigma < least_resolved) return std::nullopt;
  return safety * sigma;
}

/// The largest sum of a column's absolute values: no less than any eigenvalue of a symmetric matrix.
double norm_bound(const Matrix& x) {
  return x.cwiseAbs().colwise().sum().maxCoeff();
}

/// (I + c AᵀA)⁻¹ applied from the right, to c times epsilon.
Matrix solved_once(const Matrix& a, const Matrix& inverse, const Workers& workers) {
  return product(product(a, inverse.transpose(), workers), inverse, workers);
}

/// The same to epsilon. With Q = [√c A; I] L⁻ᵀ and QᵀQ = I + E it is Q_1 (I + E)⁻¹ Q_2ᵀ / √c.
Matrix solved_twice(const Matrix& a, double c, const Matrix& inverse, const Workers& workers) {
  const Matrix upper = product(a, scaled(inverse, std::sqrt(c), workers).transpose(), workers);
  Matrix defect = gram(upper, workers);
  blend(defect, 1, 1, product(inverse, inverse.transpose(), workers), workers);
  defect.diagonal().array() -= 1;
  // (I + E)⁻¹ L⁻¹ = L⁻¹ - E L⁻¹ + E² L⁻¹ - ...; each term is smaller by what E is, so only the first is made
  // in double precision.
  Matrix corrected = inverse;
  Matrix term = product(defect, inverse, workers);
  blend(corrected, 1, -1, term, workers);
  blend(corrected, 1, 1, rough_product(defect, term, workers), workers);
  return scaled(product(upper, corrected, workers), 1 / std::sqrt(c), workers);
}

/// A (AᵀA)^-½ = A (I + E/2 + 3/8 E² + 5/16 E³ + ...), E = I - AᵀA small.
Matrix orthonormalised(const Matrix& a, const Matrix& gram_of_a, const Workers& workers) {
  const Index n = a.cols();
  const Matrix defect = Matrix::Identity(n, n) - gram_of_a;
  const double size = norm_bound(defect);
  Matrix series = 0.5 * defect, power = defect;
  double coefficient = 0.5, magnitude = size * size;
  const double rough = std::numeric_limits<float>::epsilon();
  for (int k = 2; coefficient * magnitude > epsilon / 4 && k < 12; ++k, magnitude *= size) {
    coefficient *= (2.0 * k - 1) / (2.0 * k);
    if (magnitude * rough > epsilon / 4) {
      power = product(power, defect, workers);
    } else {
      power = rough_product(power, defect, workers);
    }
    blend(series, 1, coefficient, power, workers);
  }
  Matrix result = a;
  if (size * rough > epsilon / 2) {
    blend(result, 1, 1, product(a, series, workers), workers);
  } else {
    blend(result, 1, 1, rough_product(a, series, workers), workers);
  }
  return result;
}

}  // namespace

std::optional<Matrix> halley_polar(const Matrix& matrix, const Workers& workers) {
  const double unit = matrix.cwiseAbs().maxCoeff();
  if (!(unit > 0)) return std::nullopt;
  Matrix a = scaled(matrix, 1 / unit, workers);
  Matrix gram_of_a = gram(a, workers);
  const double sigma_max = largest_singular_value(gram_of_a);
  a = scaled(a, 1 / sigma_max, workers);
  gram_of_a = scaled(gram_of_a, 1 / (sigma_max * sigma_max), workers);
  // The smallest singular value of the iterate where it is known, and that of the first one: `amplified` is
  // by how much the iterations have raised small ones.
  std::optional<double> smallest = smallest_singular_value(gram_of_a, workers);
  double amplified = 1;
  const double rank_tolerance =
      rank_tolerance_factor * epsilon * static_cast<double>(std::max(a.rows(), a.cols()));
  const int most_iterations = 10;
  const double finishing = 1e-3;  // of ‖I - AᵀA‖
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Index n = a.cols();
    if (smallest && *smallest > 0.9 && norm_bound(Matrix::Identity(n, n) - gram_of_a) < finishing)
      return orthonormalised(a, gram_of_a, workers);
    const double l = std::min(smallest.value_or(least_weighted), 1 - 1e-12);
    const Weights w = weights(l);
    Matrix z = scaled(gram_of_a, w.c, workers);
    z.diagonal().array() += 1;
    const auto inverse = inverse_cholesky(std::move(z), workers);
    if (!inverse) return std::nullopt;
    // A plain solve is off by eps c, and an error of the iterate reaches the polar factor divided by l; the
    // problem itself is uncertain by eps over the first smallest singular value.
    const bool repair = w.c * (l / amplified) > 2 * l || !smallest;
    const Matrix solved =
        repair ? solved_twice(a, w.c, *inverse, workers) : solved_once(a, *inverse, workers);
    blend(a, w.b / w.c, w.a - w.b / w.c, solved, workers);
    gram_of_a = gram(a, workers);
    if (smallest) {
      amplified *= mapped(l, w) / l;
      smallest = mapped(l, w);
    } else {
      amplified *= w.a;
      smallest = smallest_singular_value(gram_of_a, workers);
      // Two rounds of amplification leave nothing that is not rounding.
      if (!smallest && iteration > 0) return std::nullopt;
      if (smallest && *smallest / amplified < rank_tolerance) return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace rarefact
