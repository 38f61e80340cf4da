#include "algebra/polar_columns.hpp"

#include <cmath>

#include "algebra/polar.hpp"
#include "algebra/symmetric_product.hpp"
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

/// YᵀY - I of unit columns.
template <class Real>
MatrixOf<Real> oblique_part(const MatrixOf<Real>& y, const Workers& workers) {
  MatrixOf<Real> e;
  if constexpr (std::is_same_v<Real, double>) {
    e = gram(view_of(y), workers);
  } else {
    e = product(y.transpose(), y, workers);
  }
  e.diagonal().setZero();
  return e;
}

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
  MatrixOf<Real> y(x.rows(), n);
  for (Index j = 0; j < n; ++j) y.col(j) = x.col(j) / norms(j);
  const MatrixOf<Real> e = oblique_part(y, workers);
  const Real oblique = e.norm(), noise = noise_of<Real>(n);
  if (!(oblique < Real(max_oblique))) return std::nullopt;

  // Y (I + F).
  const auto turned = [&](const MatrixOf<Real>& f) {
    if (f.norm() > noise) y += product(y, f, workers);
    return std::move(y);
  };
  MatrixOf<Real> f = correction(e, e, norms, workers);
  Real size = f.norm();
  if (oblique * size <= noise) return turned(f);
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
    right = f + z;
    add_product(right, f, z, Real(size * moved), workers);
    f = std::move(right);
    size = f.norm();
    if (moved * (oblique + moved) <= noise) return turned(f);
  }
}

template std::optional<Matrix> polar_near_orthogonal(const Matrix&, const Vector&, const Workers&);
template std::optional<MatrixOf<Real50>> polar_near_orthogonal(const MatrixOf<Real50>&,
                                                               const VectorOf<Real50>&, const Workers&);

}  // namespace rarefact
