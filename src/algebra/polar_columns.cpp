#include "algebra/polar_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/cholesky.hpp"
#include "algebra/polar.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// |E| above which a factorisation is better.
constexpr double max_oblique = 0.5;

/// The Frobenius norm of the rounding errors of n unit columns; smaller terms are not computed.
template <class Real>
Real noise_of(Index n) {
  return std::numeric_limits<Real>::epsilon() * Real(std::sqrt(static_cast<double>(n)) / 2);
}

/// The unit columns Y, and their large entries if these are so few that products among the others are below
/// the noise.
template <class Real>
class UnitColumns {
 public:
  UnitColumns(const MatrixOf<Real>& x, const VectorOf<Real>& norms) : y_(x.rows(), x.cols()) {
    using std::abs;
    using std::sqrt;
    const auto size = static_cast<double>(x.size());
    const Real small = sqrt(Real(noise_of<Real>(x.cols()) / Real(size)));
    const auto max_large = static_cast<std::size_t>(size / 16);
    begin_.push_back(0);
    for (Index j = 0; j < x.cols(); ++j) {
      y_.col(j) = x.col(j) / norms(j);
      for (Index i = 0; i < x.rows() && large_.size() <= max_large; ++i)
        if (abs(y_(i, j)) > small) large_.push_back({i, y_(i, j)});
      begin_.push_back(large_.size());
    }
    few_ = large_.size() <= max_large;
  }

  /// YᵀY - I.
  MatrixOf<Real> oblique(const Workers& workers) const {
    const Index n = y_.cols();
    MatrixOf<Real> e = few_ ? large_times_half(workers) : dense_gram(workers);
    if (few_) {
      // Both halves, in tiles because both triangles are walked at once.
      const Index tile = 32;
      workers.for_tiles(n, tile, [&](Index right, Index end) {
        for (Index low = 0; low <= right; low += tile)
          for (Index j = right; j < end; ++j)
            for (Index i = low; i < std::min(low + tile, j); ++i) e(i, j) = e(j, i) = e(i, j) + e(j, i);
      });
    }
    e.diagonal().setZero();
    return e;
  }

  /// Y (I + F), |F| = size.
  MatrixOf<Real> turned(const MatrixOf<Real>& f, const Real& size, const Workers& workers) const {
    const Real noise = noise_of<Real>(y_.cols());
    if (!(size > noise)) return y_;
    // The small entries together are at most the root of the noise.
    const bool large_alone = few_ && size * size <= noise;
    MatrixOf<Real> result = y_;
    if (!large_alone) return result += product(y_, f, workers);
    workers.for_tiles(y_.cols(), 16, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        for (Index i = 0; i < y_.cols(); ++i) {
          const Real factor = f(i, j);
          for (std::size_t k = begin_[i]; k < begin_[i + 1]; ++k)
            result(large_[k].row, j) += large_[k].value * factor;
        }
      }
    });
    return result;
  }

 private:
  struct Entry {
    Index row;
    Real value;
  };

  MatrixOf<Real> dense_gram(const Workers& workers) const {
    if constexpr (std::is_same_v<Real, double>) {
      return gram(view_of(y_), workers);
    } else {
      return product(y_.transpose(), y_, workers);
    }
  }

  /// Lᵀ(L/2 + R) of the large entries L and the rest R: half of YᵀY but for RᵀR.
  MatrixOf<Real> large_times_half(const Workers& workers) const {
    const Index n = y_.cols();
    MatrixOf<Real> half(n, n);
    workers.for_tiles(n, 16, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        VectorOf<Real> column = y_.col(j);
        for (std::size_t k = begin_[j]; k < begin_[j + 1]; ++k) column(large_[k].row) /= Real(2);
        for (Index i = 0; i < n; ++i) {
          Real sum(0);
          for (std::size_t k = begin_[i]; k < begin_[i + 1]; ++k)
            sum += large_[k].value * column(large_[k].row);
          half(i, j) = sum;
        }
      }
    });
    return half;
  }

  MatrixOf<Real> y_;
  std::vector<Entry> large_;
  std::vector<std::size_t> begin_;  // of each column
  bool few_ = false;
};

