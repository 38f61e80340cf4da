#include "algebra/polar.hpp"

#include "algebra/bidiagonal_values.hpp"
#include "algebra/householder.hpp"
#include "algebra/polar_columns.hpp"
#include "algebra/polar_newton.hpp"
#include "algebra/polar_refine.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// True if a decomposition with absolute error eps σ_max is accurate enough for the refinement to correct.
template <class Real>
bool mildly_graded(const MatrixOf<Real>& r, const std::vector<Index>& pivots) {
  using std::abs;
  Real largest = Real(0), smallest = std::numeric_limits<Real>::max();
  for (Index k = 0; k < r.rows(); ++k) {
    const Real size = abs(r(k, pivots[k]));
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  return smallest >= Real(1e-6) * largest;
}

/// The nonzero singular values of X if all are equal, as for updates of Muon: X XᵀX = σ² X is tested column
/// by column, so that no small value is taken for zero. nullopt if they differ, or are so small beside a
/// reference norm that the rank must be decided.
std::optional<Vector> equal_values(const Matrix& x, const Vector& reference_norms) {
  // Tolerance per column: a value whose vectors are spread over all n is √n times as large as in one column,
  // and the rank decision keeps values above 16 √n ε.
  constexpr double noise = 16 * std::numeric_limits<double>::epsilon();
  const double unit = x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  if (!(unit > 0) || !std::isfinite(unit)) return std::nullopt;
  const Matrix y = x / unit;
  // Most matrices already fail in the longest column, by far more than rounding.
  constexpr double different = 1e-8;
  Index largest = 0;
  const double part = y.colwise().squaredNorm().maxCoeff(&largest);
  const Vector image = y.transpose() * y.col(largest), back = y * image;
  const double equal = image.squaredNorm() / part;
  if (!((back - equal * y.col(largest)).norm() <= different * back.norm())) return std::nullopt;
  const bool wide = x.cols() > x.rows();
  const Matrix gram = wide ? times(y, y.transpose()) : times(y.transpose(), y);
  const double squares = gram.trace(), square = gram.squaredNorm() / squares,
               rank = std::round(squares / square), sigma = std::sqrt(square) * unit;
  if (!(std::abs(squares - rank * square) <= noise * squares)) return std::nullopt;
  if (reference_norms.size() > 0 && !(sigma >= 1e-3 * reference_norms.maxCoeff())) return std::nullopt;
  const Matrix defect = (wide ? times(gram, y) : times(y, gram)) - square * y;
  for (Index j = 0; j < x.cols(); ++j) {
    const double length = safe_norm(y.col(j));
    const bool underflows = length == 0 && safe_norm(x.col(j)) > 0;
    if (underflows || !(safe_norm(defect.col(j)) <= noise * square * length)) return std::nullopt;
  }
  return Vector::Constant(static_cast<Index>(rank), sigma);
}

/// The rank up to which Jacobi rotations are also faster.
constexpr Index max_for_jacobi = 64;

/// After many rotations columns are orthonormal only to n eps; a Newton-Schulz step restores them.
template <class Real>
MatrixOf<Real> orthonormalised(const MatrixOf<Real>& u) {
  const Workers& alone = Workers::serial();
  return Real(1.5) * u - Real(0.5) * product(u, product(u.transpose(), u, alone), alone);
}

/// The singular basis of a mildly graded R of full rank, to rounding of its largest singular value: R = H P with the polar
/// factor P, and H = U Σ Uᵀ.
std::optional<SingularBasis<double>> basis_by_polar(const Matrix& r) {
  const std::optional<Matrix> polar = newton_polar(r, Workers::serial());
  if (!polar) return std::nullopt;
  Matrix u = symmetric_eigen(product(r, polar->transpose(), Workers::serial())).vectors;
  u = orthonormalised<double>(u);
  Matrix v = product(polar->transpose(), u, Workers::serial());
  return SingularBasis<double>{std::move(u), std::move(v)};
}

/// The singular basis of X = Q R without its null space, from R's right singular vectors and Q times its left ones.
template <class Real>
SingularBasis<Real> range_of(const PivotedQr<Real>& qr) {
  if constexpr (std::is_same_v<Real, double>) {
    if (qr.r.rows() > max_for_jacobi && mildly_graded(qr.r, qr.pivots)) {
      if (auto basis = basis_by_polar(qr.r))
        return {product(qr.q(), basis->u, Workers::serial()), std::move(basis->v)};
    }
  }
  // Rᵀ J = V Σ gives X = Q R = (Q J) Σ Vᵀ. The rows of R are rotated, so the error stays relative to columns. (X V would
  // lose the digits of values far below all columns, such as those of X above λ I.)
  JacobiResult<Real> jacobi = one_sided_jacobi<Real>(qr.r.transpose(), qr.q());
  return {orthonormalised<Real>(jacobi.j), std::move(jacobi.n)};
}

/// [-T; I] with R [-T; I] = 0; the rows of I belong to columns that are not pivots.
template <class Real>
struct TriangleNull {
  MatrixOf<Real> t;
  std::vector<Index> kept, others;
};

template <class Real>
TriangleNull<Real> null_of_triangle(const MatrixOf<Real>& upper, const std::vector<Index>& pivots) {
  const Index r = upper.rows(), n = upper.cols();
  const std::vector<Index> kept(pivots.begin(), pivots.begin() + r);
  std::vector<Index> others;
  for (Index j = 0; j < n; ++j)
    if (std::ranges::find(kept, j) == kept.end()) others.push_back(j);
  const MatrixOf<Real> triangle = upper(Eigen::all, kept);
  MatrixOf<Real> t = upper(Eigen::all, others);
  triangle.template triangularView<Eigen::Upper>().solveInPlace(t);
  return {std::move(t), kept, std::move(others)};
}

/// As null_space(), by the singular values of the smaller side of T: [-T; I] (I + TᵀT)^-½. Rows have digits
/// relative to the largest entry of T, which a pivoted R bounds, not relative to each row.
template <class Real>
MatrixOf<Real> bounded_null_space(const MatrixOf<Real>& upper, const std::vector<Index>& pivots) {
  const auto [t, kept, others] = null_of_triangle(upper, pivots);
  constexpr int large = 100;
  if (!(t.cwiseAbs().maxCoeff() <= Real(large)))
    return null_space(upper, pivots);  // rounding would grow by this factor
  const JacobiResult<Real> svd = refine_detail::thin_decomposition<Real>(t);
  const bool wide = t.cols() > t.rows();
  VectorOf<Real> factor(svd.sigma.size());
  for (Index i = 0; i < factor.size(); ++i) {
    const Real square = svd.sigma(i) * svd.sigma(i), length = sqrt(Real(1) + square);
    factor(i) = wide ? -square / (length * (length + Real(1))) : Real(1) / length;
  }
  MatrixOf<Real> root = times(MatrixOf<Real>(svd.j * factor.asDiagonal()), svd.j.transpose());
  if (wide) root.diagonal().array() += Real(1);
  MatrixOf<Real> null(upper.cols(), t.cols());
  null(kept, Eigen::all) = -times(t, root);
  null(others, Eigen::all) = root;
  return null;
}

}  // namespace

