#pragma once

/// The rotation that makes a nearly diagonal B symmetric, and whether B is then positive definite. All matrices are padded
/// to multiples of four rows and columns.

#include <cmath>
#include <limits>

#include "algebra/padded_columns.hpp"
#include "algebra/product.hpp"

namespace rarefact::refine_detail {

/// out = A B, or out += A B with `add`.
template <class M, class Left, class Right>
void multiply(M& out, const Left& a, const Right& b, const Workers& workers, bool add = false) {
  rarefact::multiply(view_of(a), view_of(b), out.data(), out.rows(), workers, add);
}

/// A B as an M.
template <class M, class Left, class Right>
M product_in(const Left& a, const Right& b, const Workers& workers) {
  M out(a.rows(), b.cols());
  multiply(out, a, b, workers);
  return out;
}

/// change_ij = (x_ji - x_ij)/(d_i + d_j), and its Frobenius norm, for padded matrices.
template <class M, class Diagonal>
typename M::Scalar skew_part(const M& x, const Diagonal& d, M& change, const Workers& workers) {
  using Block = Eigen::Matrix<typename M::Scalar, lanes, lanes>;
  constexpr Index tile = 32;  // of rows that are read beside columns
  workers.for_tiles(x.rows(), tile, [&](Index first, Index end) {
    for (Index low = 0; low < end; low += tile) {
      for (Index j = first; j < end; j += lanes) {
        for (Index i = low; i < std::min(low + tile, j + 1); i += lanes) {
          Block block =
              x.template block<lanes, lanes>(j, i).transpose() - x.template block<lanes, lanes>(i, j);
          for (Index c = 0; c < lanes; ++c)
            block.col(c).array() /= d.template segment<lanes>(i).array() + d(j + c);
          change.template block<lanes, lanes>(i, j) = block;
          change.template block<lanes, lanes>(j, i) = -block.transpose();
        }
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
  Real squares(0);
  for (Index j = 0; j < b.cols(); ++j) squares += (b.col(j) / d(j)).squaredNorm() - Real(1);
  return std::min(Real(1), Real(sqrt(std::max(Real(0), Real(Real(2) * squares)))));
}

/// ‖E‖² of B = √D (1 + E) √D with the diagonal D > 0 of B.
template <class M>
typename M::Scalar squares_beside_diagonal(const M& b) {
  using Real = typename M::Scalar;
  const auto inverse = b.diagonal().cwiseInverse().eval();
  Real squares(0);
  for (Index j = 0; j < b.cols(); ++j)  // squares of entries may underflow
    squares += b.col(j).cwiseProduct(inverse).dot(b.col(j)) * inverse(j) - Real(1);
  return squares;
}

/// True if a matrix with a positive diagonal, symmetric or nearly diagonal, is positive definite: if the pivots of its
/// Cholesky decomposition are above their rounding.
template <class M>
bool positive_definite(const M& matrix, const VectorOf<typename M::Scalar>& rounding) {
  using Real = typename M::Scalar;
  using std::sqrt;
  if (squares_beside_diagonal(matrix) < Real(0.5) &&
      (matrix.diagonal().array() > Real(2) * rounding.array()).all())
    return true;
  const Index n = matrix.rows();
  M b = matrix;
  for (Index j = 0; j < n; ++j) {
    b.col(j).tail(n - j) -= b.block(j, 0, n - j, j) * b.row(j).head(j).transpose();
    if (!(b(j, j) > rounding(j))) return false;
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

}  // namespace rarefact::refine_detail
