#include "algebra/polar_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/cholesky.hpp"
#include "algebra/lu.hpp"
#include "algebra/polar.hpp"
#include "algebra/small_inverse.hpp"
#include "core/random.hpp"

namespace rarefact {

using namespace matrix_passes;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// ‖I - BBᵀ‖ below which the series is used; above, an inverse is cheaper than its terms.
constexpr double finishing = 0.03;

/// An estimate of ‖X‖, more likely too small than too large, from a vector that is unlikely to be orthogonal
/// to structures of X.
double norm_estimate(const Matrix& x, const Workers& workers) {
  const Index tile = 128;
  Vector probe(x.cols()), image(x.rows());
  RandomStream(0, "norm").fill_normal(0, {probe.data(), static_cast<std::size_t>(probe.size())});
  for (int i = 0; i < 2; ++i) {
    probe.normalize();
    workers.for_tiles(image.size(), tile, [&](Index begin, Index end) {
      image.segment(begin, end - begin) = x.middleRows(begin, end - begin) * probe;
    });
    workers.for_tiles(probe.size(), tile, [&](Index begin, Index end) {
      probe.segment(begin, end - begin) = x.middleCols(begin, end - begin).transpose() * image;
    });
  }
  return std::sqrt(probe.norm());
}

constexpr double estimated = 1.4;  ///< typical factor by which a norm may exceed its estimate

/// B <- (ζ B + Z/ζ)/2, Z columns of B⁻ᵀ. Written as a loop, so that fused operations do not depend on the
/// tiles.
void average(double zeta, const Eigen::Ref<const Matrix>& z, Eigen::Ref<Matrix> b) {
  const double of_b = zeta / 2, of_z = 0.5 / zeta;
  for (Index j = 0; j < b.cols(); ++j) {
    double* entry = b.col(j).data();
    const double* other = z.col(j).data();
    for (Index i = 0; i < b.rows(); ++i) entry[i] = std::fma(of_b, entry[i], of_z * other[i]);
  }
}

/// A B, which is known to be symmetric; in single precision if `error` allows it.
Matrix symmetric(const Matrix& a, const Matrix& b, double error, const Workers& workers) {
  const double rough = std::numeric_limits<float>::epsilon();
  if (error * rough > 2 * epsilon) return symmetric_product(view_of(a), view_of(b), workers);
  const MatrixOf<float> left = cast<float>(a, workers), right = cast<float>(b, workers);
  return cast<double>(symmetric_product(view_of(left), view_of(right), workers), workers);
}

/// S = (I - E)^-½ - I = c_1 E + c_2 E² + ... for ‖E‖ <= size: with T = E² it is r_1, r_i = c_i E + c_(i+1) T + T r_(i+2).
Matrix series(const Matrix& e, const Matrix& square, double size, const Workers& workers) {
  std::vector<double> c = {1};
  const auto next = [&c] {
    const auto k = static_cast<double>(c.size());
    return c.back() * (2 * k - 1) / (2 * k);
  };
  for (double power = size; c.size() < 3 || next() * power > 2 * epsilon; power *= size * size) {
    c.push_back(next());
    c.push_back(next());
  }
  Matrix r;
  for (std::size_t i = c.size() - 2; i < c.size(); i -= 2) {
    const bool last = r.size() == 0;
    Matrix sum =
        last ? Matrix(e.rows(), e.rows()) : symmetric(square, r, c[i + 2] * std::pow(size, i + 2), workers);
    for_columns(e.rows(), workers, [&](Index begin, Index count) {
      const auto terms = c[i] * e.middleCols(begin, count) + c[i + 1] * square.middleCols(begin, count);
      auto columns = sum.middleCols(begin, count);
      if (last) {
        columns = terms;
      } else {
        columns += terms;
      }
    });
    r = std::move(sum);
  }
  return r;
}

/// Orthonormalises B with BBᵀ near I and ‖I - BBᵀ‖ about `expected`. Returns a bound of ‖I - BBᵀ‖, and leaves
/// B unchanged if that is too large.
double orthonormalise(Matrix& b, double expected, const Workers& workers) {
  const Index n = b.rows();
  Matrix e = gram(view_of(b).transposed(), workers);
  for_columns(n, workers, [&](Index begin, Index count) {
    for (Index j = begin; j < begin + count; ++j) {
      e.col(j) = -e.col(j);
      e(j, j) += 1;
    }
  });
  const double largest = e.norm();
  if (!(largest < 0.5 * std::sqrt(static_cast<double>(n)))) return largest;
  const Matrix square = symmetric(e, e, largest * largest, workers);
  const double size =
      std::min(std::sqrt(square.norm()), std::max(expected, estimated * norm_estimate(e, workers)));
  if (!(size < 2 * finishing)) return size;
  const Matrix s = series(e, square, size, workers);
  const PackedFactor<double> left(view_of(s), workers);
  workers.for_tiles(n, product_tile(n, workers.threads()), [&](Index begin, Index end) {
    auto columns = b.middleCols(begin, end - begin);
    const Matrix before = columns;
    left.add_times(view_of(before), columns.data(), n);
  });
  return size;
}

/// msgn of a square matrix; fills_last as in LuFactors.
std::optional<Matrix> square_polar(Matrix b, bool fills_last, const Workers& workers) {
  const Index n = b.rows();
  Matrix inverse(n, n);
  {
    const auto lu = LuFactors::of(b, fills_last, workers);
    if (!lu) return std::nullopt;
    if (fills_last) b.col(n - 1) = lu->filled();
    lu->inverse_transposed(workers, [&](Index begin, const Eigen::Ref<const Matrix>& columns) {
      inverse.middleCols(begin, columns.cols()) = columns;
    });
  }
  const double largest = norm_estimate(b, workers), inverse_largest = norm_estimate(inverse, workers);
  if (!(largest * inverse_largest * rank_tolerance_factor * epsilon * static_cast<double>(n) < 1))
    return std::nullopt;
  const double above = std::min(b.norm(), estimated * largest);
  const double inverse_above = std::min(inverse.norm(), estimated * inverse_largest);
  const double zeta = std::sqrt(inverse_above / above);
  for_columns(n, workers, [&](Index begin, Index count) {
    average(zeta, inverse.middleCols(begin, count), b.middleCols(begin, count));
  });
  inverse.resize(0, 0);
  // Singular values of B lie between 1 and this.
  const auto next_bound = [](double kappa) { return (std::sqrt(kappa) + 1 / std::sqrt(kappa)) / 2; };
  double bound = next_bound(above * inverse_above);
  const int max_iterations = 12;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    double scale = 1 / std::sqrt(bound);
    if (bound * bound - 1 < finishing) {
      const double middle = (1 + bound * bound) / 2;
      b = scaled(b, 1 / std::sqrt(middle), workers);
      const double size = orthonormalise(b, (middle - 1) / middle, workers);
      if (size < 2 * finishing) return b;
      // An estimate was too small.
      scale = 1;
      bound = 1 + size;
    }
    if (n <= largest_small_inverse) {
      const auto small = small_inverse_transposed(b);
      if (!small) return std::nullopt;
      average(scale, *small, b);
    } else {
      const auto lu = LuFactors::of(b, false, workers);
      if (!lu) return std::nullopt;
      lu->inverse_transposed(workers, [&](Index begin, const Eigen::Ref<const Matrix>& columns) {
        average(scale, columns, b.middleCols(begin, columns.cols()));
      });
    }
    bound = next_bound(bound);
  }
  return std::nullopt;
}