template <class Real>
MatrixOf<Real> null_space(const MatrixOf<Real>& upper, const std::vector<Index>& pivots) {
  const TriangleNull<Real> of = null_of_triangle(upper, pivots);
  MatrixOf<Real> null(upper.cols(), of.others.size());
  null(of.kept, Eigen::all) = -of.t;
  null(of.others, Eigen::all) = MatrixOf<Real>::Identity(of.t.cols(), of.t.cols());
  return one_sided_jacobi(null).n;
}

template <class Real>
SingularBasis<Real> singular_basis(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                                   Index max_rank) {
  const PivotedQr<Real> qr = ranked_qr(x, reference_norms, max_rank);
  const Index rank = qr.r.rows(), n = x.cols();
  if (rank == 0) return {MatrixOf<Real>(x.rows(), 0), MatrixOf<Real>::Identity(n, n)};
  SingularBasis<Real> range = range_of(qr);
  if (rank == n) return range;
  SingularBasis<Real> basis{std::move(range.u), MatrixOf<Real>(n, n)};
  basis.v.leftCols(rank) = range.v;
  basis.v.rightCols(n - rank) = bounded_null_space(qr.r, qr.pivots);
  return basis;
}

template <class Real>
SingularBasis<Real> range_basis(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                                Index max_rank) {
  const PivotedQr<Real> qr = ranked_qr(x, reference_norms, max_rank);
  if (qr.r.rows() == 0) return {MatrixOf<Real>(x.rows(), 0), MatrixOf<Real>(x.cols(), 0)};
  return range_of(qr);
}

template <class Real>
MatrixOf<Real> polar_factor(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                            const Workers& workers, Index max_rank) {
  return WarmStartPolar<Real>()(x, reference_norms, workers, max_rank);
}

template <class Real>
VectorOf<Real> nonzero_singular_values(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms) {
  using std::abs;
  if (x.size() == 1) {
    const Real size = abs(x(0, 0));
    const bool zero =
        reference_norms.size() == 0 ? size == Real(0) : size <= rank_tolerance(x) * reference_norms(0);
    return VectorOf<Real>::Constant(zero ? 0 : 1, size);
  }
  if constexpr (std::is_same_v<Real, double>) {
    if (const auto equal = equal_values(x, reference_norms)) return *equal;
  }
  const PivotedQr<Real> qr = ranked_qr(x, reference_norms);
  if (qr.r.rows() == 0) return VectorOf<Real>(0);
  if constexpr (std::is_same_v<Real, double>) {
    if (qr.r.rows() > 1 && mildly_graded(qr.r, qr.pivots)) {
      if (auto values = checked_singular_values(qr.r)) return std::move(*values);
    }
  }
  VectorOf<Real> sigma = one_sided_jacobi<Real>(qr.r.transpose()).sigma;
  std::sort(sigma.data(), sigma.data() + sigma.size(), [](const Real& a, const Real& b) { return a > b; });
  return sigma;
}