/// to += A B if `size` = |A||B| is above the noise; in single precision if that is enough.
template <class Real>
void add_product(MatrixOf<Real>& to, const MatrixOf<Real>& a, const MatrixOf<Real>& b, const Real& size,
                 const Workers& workers) {
  using LowPrecision = std::conditional_t<std::is_same_v<Real, double>, float, double>;
  const Real noise = noise_of<Real>(a.cols());
  if (!(size > noise)) return;
  if (size * Real(std::numeric_limits<LowPrecision>::epsilon()) > noise) {
    to += product(a, b, workers);
  } else {
    to += product(matrix_passes::cast<LowPrecision>(a, workers),
                  matrix_passes::cast<LowPrecision>(b, workers), workers)
              .template cast<Real>();
  }
}

/// Z as defined in the header.
template <class Real>
MatrixOf<Real> correction(const MatrixOf<Real>& m, const MatrixOf<Real>& n, const VectorOf<Real>& d,
                          const Workers& workers) {
  MatrixOf<Real> z(m.rows(), m.cols());
  const Index tile = 32;
  workers.for_tiles(m.cols(), tile, [&](Index right, Index end) {
    for (Index low = 0; low <= right; low += tile) {
      for (Index j = right; j < end; ++j) {
        for (Index i = low; i < std::min(low + tile, j); ++i) {
          const Real of_i = d(i) / (d(i) + d(j)), of_j = d(j) / (d(i) + d(j));
          const Real both = n(i, j) / Real(2);
          const Real skew = of_j * m(j, i) - of_i * m(i, j) - both * (of_j - of_i);
          z(i, j) = skew - both;
          z(j, i) = -skew - both;
        }
      }
    }
  });
  z.diagonal() = -n.diagonal() / Real(2);
  return z;
}

}  // namespace

template <class Real>
std::optional<MatrixOf<Real>> polar_near_orthogonal(const MatrixOf<Real>& x,
                                                    const VectorOf<Real>& reference_norms,
                                                    const Workers& workers) {
  const Index n = x.cols();
  if (x.rows() < n || n == 0) return std::nullopt;
  const Real tolerance =
      Real(rank_tolerance_factor * static_cast<double>(x.rows())) * std::numeric_limits<Real>::epsilon();
  const VectorOf<Real> norms = column_norms(x);
  for (Index j = 0; j < n; ++j) {
    const Real& reference = reference_norms.size() > 0 ? reference_norms(j) : norms(j);
    if (!(norms(j) > tolerance * reference)) return std::nullopt;
  }
  const UnitColumns<Real> columns(x, norms);
  const MatrixOf<Real> e = columns.oblique(workers);
  const Real oblique = e.norm(), noise = noise_of<Real>(n);
  if (!(oblique < Real(max_oblique))) return std::nullopt;

  MatrixOf<Real> f = correction(e, e, norms, workers);
  Real size = f.norm();
  if (oblique * size <= noise) return columns.turned(f, size, workers);
  // N and M still equal E; from here on T is I + Z.
  MatrixOf<Real> m = e, in_n = e, z = f;
  Real moved = size;
  for (bool first = true;; first = false) {
    // I + N <- (I + Zᵀ)(I + N)(I + Z), I + M <- (I + M)(I + Z).
    MatrixOf<Real> right = in_n + z;
    add_product(right, in_n, z, Real(in_n.norm() * moved), workers);
    in_n = right + z.transpose();
    add_product<Real>(in_n, z.transpose(), right, Real(moved * right.norm()), workers);
    if (first) {
      m = std::move(right);
    } else {
      right = m + z;
      add_product(right, m, z, Real(m.norm() * moved), workers);
      m = std::move(right);
    }
    z = correction(m, in_n, norms, workers);
    const Real next = z.norm();
    if (!(next < moved / Real(2))) return std::nullopt;
    moved = next;
    MatrixOf<Real> turned = f + z;
    add_product(turned, f, z, Real(size * moved), workers);
    f = std::move(turned);
    size = f.norm();
    if (moved * (oblique + moved) <= noise) return columns.turned(f, size, workers);
  }
}

template std::optional<Matrix> polar_near_orthogonal(const Matrix&, const Vector&, const Workers&);
template std::optional<MatrixOf<Real50>> polar_near_orthogonal(const MatrixOf<Real50>&,
                                                               const VectorOf<Real50>&, const Workers&);

}  // namespace rarefact
