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
  Real rate = Real(0);        ///< the largest factor by which corrections of S shrank
  MatrixOf<Real> polar;       ///< msgn(X)
  SingularBasis<Real> basis;  ///< rotated so that B = UᵀXV is symmetric: the start for the next X
  MatrixOf<Real> b;           ///< UᵀXV of that basis
};

namespace refine_detail {

/// out = A B, or out += A B with `add`.
template <class M, class Left, class Right>
void multiply(M& out, const Left& a, const Right& b, const Workers& workers, bool add = false) {
  rarefact::multiply(view_of(a), view_of(b), out.data(), out.rows(), workers, add);
}

/// W = N diag(σ) Jᵀ with min(rows, columns) columns in N and J.
template <class Real>
JacobiResult<Real> thin_decomposition(const MatrixOf<Real>& w) {
  const Index size = std::min(w.rows(), w.cols());
  if (w.cols() == 1) {
    const Real length = safe_norm(w.col(0));
    if (length > Real(0))
      return {w / length, MatrixOf<Real>::Ones(1, 1), VectorOf<Real>::Constant(1, length)};
  }
  const MatrixOf<Real> unit = MatrixOf<Real>::Identity(size, size);
  if (w.cols() <= w.rows()) return one_sided_jacobi<Real>(w, unit);
  JacobiResult<Real> svd = one_sided_jacobi<Real>(w.transpose(), unit);
  svd.n.swap(svd.j);
  return svd;
}

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
template <class M>
bool solve_nearly_diagonal(const M& b_square, const M& b, M& w, const Workers& workers) {
  using Real = typename M::Scalar;
  const auto inverse = b_square.diagonal().cwiseInverse().eval();
  w = inverse.asDiagonal() * b;
  const Real tiny = std::numeric_limits<Real>::epsilon() / Real(8);
  M change = inverse.asDiagonal() * b_square;
  change.diagonal().setZero();
  const Real rate = std::min(Real(1), Real(change.norm()));  // later changes shrink by it, or faster
  change.resize(b.rows(), b.cols());
  for (int iteration = 0; iteration < 25; ++iteration) {
    multiply(change, b_square, w, workers);
    change = inverse.asDiagonal() * (b - change);
    w += change;
    const Real size = change.norm();
    if (!(size < Real(1))) return false;
    if (size * rate <= tiny * (Real(1) + w.norm())) return true;
  }
  return false;
}

/// change_ij = (x_ji - x_ij)/(d_i + d_j), and its Frobenius norm. In tiles, because rows are read beside columns.
template <class M, class Diagonal>
typename M::Scalar skew_part(const M& x, const Diagonal& d, M& change, const Workers& workers) {
  using Real = typename M::Scalar;
  constexpr Index tile = 32;
  const Index n = x.rows();
  workers.for_tiles(n, tile, [&](Index first, Index end) {
    Eigen::Array<Real, tile, 1> across;
    for (Index low = 0; low < n; low += tile) {
      const Index rows = std::min(tile, n - low);
      for (Index j = first; j < end; ++j) {
        for (Index i = 0; i < rows; ++i) across(i) = x(j, low + i);
        change.col(j).segment(low, rows).array() =
            (across.head(rows) - x.col(j).segment(low, rows).array()) / (d.segment(low, rows).array() + d(j));
      }
    }
  });
  return change.norm();
}

/// Bound of the factor by which corrections of S shrink: a correction is (X_ij - X_ji)/(d_i + d_j) of the product X of
/// the last one and B without its diagonal d, at most the larger of |X_ij|/d_j and |X_ji|/d_i.
template <class M, class Diagonal>
typename M::Scalar correction_rate(const M& b, const Diagonal& d) {
  using Real = typename M::Scalar;
  using std::sqrt;
  const Index n = b.rows();
  Real squares(0);
  for (Index j = 0; j < n; ++j)
    squares += (b.col(j).head(j) / d(j)).squaredNorm() + (b.col(j).tail(n - j - 1) / d(j)).squaredNorm();
  return std::min(Real(1), Real(sqrt(Real(2) * squares)));
}

/// True if a symmetric matrix with a positive diagonal is positive definite.
template <class M>
bool positive_definite(const M& matrix) {
  using Real = typename M::Scalar;
  using std::sqrt;
  const Index n = matrix.rows();
  // With a unit diagonal it is 1 + E, and ‖E‖ < 1 is enough.
  const auto inverse = matrix.diagonal().cwiseInverse().eval();
  Real sum_of_squares = Real(0);
  for (Index j = 0; j < n; ++j) {
    const auto below = matrix.col(j).tail(n - j - 1);  // whose squares may underflow
    sum_of_squares += below.cwiseProduct(inverse.tail(n - j - 1)).dot(below) * inverse(j);
  }
  if (Real(2) * sum_of_squares < Real(1)) return true;
  M b = matrix;
  for (Index j = 0; j < n; ++j) {
    b.col(j).tail(n - j) -= b.block(j, 0, n - j, j) * b.row(j).head(j).transpose();
    if (!(b(j, j) > Real(0))) return false;
    b.col(j).tail(n - j) /= sqrt(b(j, j));
  }
  return true;
}

/// The rotation S + (1 + S²)^½ minus I, to rounding relative to 1, for a skew S of norm `size`. It equals
/// exp(S) up to |S|³, and needs half as many products.
template <class M>
M rotation_less_one(const M& skew, const typename M::Scalar& size, const Workers& workers) {
  using Real = typename M::Scalar;
  const Real enough = std::numeric_limits<Real>::epsilon() / Real(8), square = size * size;
  M sum = skew;
  Real factor(1) /* of (S²)^k in the series */, power(1);
  M squared, term, next;
  for (int k = 1; abs(factor) * power * square > enough; ++k) {
    factor *= (Real(3) / Real(2) - Real(k)) / Real(k);
    power *= square;
    next.resize(skew.rows(), skew.cols());
    multiply(next, k == 1 ? skew : squared, k == 1 ? skew : term, workers);
    term.swap(next);
    if (k == 1) squared = term;
    sum += factor * term;
  }
  return sum;
}

}  // namespace refine_detail

