#include "algebra/polar_halley.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algebra/cholesky.hpp"
#include "algebra/polar.hpp"

namespace rarefact {

using namespace matrix_passes;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// The least ratio of singular values that weights are chosen for: their square times epsilon must stay small
/// against 1 for the Cholesky factors of [√c A; I] to be repaired.
constexpr double least_weighted = 1e-8;
/// Ratios below are lost in the rounding of AᵀA.
constexpr double least_resolved = 3e-7;

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

/// A unit vector no structure of a matrix is likely to be orthogonal to.
Vector probe(Index n) {
  Vector x(n);
  for (Index i = 0; i < n; ++i) x(i) = (i % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(i % 7) / 8);
  return x.normalized();
}

/// σ_min of a matrix with σ_max about 1 from f times this Gram matrix, rather too small than too large, as
/// weights for less than σ_min only cost a little; nothing where rounding hides it.
std::optional<double> smallest_singular_value(const Matrix& gram, double f, const Workers& workers) {
  const auto inverse = inverse_cholesky(shifted(gram, f, 0, workers), workers);
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

/// What an iteration makes of B: s B + t (I + c BBᵀ)⁻¹ B.
struct Blend {
  double s, t;
};

/// B <- s B + t F(B) for an F that takes columns by themselves: apply(columns of B, where F of them goes).
template <class Apply>
void blend(Matrix& b, const Blend& weights, const Workers& workers, const Apply& apply) {
  const Index n = b.rows();
  workers.for_tiles(b.cols(), product_tile(b.cols(), workers.threads()), [&](Index begin, Index end) {
    auto columns = b.middleCols(begin, end - begin);
    Matrix image(n, end - begin);
    apply(begin, view_of(columns), image.data());
    // Written out: where vectors begin depends on the tiles, and what is fused must not.
    double *entry = columns.data(), *of_image = image.data();
    for (Index i = 0; i < image.size(); ++i)
      entry[i] = std::fma(weights.s, entry[i], weights.t * of_image[i]);
  });
}

/// The inverse is off by c times epsilon. `inverse` is L⁻¹ of I + c BBᵀ = L Lᵀ.
void solve_once(Matrix& b, const Matrix& inverse, const Blend& weights, const Workers& workers) {
  const Index n = b.rows();
  const PackedFactor<double> lower(view_of(inverse), workers), upper(view_of(inverse).transposed(), workers);
  blend(b, weights, workers, [&](Index, const MatrixView<double>& columns, double* image) {
    Matrix half(n, columns.columns);
    lower.times(columns, half.data(), n);
    upper.times(view_of(half), image, n);
  });
}

/// E = c U Uᵀ + L⁻¹ L⁻ᵀ - I.
Matrix defect_of(const Matrix& u, double c, const Matrix& inverse, const Workers& workers) {
  const Index n = u.rows();
  Matrix defect(n, n);
  const PackedFactor<double> first(view_of(u), workers), second(view_of(inverse), workers);
  const Index tile = std::max<Index>(8, product_tile(n, workers.threads()) / 2);
  workers.for_tiles(n, tile, [&](Index begin, Index end) {
    auto columns = defect.middleCols(begin, end - begin);
    first.times(view_of(u).transposed().middle_columns(begin, end - begin), columns.data(), n, begin);
    columns.bottomRows(n - begin) *= c;
    second.add_times(view_of(inverse).transposed().middle_columns(begin, end - begin), columns.data(), n,
                     begin);
    for (Index j = begin; j < end; ++j) defect(j, j) -= 1;
  });
  mirror_lower(defect, workers);
  return defect;
}

/// The same to epsilon. With Q = [√c Bᵀ; I] L⁻ᵀ and QᵀQ = I + E it is L⁻ᵀ (I + E)⁻¹ U, U = L⁻¹ B.
void solve_twice(Matrix& b, double c, const Matrix& inverse, const Blend& weights, const Workers& workers) {
  const Index n = b.rows();
  const Matrix u = product(inverse, b, workers);
  const Matrix defect = defect_of(u, c, inverse, workers);
  // (I + E)⁻¹ L⁻¹ = L⁻¹ - E L⁻¹ + E² L⁻¹ - ...; each term is smaller by what E is, so only the first is made
  // in double precision.
  Matrix corrected = product(defect, inverse, workers);
  const MatrixOf<float> second = rough_product(defect, corrected, workers);
  for_columns(n, workers, [&](Index begin, Index count) {
    auto columns = corrected.middleCols(begin, count);
    columns = inverse.middleCols(begin, count) - columns + second.middleCols(begin, count).cast<double>();
  });
  const PackedFactor<double> left(view_of(corrected).transposed(), workers);
  blend(b, weights, workers, [&](Index begin, const MatrixView<double>& columns, double* image) {
    left.times(view_of(u).middle_columns(begin, columns.columns), image, n);
  });
}

/// (BBᵀ)^-½ B = (I + E/2 + 3/8 E² + 5/16 E³ + ...) B, E = I - BBᵀ small, of norm at most `size`.
void orthonormalise(Matrix& b, const Matrix& gram_of_b, double size, const Workers& workers) {
  const Index n = b.rows();
  const Matrix defect = Matrix::Identity(n, n) - gram_of_b;
  Matrix series = 0.5 * defect, power = defect;
  double coefficient = 0.5, magnitude = size * size;
  const double rough = std::numeric_limits<float>::epsilon();
  for (int k = 2; coefficient * magnitude > epsilon / 4 && k < 12; ++k, magnitude *= size) {
    coefficient *= (2.0 * k - 1) / (2.0 * k);
    if (magnitude * rough > epsilon / 4) {
      power = product(power, defect, workers);
    } else {
      power = cast<double>(rough_product(power, defect, workers), workers);
    }
    for_columns(n, workers, [&](Index begin, Index count) {
      series.middleCols(begin, count) += coefficient * power.middleCols(begin, count);
    });
  }
  if (size * rough > epsilon / 2) {
    const PackedFactor<double> left(view_of(series), workers);
    blend(b, {1, 1}, workers,
          [&](Index, const MatrixView<double>& columns, double* image) { left.times(columns, image, n); });
    return;
  }
  const MatrixOf<float> rough_series = cast<float>(series, workers);
  const PackedFactor<float> left(view_of(rough_series), workers);
  blend(b, {1, 1}, workers, [&](Index begin, const MatrixView<double>& columns, double* image) {
    const MatrixOf<float> right = b.middleCols(begin, columns.columns).cast<float>();
    MatrixOf<float> found(n, columns.columns);
    left.times(view_of(right), found.data(), n);
    Eigen::Map<Matrix>(image, n, columns.columns) = found.cast<double>();
  });
}

/// msgn(B), rows <= columns, from its Gram matrix.
std::optional<Matrix> wide_polar(const Matrix& matrix, Matrix gram_of_b, const Workers& workers) {
  // The iteration does not mind that σ_max is smaller than what it is scaled by.
  const double sigma_max = std::sqrt(std::min(gram_of_b.trace(), norm_bound(gram_of_b, 0, workers)));
  Matrix b = scaled(matrix, 1 / sigma_max, workers);
  // BBᵀ is `unit` times gram_of_b.
  double unit = 1 / (sigma_max * sigma_max);
  // The smallest singular value of the iterate where it is known, and that of the first one: `amplified` is
  // by how much the iterations have raised small ones.
  std::optional<double> smallest = smallest_singular_value(gram_of_b, unit, workers);
  double amplified = 1;
  const double rank_tolerance = rank_tolerance_factor * epsilon * static_cast<double>(b.cols());
  const int most_iterations = 10;
  const double finishing = 1e-3;  // of ‖I - BBᵀ‖
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (smallest && *smallest > 0.9) {
      if (unit != 1) gram_of_b = scaled(gram_of_b, std::exchange(unit, 1), workers);
      const double size = norm_bound(gram_of_b, 1, workers);
      if (size < finishing) {
        orthonormalise(b, gram_of_b, size, workers);
        return b;
      }
    }
    const double l = std::min(smallest.value_or(least_weighted), 1 - 1e-12);
    const Weights w = weights(l);
    const auto inverse = inverse_cholesky(shifted(gram_of_b, w.c * unit, 1, workers), workers);
    if (!inverse) return std::nullopt;
    // A plain solve is off by eps c, and an error of the iterate reaches the polar factor divided by l; the
    // problem itself is uncertain by eps over the first smallest singular value.
    const bool repair = w.c * (l / amplified) > 2 * l || !smallest;
    const Blend blended{w.b / w.c, w.a - w.b / w.c};
    if (repair) {
      solve_twice(b, w.c, *inverse, blended, workers);
    } else {
      solve_once(b, *inverse, blended, workers);
    }
    gram_of_b = gram_of_rows(b, workers);
    unit = 1;
    if (smallest) {
      amplified *= mapped(l, w) / l;
      smallest = mapped(l, w);
    } else {
      amplified *= w.a;
      smallest = smallest_singular_value(gram_of_b, unit, workers);
      // Two rounds of amplification leave nothing that is not rounding.
      if (!smallest && iteration > 0) return std::nullopt;
      if (smallest && *smallest / amplified < rank_tolerance) return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Matrix> halley_polar(const Matrix& a, const Workers& workers) {
  if (a.rows() > a.cols()) {
    auto polar = halley_polar(a.transpose(), workers);
    if (polar) polar = Matrix(polar->transpose());
    return polar;
  }
  Matrix gram_of_a = gram_of_rows(a, workers);
  const double trace = gram_of_a.trace(), least = 1e-200, most = 1e200;
  if (trace > least && trace < most) return wide_polar(a, std::move(gram_of_a), workers);
  // Squares that are no doubles, or nothing at all.
  const double unit = a.cwiseAbs().maxCoeff();
  if (!(unit > 0)) return std::nullopt;
  return halley_polar(scaled(a, 1 / unit, workers), workers);
}

}  // namespace rarefact