namespace {

/// True if the columns are still orthonormal up to rounding, tested on one vector with entries of unequal
/// size.
template <class Real>
bool orthonormal(const MatrixOf<Real>& q) {
  VectorOf<Real> probe(q.cols());
  for (Index j = 0; j < q.cols(); ++j) {
    probe(j) = Real(j % 2 == 0 ? 1 : -1) * (Real(1) + Real(static_cast<double>(j % 5)) / Real(4));
  }
  const VectorOf<Real> defect = q.transpose() * (q * probe) - probe;
  const Real root = sqrt(Real(static_cast<double>(q.cols())));
  return defect.norm() <= Real(8) * root * std::numeric_limits<Real>::epsilon() * probe.norm();
}

/// The basis of a refinement, rotated further so that B is nearly diagonal.
template <class Real>
SingularBasis<Real> nearly_diagonalising(const Refinement<Real>& refinement) {
  SingularBasis<Real> basis = refinement.basis;
  const Index height = basis.u.rows(), rank = basis.rank();
  MatrixOf<Real> both(height + basis.v.rows(), rank);
  both << basis.u, basis.v.leftCols(rank);
  both = one_sided_jacobi<Real>(refinement.b, both, 1).j;
  basis.u = orthonormalised<Real>(both.topRows(height));
  basis.v.leftCols(rank) = both.bottomRows(basis.v.rows());
  basis.v = orthonormalised<Real>(basis.v);
  return basis;
}

}  // namespace

template <class Real>
MatrixOf<Real> WarmStartPolar<Real>::operator()(const MatrixOf<Real>& x,
                                                const VectorOf<Real>& reference_norms, const Workers& workers,
                                                Index max_rank) {
  const bool same_shape = basis_.u.rows() == x.rows() && basis_.v.rows() == x.cols();
  least_ = Real(0);
  grows_ = grows_ || (basis_.rank() > 0 && !same_shape);
  if (grows_) {
    if (auto polar = polar_near_orthogonal(x, reference_norms, workers)) {
      basis_ = {};
      return std::move(*polar);
    }
  }
  // Rounding spoils the basis slowly.
  constexpr Index seldom = 4;
  if (same_shape && (age_ % seldom > 0 || (orthonormal(basis_.u) && orthonormal(basis_.v)))) {
    Refinement<Real> refinement = refine_polar(basis_, x, workers);
    if (refinement.converged) {
      ++refined_;
      ++age_;
      const auto sizes = refinement.b.diagonal().cwiseAbs();
      least_ = Real(sizes.minCoeff() / sizes.maxCoeff());
      // U follows the polar factor, but V does not rotate within the row space, so corrections shrink ever more slowly.
      // A fresh basis may be no better; one in 16 calls costs little.
      const bool small = basis_.rank() <= max_for_jacobi,
                 stale = age_ >= 16 && refinement.rate > Real(small ? 0.01 : 0.05);
      if (stale) age_ = 0;
      basis_ = !stale  ? std::move(refinement.basis)
               : small ? nearly_diagonalising(refinement)
                       : SingularBasis<Real>();
      return std::move(refinement.polar);
    }
  }
  ++from_scratch_;
  age_ = 0;
  basis_ = singular_basis(x, reference_norms, max_rank);
  // The basis itself may carry an error relative to the largest singular value; one refinement removes it.
  if (basis_.rank() > max_for_jacobi) {
    Refinement<Real> refinement = refine_polar(basis_, x, workers);
    if (refinement.converged) {
      basis_ = std::move(refinement.basis);
      return std::move(refinement.polar);
    }
  }
  return times(basis_.u, basis_.v.leftCols(basis_.rank()).transpose());
}

#define RAREFACT_POLAR(Real)                                                                                 \
  template MatrixOf<Real> null_space(const MatrixOf<Real>&, const std::vector<Index>&);                      \
  template SingularBasis<Real> singular_basis(const MatrixOf<Real>&, const VectorOf<Real>&, Index);          \
  template SingularBasis<Real> range_basis(const MatrixOf<Real>&, const VectorOf<Real>&, Index);             \
  template MatrixOf<Real> polar_factor(const MatrixOf<Real>&, const VectorOf<Real>&, const Workers&, Index); \
  template VectorOf<Real> nonzero_singular_values(const MatrixOf<Real>&, const VectorOf<Real>&);             \
  template class WarmStartPolar<Real>;

RAREFACT_POLAR(double)
RAREFACT_POLAR(Real50)

}  // namespace rarefact
