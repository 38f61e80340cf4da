#pragma once

/// msgn(X) from a nearby singular basis, using only matrix products. WarmStartPolar explains the idea.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "algebra/decompositions.hpp"
#include "algebra/polar.hpp"
#include "algebra/product.hpp"

namespace rarefact {

/// The result of a refinement.
template <class Real>
struct Refinement {
  bool converged = false;
  int iterations = 0;
  MatrixOf<Real> polar;       ///< msgn(X)
  SingularBasis<Real> basis;  ///< rotated so that UᵀXV is symmetric: the start for the next X
};

namespace refine_detail {

/// A fixed combination of the normalised columns of X, which leaves the span of U only if the range of X has
/// changed.
template <class Real>
bool range_is_kept(const SingularBasis<Real>& basis, const MatrixOf<Real>& x) {
  VectorOf<Real> probe = VectorOf<Real>::Zero(x.rows());
  for (Index j = 0; j < x.cols(); ++j) {
    const Real norm = safe_norm(x.col(j));
    // Weights of both signs and unequal size, so that no structure of X cancels them.
    const Real weight = Real(j % 2 == 0 ? 1 : -1) * (Real(1) + Real(static_cast<double>(j % 7)) / Real(8));
    if (norm > Real(0)) probe += (weight / norm) * x.col(j);
  }
  const VectorOf<Real> inside = basis.u * (basis.u.transpose() * probe);
  const Real noise = Real(1e3) * std::numeric_limits<Real>::epsilon() * Real(static_cast<double>(x.cols()));
  return (probe - inside).norm() <= noise * probe.norm();
}

/// W with B W = b for a nearly diagonal B; false when the fixed-point iteration does not settle.
template <class Real>
bool solve_nearly_diagonal(const MatrixOf<Real>& b_square, const MatrixOf<Real>& b, MatrixOf<Real>& w) {
  const auto inverse = b_square.diagonal().cwiseInverse().eval();
  w = inverse.asDiagonal() * b;
  const Real tiny = std::numeric_limits<Real>::epsilon() / Real(8);
  for (int iteration = 0; iteration < 25; ++iteration) {
    const MatrixOf<Real> change = inverse.asDiagonal() * (b - times(b_square, w));
    w += change;
    if (!(change.norm() < Real(1))) return false;
    if (change.norm() <= tiny * (Real(1) + w.norm())) return true;
  }
  return false;
}

/// Columns per tile, in all loops below.
inline constexpr Index column_tile = 96;

/// change_ij = (b_ij - b_ji)/(b_ii + b_jj), and the Frobenius norm of (b_ij + b_ji)/(b_ii + b_jj) over i < j:
/// the symmetric off-diagonal part, which slows convergence. In tiles, because both triangles are walked at
/// once.
template <class Real>
Real skew_correction(const MatrixOf<Real>& b, MatrixOf<Real>& change, const Workers& workers) {
  using std::sqrt;
  const Index n = b.rows(), tile = 32;
  const VectorOf<Real> diagonal = b.diagonal();
  std::vector<Real> coupling(static_cast<std::size_t>((n + tile - 1) / tile), Real(0));
  workers.for_tiles(n, tile, [&](Index right, Index end) {
    Real sum_of_squares = Real(0);
    for (Index low = 0; low <= right; low += tile) {
      for (Index j = right; j < end; ++j) {
        for (Index i = low; i < std::min(low + tile, j); ++i) {
          const Real scale = Real(1) / (diagonal(i) + diagonal(j));
          const Real difference = (b(i, j) - b(j, i)) * scale, sum = (b(i, j) + b(j, i)) * scale;
          change(i, j) = difference;
          change(j, i) = -difference;
          sum_of_squares += sum * sum;
        }
      }
    }
    coupling[right / tile] = sum_of_squares;
  });
  change.diagonal().setZero();
  Real total = Real(0);
  for (const Real& part : coupling) total += part;
  return sqrt(total);
}

/// Whether a symmetric matrix with a positive diagonal is positive definite.
template <class Real>
bool positive_definite(MatrixOf<Real> b) {
  using std::sqrt;
  const Index n = b.rows();
  // With a unit diagonal it is 1 + E, and ‖E‖ < 1 is enough.
  Real sum_of_squares = Real(0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i) sum_of_squares += (b(i, j) / b(i, i)) * (b(i, j) / b(j, j));
  }
  if (Real(2) * sum_of_squares < Real(1)) return true;
  for (Index j = 0; j < n; ++j) {
    b.col(j).tail(n - j) -= b.block(j, 0, n - j, j) * b.row(j).head(j).transpose();
    if (!(b(j, j) > Real(0))) return false;
    b.col(j).tail(n - j) /= sqrt(b(j, j));
  }
  return true;
}

/// The type for products whose factors are so small that half of the digits suffice.
template <class Real>
using LowPrecision = std::conditional_t<std::is_same_v<Real, double>, float, double>;

template <class Real, class Columns>
MatrixOf<Real> rough_product(const MatrixOf<Real>& a, const Columns& b) {
  return times(a, MatrixOf<Real>(b.template cast<Real>()));
}

/// exp(S) - 1 to rounding relative to 1, |S| = size, by the Taylor series. A term is computed in single
/// precision if it is small enough.
template <class Real>
MatrixOf<Real> exponential_less_one(const MatrixOf<Real>& skew, const Real& size, const Workers& workers) {
  const Real enough = std::numeric_limits<Real>::epsilon() / Real(8);
  const Real rough = Real(static_cast<double>(std::numeric_limits<LowPrecision<Real>>::epsilon()));
  MatrixOf<Real> sum = skew, term = skew;
  MatrixOf<LowPrecision<Real>> rough_skew;
  Real magnitude = size * size / Real(2);
  for (int k = 2; magnitude > enough; ++k, magnitude *= size / Real(k)) {
    const bool roughly = skew.rows() > small_side && magnitude * rough <= enough;
    if (roughly && rough_skew.size() == 0) rough_skew = skew.template cast<LowPrecision<Real>>();
    MatrixOf<Real> next(skew.rows(), skew.cols());
    workers.for_tiles(skew.cols(), column_tile, [&](Index begin, Index end) {
      auto out = next.middleCols(begin, end - begin);
      const auto in = term.middleCols(begin, end - begin);
      if (roughly) {
        out = rough_product(rough_skew, in).template cast<Real>() / Real(k);
      } else {
        eigen_product(view_of(skew), view_of(in), out.data(), out.rows());
        out /= Real(k);
      }
      sum.middleCols(begin, end - begin) += out;
    });
    term = std::move(next);
  }
  return sum;
}

/// b <- exp(-S) b for a nearly diagonal b. The part that multiplies the diagonal is added in full precision;
/// the rest of b is small (coupling) and may be multiplied in single precision if `gently_graded`, that is,
/// if columns fit its exponents.
template <class Real>
void rotate(MatrixOf<Real>& b, const MatrixOf<Real>& skew, const Real& size, const Real& coupling,
            const Real& enough, bool gently_graded, const Workers& workers) {
  const Real rough = Real(static_cast<double>(std::numeric_limits<LowPrecision<Real>>::epsilon()));
  const bool roughly =
      b.rows() > small_side && gently_graded && size * (coupling + size) * rough <= enough / Real(8);
  const MatrixOf<Real> turn = exponential_less_one<Real>(-skew, size, workers);
  MatrixOf<LowPrecision<Real>> rough_turn;
  if (roughly) rough_turn = turn.template cast<LowPrecision<Real>>();
  workers.for_tiles(b.cols(), column_tile, [&](Index begin, Index end) {
    const Index width = end - begin;
    auto columns = b.middleCols(begin, width);
    MatrixOf<Real> rest = columns;
    VectorOf<Real> diagonal(width);
    for (Index j = 0; j < width; ++j) {
      diagonal(j) = rest(begin + j, j);
      rest(begin + j, j) = Real(0);
    }
    columns += turn.middleCols(begin, width) * diagonal.asDiagonal();
    if (roughly) {
      columns += rough_product(rough_turn, rest).template cast<Real>();
    } else {
      eigen_product(view_of(turn), view_of(rest), columns.data(), b.rows(), true);
    }
  });
}

/// x exp(S), |S| = size.
template <class Real>
MatrixOf<Real> turned(const MatrixOf<Real>& x, const MatrixOf<Real>& skew, const Real& size,
                      const Workers& workers) {
  if (size == Real(0)) return x;
  const MatrixOf<Real> turn = exponential_less_one(skew, size, workers);
  MatrixOf<Real> y(x.rows(), x.cols());
  workers.for_tiles(x.cols(), column_tile, [&](Index begin, Index end) {
    auto out = y.middleCols(begin, end - begin);
    out = x.middleCols(begin, end - begin);
    eigen_product(view_of(x), view_of(turn.middleCols(begin, end - begin)), out.data(), y.rows(), true);
  });
  return y;
}

}  // namespace refine_detail

