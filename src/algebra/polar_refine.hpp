#pragma once

/// msgn(X) from a nearby singular basis, using only matrix products. WarmStartPolar explains the idea.

#include <type_traits>

#include "algebra/decompositions.hpp"
#include "algebra/polar.hpp"
#include "algebra/polar_rotation.hpp"

namespace rarefact {

/// The result of a refinement.
template <class Real>
struct Refinement {
  bool converged = false;
  Real rate = Real(0);        ///< the largest factor by which corrections of S shrank
  MatrixOf<Real> polar;       ///< msgn(X)
  SingularBasis<Real> basis;  ///< rotated so that B = UᵀXV is symmetric: the start for the next X
  MatrixOf<Real> b;           ///< UᵀXV_r of that basis, up to its last rotation and a power of two
};

namespace refine_detail {

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

/// True if the span of U contains a fixed combination of the first columns of a padded X, each with a largest entry of 1:
/// it leaves the span if the range of X has changed.
template <class M>
bool range_is_kept(const M& u, const M& x, Index columns) {
  using Real = typename M::Scalar;
  using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, M::MaxRowsAtCompileTime, 1>;
  Column probe = Column::Zero(x.rows());
  for (Index j = 0; j < columns; ++j) {
    const Real largest = x.col(j).cwiseAbs().maxCoeff();
    // Weights of both signs and unequal size, so that no structure of X cancels them.
    const Real weight = Real(j % 2 == 0 ? 1 : -1) * (Real(1) + Real(static_cast<double>(j % 7)) / Real(8));
    if (largest > Real(0)) probe += (weight / largest) * x.col(j);
  }
  const Column outside = probe - u * (u.transpose() * probe).eval();
  const Real noise = Real(1e3) * std::numeric_limits<Real>::epsilon() * Real(static_cast<double>(columns));
  return outside.norm() <= noise * probe.norm();
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

/// to <- the upper left corner of `from`; by columns, which is faster than blocks of Eigen for small matrices.
template <class From, class To>
void copy_corner(const From& from, Index rows, Index columns, To&& to) {
  for (Index j = 0; j < columns; ++j)
    std::copy_n(from.data() + j * from.outerStride(), rows, to.data() + j * to.outerStride());
}

/// X with rows and columns of zeros appended, so that loops over columns need no remainders.
template <class M, class Matrix>
M with_zeros(const Matrix& x, Index rows, Index columns) {
  M whole(rows, columns);
  copy_corner(x, x.rows(), x.cols(), whole);
  if (rows > x.rows()) whole.bottomRows(rows - x.rows()).setZero();
  if (columns > x.cols()) whole.rightCols(columns - x.cols()).setZero();
  return whole;
}

/// The upper left corner of X.
template <class M>
MatrixOf<typename M::Scalar> corner(const M& x, Index rows, Index columns) {
  MatrixOf<typename M::Scalar> part(rows, columns);
  copy_corner(x, rows, columns, part);
  return part;
}

/// The rounding of uᵀXv for every column v of V: a singular value below it has a sign by chance.
template <class M>
VectorOf<typename M::Scalar> rounding_of_values(const M& x, const M& v) {
  const auto tolerance = rank_tolerance<typename M::Scalar>(std::max(x.rows(), x.cols()));
  return tolerance * (v.cwiseAbs().transpose() * x.colwise().norm().transpose());
}

/// Rotates rows and null, orthonormal bases of the row space and of its complement, when the null space has rotated by
/// W: UᵀXV = B [I, W], with `image` = B W. With M = [I, W], msgn(B M) = msgn(B (I + W Wᵀ)^½) M̂; only the few columns of W
/// are decomposed.
template <class M>
void turn_null_space(const M& image, const M& w, M& b, M& rows, M& null, const Workers& workers) {
  using Real = typename M::Scalar;
  using std::sqrt;
  // N diag(σ) Jᵀ; σ is zero where columns of N or J are.
  const JacobiResult<Real> svd = thin_decomposition<Real>(w);
  const Index count = svd.sigma.size();
  VectorOf<Real> sine(count), less_one(count) /* cosine - 1 */, longer(count);
  for (Index i = 0; i < count; ++i) {
    const Real sigma = svd.sigma(i), length = sqrt(Real(1) + sigma * sigma);
    sine(i) = sigma / length;
    longer(i) = sigma / (length + Real(1));
    less_one(i) = -sine(i) * longer(i);
  }
  // (I + W Wᵀ)^½ = I + W J diag(longer) Nᵀ; the columns of N and J are the directions that meet.
  const M of_rows = product_in<M>(rows, svd.n, workers), of_null = product_in<M>(null, svd.j, workers);
  const auto add = [&](M& sum, const M& part, const MatrixOf<Real>& directions) {
    multiply(sum, part, directions.transpose(), workers, true);
  };
  add(b, product_in<M>(image, svd.j, workers) * longer.asDiagonal(), svd.n);
  add(rows, of_rows * less_one.asDiagonal() + of_null * sine.asDiagonal(), svd.n);
  add(null, of_null * less_one.asDiagonal() - of_rows * sine.asDiagonal(), svd.j);
}

}  // namespace refine_detail

/// msgn(X) from a basis that nearly diagonalises X up to signs; `converged` is false if the iteration does
/// not, or if rank or range of X have changed. X must be finite. M is the type of intermediate matrices.
template <class M>
Refinement<typename M::Scalar> refine_polar_in(const SingularBasis<typename M::Scalar>& basis,
                                               const MatrixOf<typename M::Scalar>& x,
                                               const Workers& workers) {
  using Real = typename M::Scalar;
  using refine_detail::with_zeros;
  using std::abs;
  using std::ilogb;
  using std::ldexp;
  Refinement<Real> result;
  const Index rank = basis.rank(), columns = x.cols(), nulls = columns - rank;
  if (rank == 0 || basis.u.rows() != x.rows() || basis.v.rows() != columns) return result;
  const Real largest = x.cwiseAbs().maxCoeff();
  if (!(largest > Real(0))) return result;
  const Index height = padded(x.rows()), width = padded(columns), order = padded(rank);
  const auto times = [&](const auto& left, const auto& right) {
    return refine_detail::product_in<M>(left, right, workers);
  };

  // The polar factor does not depend on the scale; with entries of order one nothing overflows below.
  M whole = with_zeros<M>(x, height, width);
  whole *= ldexp(Real(1), -static_cast<int>(ilogb(largest)));
  M left = with_zeros<M>(basis.u, height, order);
  if (rank < x.rows() && !refine_detail::range_is_kept(left, whole, columns)) return result;
  M rows = with_zeros<M>(basis.v.leftCols(rank), width, order);
  M null = with_zeros<M>(basis.v.rightCols(nulls), width, nulls);
  M b = times(left.transpose(), times(whole, rows));
  M image(order, nulls);
  if (nulls > 0) image = times(times(whole, null).transpose(), left).transpose();
  for (Index i = 0; i < rank; ++i) {
    if (!(abs(b(i, i)) > Real(0))) return result;
    if (b(i, i) > Real(0)) continue;
    b.row(i) = -b.row(i);
    image.row(i) = -image.row(i);
    left.col(i) = -left.col(i);
  }
  b.diagonal().tail(order - rank).setOnes();
  if (nulls > 0) {
    M w;
    if (!refine_detail::solve_nearly_diagonal(b, image, w, workers)) return result;
    refine_detail::turn_null_space(image, w, b, rows, null, workers);
  }

  const Real epsilon = std::numeric_limits<Real>::epsilon();
  const Real enough =
      Real(2) * epsilon * Real(static_cast<double>(rank));  // rounding of the products themselves
  M change(order, order), correction(order, order), rest;
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
    refine_detail::multiply(left, M(left), turn.transpose(), workers, true);
    // ‖D^-½ S D^½‖ <= 8/3 ‖E‖ < 1/3, so the last rotation leaves such a B positive definite.
    if (result.converged && refine_detail::squares_beside_diagonal(b) < Real(1) / Real(64)) break;
    refine_detail::multiply(b, turn, M(b), workers, true);
  }
  // X = QP with orthogonal Q and symmetric P is the polar decomposition only if P >= 0: if eigenvalues of a
  // symmetric X have changed their signs, msgn has changed although UᵀXV is still symmetric.
  if (!refine_detail::positive_definite(b, refine_detail::rounding_of_values(whole, rows))) return {};
  result.polar = refine_detail::corner(times(left, rows.transpose()), x.rows(), columns);
  result.b = refine_detail::corner(b, rank, rank);
  result.basis.u = refine_detail::corner(left, x.rows(), rank);
  result.basis.v.resize(columns, columns);
  refine_detail::copy_corner(rows, columns, rank, result.basis.v.leftCols(rank));
  refine_detail::copy_corner(null, columns, nulls, result.basis.v.rightCols(nulls));
  return result;
}

/// The same for a small matrix, on the stack.
template <class Real>
Refinement<Real> refine_polar(const SingularBasis<Real>& basis, const MatrixOf<Real>& x,
                              const Workers& workers) {
  if constexpr (std::is_same_v<Real, double>) {
    constexpr Index on_stack = 40;
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, on_stack, on_stack>;
    if (std::max(x.rows(), x.cols()) <= on_stack) return refine_polar_in<Small>(basis, x, workers);
  }
  return refine_polar_in<MatrixOf<Real>>(basis, x, workers);
}

}  // namespace rarefact