/// msgn(X) from a basis that nearly diagonalises X up to signs; `converged` is false if the iteration does
/// not, or if rank or range of X have changed. X must be finite. M is the type of intermediate matrices.
template <class M>
Refinement<typename M::Scalar> refine_polar_in(const SingularBasis<typename M::Scalar>& basis,
                                               const MatrixOf<typename M::Scalar>& x,
                                               const Workers& workers) {
  using Real = typename M::Scalar;
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
  const auto times = [&](const auto& left, const auto& right) {
    M all(left.rows(), right.cols());
    refine_detail::multiply(all, left, right, workers);
    return all;
  };

  // The polar factor does not depend on the scale; with entries of order one nothing overflows below.
  M all = times(x, basis.v);
  all *= ldexp(Real(1), -static_cast<int>(ilogb(largest)));
  all = times(basis.u.transpose(), all);
  M left = basis.u;
  for (Index i = 0; i < rank; ++i) {
    if (!(abs(all(i, i)) > Real(0))) return result;
    if (all(i, i) > Real(0)) continue;
    all.row(i) = -all.row(i);
    left.col(i) = -left.col(i);
  }
  M b = all.leftCols(rank);
  M rows = basis.v.leftCols(rank);    // orthonormal basis of the row space of X
  M null = basis.v.rightCols(nulls);  // and of its complement
  if (nulls > 0) {
    // UᵀXV = B [I, W]: the null space has rotated by W. With M = [I, W], msgn(B M) = msgn(B (I + W Wᵀ)^½) M̂,
    // and B W is known, so only the few columns of W are decomposed.
    const M last = all.rightCols(nulls);
    M w;
    if (!refine_detail::solve_nearly_diagonal(b, last, w, workers)) return result;
    const JacobiResult<Real> svd = refine_detail::thin_decomposition<Real>(w);
    VectorOf<Real> longer(svd.sigma.size()), shorter(svd.sigma.size());
    for (Index i = 0; i < svd.sigma.size(); ++i) {
      const Real length = sqrt(Real(1) + svd.sigma(i) * svd.sigma(i));
      longer(i) = svd.sigma(i) / (length + Real(1));
      shorter(i) = longer(i) / length;
    }
    // (I + W Wᵀ)^½ = I + W extendᵀ, (I + W Wᵀ)^-½ = I - W shrinkᵀ, (I + WᵀW)^-½ = I - Wᵀ shrink.
    const M extend = times(M(svd.n * longer.asDiagonal()), svd.j.transpose());
    const M shrink = times(M(svd.n * shorter.asDiagonal()), svd.j.transpose());
    b += times(last, extend.transpose());
    // Row space [I, W]ᵀ (I + W Wᵀ)^-½, null space [-W; I] (I + WᵀW)^-½, both in the old basis.
    null -= times(rows, w);
    null -= times(times(null, w.transpose()), shrink);
    rows += times(basis.v.rightCols(nulls), w.transpose());
    rows -= times(times(rows, w), shrink.transpose());
  }

  const Real epsilon = std::numeric_limits<Real>::epsilon();
  const Real enough =
      Real(2) * epsilon * Real(static_cast<double>(rank));  // rounding of the products themselves
  M change(rank, rank), correction(rank, rank), rest;
  const int max_iterations = 8;
  for (int iteration = 1; !result.converged; ++iteration) {
    if (iteration > max_iterations || !(b.diagonal().minCoeff() > Real(0))) return result;
    const auto diagonal = b.diagonal().eval();
    const Real moved = refine_detail::skew_part(b, diagonal, change, workers);
    if (!(moved < Real(0.25))) return result;
    const Real rate = refine_detail::correction_rate(b, diagonal);
    for (Real last = moved; last * rate > std::max(enough, Real(moved * moved / Real(4)));) {
      rest = b;
      refine_detail::multiply(rest, change, b, workers, true);
      const Real size = refine_detail::skew_part(rest, diagonal, correction, workers);
      change += correction;
      if (size <= enough) break;
      if (!(size < last / Real(2))) return result;
      result.rate = std::max(result.rate, Real(size / last));
      last = size;
    }
    // `change` is Sᵀ; terms of the order of its square remain.
    result.converged = moved * moved <= enough;
    if (iteration > 1 && moved <= enough) break;
    const M turn = refine_detail::rotation_less_one(change, Real(change.norm()), workers);
    refine_detail::multiply(b, turn, M(b), workers, true);
    refine_detail::multiply(left, M(left), turn.transpose(), workers, true);
  }
  // X = QP with orthogonal Q and symmetric P is the polar decomposition only if P >= 0: if eigenvalues of a
  // symmetric X have changed their signs, msgn has changed although UᵀXV is still symmetric.
  if (!refine_detail::positive_definite(b)) return {};
  result.polar.resize(x.rows(), columns);
  refine_detail::multiply(result.polar, left, rows.transpose(), workers);
  result.b = b;
  result.basis.u = left;
  result.basis.v.resize(columns, columns);
  result.basis.v.leftCols(rank) = rows;
  result.basis.v.rightCols(nulls) = null;
  return result;
}

/// The same for a small matrix, on the stack.
template <class Real>
Refinement<Real> refine_polar(const SingularBasis<Real>& basis, const MatrixOf<Real>& x,
                              const Workers& workers) {
  if constexpr (std::is_same_v<Real, double>) {
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, small_side, small_side>;
    if (std::max(x.rows(), x.cols()) <= small_side) return refine_polar_in<Small>(basis, x, workers);
  }
  return refine_polar_in<MatrixOf<Real>>(basis, x, workers);
}

}  // namespace rarefact