/// msgn(X) from a basis that nearly diagonalises X up to signs; `converged` is false when it does not, or
/// when rank or range of X have changed. X must not contain non-finite numbers.
template <class Real>
Refinement<Real> refine_polar(const SingularBasis<Real>& basis, const MatrixOf<Real>& x,
                              const Workers& workers) {
  using std::abs;
  using std::ilogb;
  using std::ldexp;
  using std::sqrt;
  Refinement<Real> result;
  const Index rank = basis.rank(), columns = x.cols(), nulls = columns - rank;
  if (rank == 0 || basis.u.rows() != x.rows() || basis.v.rows() != columns) return result;
  const Real largest = x.cwiseAbs().maxCoeff();
  if (!(largest > Real(0))) return result;
  if (rank < x.rows() && !refine_detail::range_is_kept(basis, x)) return result;

  // The polar factor does not depend on the scale; with entries of order one, single precision neither
  // overflows nor underflows below.
  const Real unit = ldexp(Real(1), -static_cast<int>(ilogb(largest)));
  const MatrixOf<Real> all =
      product(basis.u.transpose(), MatrixOf<Real>(unit * product(x, basis.v, workers)), workers);
  MatrixOf<Real> b = all.leftCols(rank);
  VectorOf<Real> signs(rank);
  for (Index i = 0; i < rank; ++i) {
    if (!(abs(b(i, i)) > Real(0))) return result;
    signs(i) = b(i, i) > Real(0) ? Real(1) : Real(-1);
  }
  b = signs.asDiagonal() * b;
  MatrixOf<Real> rows = basis.v.leftCols(rank);    // orthonormal basis of the row space of X
  MatrixOf<Real> null = basis.v.rightCols(nulls);  // and of its complement
  if (nulls > 0) {
    // UᵀXV = B [I, W]: the null space has rotated by W. With M = [I, W], msgn(B M) = msgn(B (I + W Wᵀ)^½) M̂,
    // and B W is known, so only the few columns of W are decomposed.
    const MatrixOf<Real> last = signs.asDiagonal() * all.rightCols(nulls);
    MatrixOf<Real> w;
    if (!refine_detail::solve_nearly_diagonal(b, last, w)) return result;
    // Functions of WᵀW or of W Wᵀ, whichever is smaller: f(WᵀW) Wᵀ = Wᵀ f(W Wᵀ).
    const bool by_rows = nulls > rank;
    const MatrixOf<Real> turned = w.transpose();
    const Index size = std::min(rank, nulls);
    const JacobiResult<Real> small =
        one_sided_jacobi<Real>(by_rows ? turned : w, MatrixOf<Real>::Identity(size, size));  // G diag(λ) Gᵀ
    VectorOf<Real> root(size), inverse_root(size);
    for (Index i = 0; i < size; ++i) {
      const Real length = sqrt(Real(1) + small.sigma(i) * small.sigma(i));
      root(i) = Real(1) / (length + Real(1));                     // (sqrt(1+λ) - 1)/λ
      inverse_root(i) = Real(1) / (length * (length + Real(1)));  // (1 - 1/sqrt(1+λ))/λ
    }
    const MatrixOf<Real>& g = small.j;
    const auto function = [&](const VectorOf<Real>& values) {
      return times(MatrixOf<Real>(g * values.asDiagonal()), g.transpose());
    };
    const MatrixOf<Real> extend = function(root), shrink = function(inverse_root);
    b += by_rows ? times(times(last, turned), extend) : times(times(last, extend), turned);
    // Row space [I, W]ᵀ (I + W Wᵀ)^-½, null space [-W; I] (I + WᵀW)^-½, both in the old basis.
    null -= times(rows, w);
    null -=
        by_rows ? times(times(null, turned), times(shrink, w)) : times(null, times(shrink, times(turned, w)));
    rows += times(basis.v.rightCols(nulls), turned);
    const MatrixOf<Real> inside = times(rows, w);
    rows -= by_rows ? times(times(inside, turned), shrink) : times(times(inside, shrink), turned);
  }

  const Real epsilon = std::numeric_limits<Real>::epsilon();
  const Real enough =
      Real(2) * epsilon * Real(static_cast<double>(rank));  // rounding of the products themselves
  MatrixOf<Real> left = basis.u * signs.asDiagonal();
  MatrixOf<Real> pending = MatrixOf<Real>::Zero(rank, rank), change(rank, rank);
  Real previous = Real(0), size = Real(0);
  const bool gently_graded = b.diagonal().minCoeff() > Real(1e-15) * b.diagonal().maxCoeff();
  const int max_iterations = 8;
  while (!result.converged) {
    if (++result.iterations > max_iterations) return result;
    if (!(b.diagonal().minCoeff() > Real(0))) return result;
    const Real coupling = refine_detail::skew_correction(b, change, workers);
    const Real moved = change.norm();
    if (!(moved < Real(0.25)) || (result.iterations > 1 && moved > previous / Real(2) && moved > enough))
      return result;
    // Estimate of the next change: at worst moved x (coupling + moved); observed to shrink by moved/previous.
    Real rate = coupling + moved;
    if (result.iterations > 1) rate = std::min(rate, Real(moved / previous));
    result.converged = moved * rate <= enough;
    previous = moved;
    if (!result.converged) refine_detail::rotate(b, change, moved, coupling, enough, gently_graded, workers);
    // exp(S) exp(S') is exp(S + S') up to |S||S'|; larger ones are applied one after the other.
    if (size * moved > epsilon / Real(4)) {
      left = refine_detail::turned(left, pending, size, workers);
      pending = change;
      size = moved;
    } else {
      pending += change;
      size += moved;
    }
  }
  // X = QP with orthogonal Q and symmetric P is the polar decomposition only if P >= 0: if eigenvalues of a
  // symmetric X have changed their signs, msgn has changed although UᵀXV is still symmetric.
  if (!refine_detail::positive_definite(b)) return {};
  left = refine_detail::turned(left, pending, size, workers);
  result.polar = product(left, rows.transpose(), workers);
  result.basis.u = std::move(left);
  result.basis.v.resize(columns, columns);
  result.basis.v.leftCols(rank) = rows;
  result.basis.v.rightCols(nulls) = null;
  return result;
}

}  // namespace rarefact