/// An orthonormal basis of the columns of a matrix, up to rounding of the largest singular value; nullopt if
/// they are dependent.
std::optional<Matrix> orthonormal_basis(Matrix q, const Workers& workers) {
  const auto m = static_cast<double>(q.rows()), n = static_cast<double>(q.cols());
  for (const double shift : {11 * (m * n + n * (n + 1)) * epsilon, 0.0, 0.0}) {
    const Matrix g = gram(view_of(q), workers);
    const auto inverse = inverse_cholesky(shifted(g, 1, shift * norm_bound(g, 0, workers), workers), workers);
    if (!inverse) return std::nullopt;
    q = product(q, inverse->transpose(), workers);
  }
  return q;
}

/// msgn of a matrix with no more columns than rows.
std::optional<Matrix> tall_polar(const Matrix& a, const Workers& workers) {
  const Index rows = a.rows(), columns = a.cols();
  if (rows == columns) return square_polar(a, false, workers);
  if (rows == columns + 1) {
    Matrix square(rows, rows);
    square.leftCols(columns) = a;
    auto polar = square_polar(std::move(square), true, workers);
    if (polar) polar->conservativeResize(Eigen::NoChange, columns);
    return polar;
  }
  const auto basis = orthonormal_basis(a, workers);
  if (!basis) return std::nullopt;
  auto polar = square_polar(product(basis->transpose(), a, workers), false, workers);
  if (polar) polar = product(*basis, *polar, workers);
  return polar;
}

}  // namespace

std::optional<Matrix> newton_polar(const Matrix& a, const Workers& workers) {
  const double largest = a.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return std::nullopt;
  const bool wide = a.rows() < a.cols();
  const Matrix unit = scaled(wide ? transposed(a, workers) : a, std::ldexp(1, -std::ilogb(largest)), workers);
  auto polar = tall_polar(unit, workers);
  if (wide && polar) polar = transposed(*polar, workers);
  return polar;
}

}  // namespace rarefact
