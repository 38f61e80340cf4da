#include "algebra/polar_newton.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "algebra/householder.hpp"
#include "algebra/lu.hpp"
#include "algebra/polar.hpp"
#include "algebra/symmetric_product.hpp"

namespace rarefact {

using namespace matrix_passes;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// ‖I - BBᵀ‖ below which the series is used; above, an inverse is cheaper than its terms.
constexpr double finishing = 0.03;

/// A vector that is unlikely to be orthogonal to structures of a matrix, and far from orthogonal to equal entries: numbers
/// from -1/2 to 3/2 by the hash splitmix64, which takes a tenth of the time of a random stream.
Vector unstructured(Index size) {
  Vector vector(size);
  std::uint64_t state = 0;
  for (double& entry : vector) {
    std::uint64_t hash = state += 0x9E3779B97F4A7C15;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
    entry = 0.5 + std::ldexp(static_cast<double>(static_cast<std::int64_t>(hash ^ (hash >> 31))), -63);
  }
  return vector;
}

/// An estimate of ‖X‖, more likely too small than too large.
double norm_estimate(const Matrix& x, const Workers& workers) {
  const Index tile = 128;
  Vector probe = unstructured(x.cols()), image(x.rows());
  // A low estimate costs one more inverse, which takes far longer than these passes.
  const int passes = 4;
  for (int i = 0; i < passes; ++i) {
    probe.normalize();
    workers.for_tiles(image.size(), tile, [&](Index begin, Index end) {
      image.segment(begin, end - begin).noalias() = x.middleRows(begin, end - begin) * probe;
    });
    workers.for_tiles(probe.size(), tile, [&](Index begin, Index end) {
      probe.segment(begin, end - begin).noalias() = x.middleCols(begin, end - begin).transpose() * image;
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
    Matrix sum = last ? Matrix(e.rows(), e.rows()) : symmetric_product(view_of(square), view_of(r), workers);
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
  const Matrix square = symmetric_product(view_of(e), view_of(e), workers);
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

/// Calls take(first column, columns of B⁻ᵀ) for blocks of columns; B may change meanwhile. False if a pivot
/// is zero.
template <class Take>
bool inverse_transposed(const Matrix& b, const Workers& workers, const Take& take) {
  if (b.rows() <= largest_small_inverse) {
    const auto inverse = small_inverse_transposed(b);
    if (inverse) take(0, *inverse);
    return inverse.has_value();
  }
  const auto lu = LuFactors::of(b, workers);
  if (lu) lu->inverse_transposed(workers, take);
  return lu.has_value();
}

bool inverse_transposed(const Matrix& b, Matrix& inverse, const Workers& workers) {
  return inverse_transposed(b, workers, [&](Index begin, const auto& columns) {
    inverse.middleCols(begin, columns.cols()) = columns;
  });
}

/// The unit y with yᵀB = 0 for a B whose only null vector is u; `inverse` gets the transposed pseudoinverse.
/// An empty vector if there are others.
Vector complement(const Matrix& b, const Vector& u, Matrix& inverse, const Workers& workers) {
  const Index n = b.rows();
  const double length = b.norm();
  Vector fill = unstructured(n).normalized(), y;
  // The projection below loses digits if the filling is nearly orthogonal to y; y itself is not.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!inverse_transposed(b + length * fill * u.transpose(), inverse, workers)) return {};
    y = (inverse * u).normalized();
    if (std::abs(y.dot(fill)) > 0.1 / std::sqrt(static_cast<double>(n))) break;
    fill = y;
  }
  for_columns(n, workers, [&](Index begin, Index count) {
    for (Index j = begin; j < begin + count; ++j) inverse.col(j) -= y.dot(inverse.col(j)) * y;
  });
  return y;
}

/// The unit vector v for which ‖Bv‖ is least, from Z = B⁻ᵀ of a nearly singular B. nullopt unless Bv is 0 up to the rounding
/// of the columns that it sums: like ranked_qr, this keeps the direction of a column that is tiny as a whole.
std::optional<Vector> null_vector(const Matrix& b, const Matrix& z) {
  Vector v = unstructured(b.cols());
  for (int pass = 0; pass < 2; ++pass) v = (z.transpose() * (z * v.normalized()).normalized()).eval();
  v.normalize();
  const double rounding = rank_tolerance_factor * epsilon * static_cast<double>(v.size());
  const double summed = v.cwiseAbs().cwiseProduct(b.colwise().norm().transpose()).maxCoeff();
  if (!((b * v).norm() <= rounding * summed)) return std::nullopt;
  return v;
}

/// msgn of a square matrix whose only null vector v, Bv = 0, is the known one, if there is one.
std::optional<Matrix> square_polar(Matrix b, const KnownRank& known, double* least, const Workers& workers) {
  const Index n = b.rows();
  const Vector* const null = known.null;
  Matrix inverse(n, n);
  Vector filled;
  if (null) {
    filled = complement(b, *null, inverse, workers);
    if (filled.size() == 0) return std::nullopt;
  } else if (!inverse_transposed(b, inverse, workers)) {
    return std::nullopt;
  }
  const double largest = norm_estimate(b, workers), inverse_largest = norm_estimate(inverse, workers);
  const bool singular =
      !(largest * inverse_largest * rank_tolerance_factor * epsilon * static_cast<double>(n) < 1);
  if (singular || (!null && n > known.most)) {
    if (null || !known.find_null || n - 1 > known.most) return std::nullopt;
    const auto found = null_vector(b, inverse);
    return found ? square_polar(std::move(b), {.null = &*found}, least, workers) : std::nullopt;
  }
  if (least) *least = 1 / (largest * inverse_largest);
  const double above = std::min(b.norm(), estimated * largest);
  const double inverse_above = std::min(inverse.norm(), estimated * inverse_largest);
  const double zeta = std::sqrt(inverse_above / above);
  for_columns(n, workers, [&](Index begin, Index count) {
    average(zeta, inverse.middleCols(begin, count), b.middleCols(begin, count));
  });
  if (null) b += filled * null->transpose();  // a singular value of 1, which stays
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
      if (size < 2 * finishing) {
        if (null) b -= (b * *null).eval() * null->transpose();
        return b;
      }
      // An estimate was too small.
      scale = 1;
      bound = 1 + size;
    }
    if (!inverse_transposed(b, workers, [&](Index begin, const auto& columns) {
          average(scale, columns, b.middleCols(begin, columns.cols()));
        }))
      return std::nullopt;
    bound = next_bound(bound);
  }
  return std::nullopt;
}

/// L⁻¹ of Z = L Lᵀ; nullopt if Z is not positive definite up to rounding.
std::optional<Matrix> inverse_cholesky(const Matrix& z) {
  const Eigen::LLT<Matrix> cholesky(z);
  if (cholesky.info() != Eigen::Success) return std::nullopt;
  Matrix inverse = Matrix::Identity(z.rows(), z.cols());
  cholesky.matrixL().solveInPlace(inverse);
  return inverse;
}

/// An orthonormal basis of the columns of a matrix, up to rounding of the largest singular value; nullopt if
/// they are dependent. Rows that are small keep their digits.
std::optional<Matrix> orthonormal_basis(Matrix q, const Workers& workers) {
  const auto m = static_cast<double>(q.rows()), n = static_cast<double>(q.cols());
  for (const double shift : {11 * (m * n + n * (n + 1)) * epsilon, 0.0, 0.0}) {
    Matrix g = gram(view_of(q), workers);
    const double above = g.cwiseAbs().colwise().sum().maxCoeff<Eigen::PropagateNaN>();  // no less than ‖G‖
    g.diagonal().array() += shift * above;
    const auto inverse = inverse_cholesky(g);
    if (!inverse) return std::nullopt;
    q = product(q, inverse->transpose(), workers);
  }
  return q;
}

/// msgn of a matrix with no more columns than rows.
std::optional<Matrix> tall_polar(const Matrix& a, const KnownRank& known, double* least,
                                 const Workers& workers) {
  if (a.rows() == a.cols()) return square_polar(a, known, least, workers);
  const auto basis = known.null ? HouseholderQr(a).q(a.cols()) : orthonormal_basis(a, workers);
  if (!basis) return std::nullopt;
  auto polar =
      square_polar(product(basis->transpose(), a, workers), {known.null, false, known.most}, least, workers);
  if (polar) polar = product(*basis, *polar, workers);
  return polar;
}

}  // namespace

std::optional<Matrix> newton_polar(const Matrix& a, const Workers& workers, const KnownRank& known,
                                   double* least) {
  const double largest = a.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return std::nullopt;
  const bool wide = a.rows() < a.cols() || known.null;
  const Matrix unit = scaled(wide ? transposed(a, workers) : a, std::ldexp(1, -std::ilogb(largest)), workers);
  auto polar = tall_polar(unit, known, least, workers);
  if (wide && polar) polar = transposed(*polar, workers);
  return polar;
}

}  // namespace rarefact
