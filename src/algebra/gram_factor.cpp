#include "algebra/gram_factor.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "algebra/decompositions.hpp"
#include "algebra/product.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/real50.hpp"
#include "core/sorted_order.hpp"

namespace rarefact {

namespace {

/// Largest number of null vectors that are stored.
constexpr Index max_null_vectors = 4;

/// The norms of the rows and columns of the matrix itself.
template <class Real>
EntryNorms<Real> own_norms(const MatrixOf<Real>& s) {
  return {column_norms<Real>(s.transpose()), column_norms(s)};
}

/// R with SᵀS = RᵀR, upper triangular in the order of its pivots. By Householder QR with rows sorted by their
/// largest entry and columns pivoted, whose error is relative to every row (Cox and Higham 1998) and to every
/// column. A column is dependent if only noise is left of it, at most 16 eps max(rows, columns) times the
/// reference norms in every entry. S must be finite.
template <class Real>
PivotedQr<Real> graded_triangle(const MatrixOf<Real>& s, const EntryNorms<Real>& norms) {
  using std::abs;
  const VectorOf<Real> largest = s.cwiseAbs().rowwise().maxCoeff();
  const auto order = sorted_order(s.rows(), [&](Index i, Index j) { return largest(i) > largest(j); });
  const VectorOf<Real> row_norms = norms.rows(order);
  const Real tolerance = rank_tolerance(s);
  const auto is_noise = [&](const MatrixOf<Real>& left, Index k, Index column, const Real&) {
    for (Index i = k; i < row_norms.size(); ++i)
      if (abs(left(i, column)) > tolerance * std::min(row_norms(i), norms.columns(column))) return false;
    return true;
  };
  return pivoted_qr<Real>(s(order, Eigen::all), is_noise);
}

/// S (I - w wᵀ), w of length √2.
template <class Real>
void reflect(MatrixOf<Real>& s, const VectorOf<Real>& w) {
  for (Index i = 0; i < s.rows(); ++i) s.row(i) -= s.row(i).dot(w) * w.transpose();
}

/// Reflections that map the null space to coordinate vectors.
template <class Real>
struct Deflation {
  std::vector<VectorOf<Real>> w;
  std::vector<Index> coordinates;

  explicit Deflation(MatrixOf<Real> null) {
    using std::abs;
    using std::sqrt;
    for (Index c = 0; c < null.cols(); ++c) {
      const VectorOf<Real> v = null.col(c);
      Index at = 0;
      v.cwiseAbs().maxCoeff(&at);
      VectorOf<Real> normal = v;
      normal(at) += v(at) < Real(0) ? Real(-1) : Real(1);
      normal /= sqrt(Real(Real(1) + abs(v(at))));
      MatrixOf<Real> rest = null.transpose();
      reflect(rest, normal);
      null = rest.transpose();
      w.push_back(normal);
      coordinates.push_back(at);
    }
  }
  void apply(MatrixOf<Real>& s) const {
    for (std::size_t i = 0; i < w.size(); ++i) reflect(s, w[i]);
    for (const Index at : coordinates) s.col(at).setZero();
  }
  void undo(MatrixOf<Real>& s) const {
    for (std::size_t i = w.size(); i-- > 0;) reflect(s, w[i]);
  }
};

/// The singular values of A, with U as v: those of Aᵀ, whose rows are graded if the columns of A are. The
/// rank was decided when A was made.
template <class Real>
RankedSvd<Real> svd_of_factor(const MatrixOf<Real>& a, const Workers& workers) {
  return ranked_svd<Real>(a.transpose(), VectorOf<Real>::Zero(a.rows()), workers);
}

}  // namespace

template <class M>
typename GramFactor<M>::Part GramFactor<M>::Part::of(MatrixOf<Real> s, const EntryNorms<Real>& norms,
                                                     const EntryChange<Real>& before) {
  if (before) before(s, norms);
  if (!s.allFinite())
    return {MatrixOf<Real>::Constant(s.cols(), s.cols(), std::numeric_limits<Real>::quiet_NaN()), {}};
  const PivotedQr<Real> triangle = graded_triangle(s, norms);
  Part part{triangle.r.transpose(), MatrixOf<Real>(s.cols(), 0)};
  if (s.cols() - triangle.r.rows() <= max_null_vectors) part.null = null_space(triangle.r, triangle.pivots);
  return part;
}

template <class M>
bool GramFactor<M>::Part::annihilates(const Part& other) const {
  const MatrixOf<Real> image = null.transpose() * other.factor;
  const MatrixOf<Real> size = null.cwiseAbs().transpose() * other.factor.cwiseAbs();
  const Real tolerance = rank_tolerance<Real>(factor.rows());
  return (image.cwiseAbs().array() <= tolerance * size.array()).all();
}

template <class M>
typename GramFactor<M>::Part GramFactor<M>::Part::combined(const Real& a, const Part& other,
                                                           const Real& c) const {
  using std::sqrt;
  MatrixOf<Real> stacked(factor.cols() + other.factor.cols(), factor.rows());
  stacked.topRows(factor.cols()) = sqrt(a) * factor.transpose();
  stacked.bottomRows(other.factor.cols()) = sqrt(c) * other.factor.transpose();
  EntryNorms<Real> norms = own_norms(stacked);
  const MatrixOf<Real>& known = factor.cols() >= other.factor.cols() ? null : other.null;
  const bool shared = factor.cols() >= other.factor.cols() ? annihilates(other) : other.annihilates(*this);
  if (known.cols() == 0 || !shared || !stacked.allFinite()) {
    // With more rows than the rank, noise of the largest row remains beside the smallest.
    norms.rows.setConstant(std::numeric_limits<Real>::max());
    return of(stacked, norms);
  }
  const Deflation<Real> deflation(known);
  deflation.apply(stacked);
  MatrixOf<Real> r = graded_triangle(stacked, own_norms(stacked)).r;
  deflation.undo(r);
  return {r.transpose(), known};
}

template <>
GramFactor<DenseMatrix> GramFactor<DenseMatrix>::of(const DenseMatrix& x, const EntryChange<double>& before) {
  GramFactor result;
  const Matrix s = x.entries.transpose();
  result.parts_.push_back(Part::of(s, own_norms(s), before));
  return result;
}

template <class M>
GramFactor<M> GramFactor<M>::of(const M& x, const EntryChange<Real>& before) {
  GramFactor result;
  result.structure_ = with_sides(x.shared_structure(), Side::rows, Side::rows);
  const GroupStructure& s = x.structure();
  // The transpose is factored.
  const IrreducibleParts<Real> parts = irreducible_parts(x, true),
                               transposes = irreducible_parts(transposed(x), true);
  result.parts_.push_back(
      Part::of(transposes.trivial, {parts.trivial_norms, transposes.trivial_norms}, before));
  for (Index i = 0; i < s.groups(); ++i) {
    if (s.count[i] <= 1 || s.row_types().size(i) == 0) {
      result.parts_.emplace_back();
      continue;
    }
    const GroupTypes &rows = s.row_types(), &columns = s.column_types();
    const MatrixOf<Real> part = diagonal_block_of(parts.contrast, s, i).transpose();
    result.parts_.push_back(Part::of(part,
                                     {parts.contrast_norms.segment(columns.begin(i), columns.size(i)),
                                      transposes.contrast_norms.segment(rows.begin(i), rows.size(i))},
                                     before));
  }
  return result;
}

template <class M>
GramFactor<M> GramFactor<M>::combined(const Real& a, const GramFactor& y, const Real& c) const {
  GramFactor result;
  result.structure_ = structure_;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    result.parts_.push_back(parts_[i].factor.rows() == 0 ? Part{} : parts_[i].combined(a, y.parts_[i], c));
  return result;
}

template <>
DenseMatrix GramFactor<DenseMatrix>::assembled(const std::vector<Matrix>& parts) const {
  return {parts.front()};
}

template <class M>
M GramFactor<M>::assembled(const std::vector<MatrixOf<Real>>& parts) const {
  const Index groups = structure_->groups();
  IrreducibleParts<Real> all{VectorOf<Real>::Zero(structure_->diagonal_begin(groups)), parts.front()};
  for (Index i = 0; i < groups; ++i) {
    const MatrixOf<Real>& part = parts[i + 1];
    if (part.size() > 0) diagonal_block_of(all.contrast, *structure_, i) = part;
  }
  return from_parts(structure_, all);
}

template <class M>
M GramFactor<M>::formed(const Workers& workers) const {
  std::vector<MatrixOf<Real>> products;
  for (const Part& part : parts_) products.push_back(product(part.factor, part.factor.transpose(), workers));
  return assembled(products);
}

template <class M>
M GramFactor<M>::mapped_roots(const SpectralMap<Real>& f, const Workers& workers) const {
  std::vector<MatrixOf<Real>> mapped;
  for (const Part& part : parts_) {
    const MatrixOf<Real>& a = part.factor;
    if (a.rows() == 0 || !a.allFinite()) {
      mapped.push_back(a);
      continue;
    }
    RankedSvd<Real> svd = svd_of_factor(a, workers);
    svd.u = svd.v;
    mapped.push_back(mapped_singular_values<Real>(svd, f, workers));
  }
  return assembled(mapped);
}

template <class M>
M GramFactor<M>::power(const Real& p, const Workers& workers) const {
  using std::pow;
  return mapped_roots([&p](const Real& sigma) { return Real(pow(sigma, Real(Real(2) * p))); }, workers);
}

template <class M>
M GramFactor<M>::spectral(const SpectralMap<Real>& f, const Workers& workers) const {
  return mapped_roots([&f](const Real& sigma) { return f(sigma * sigma); }, workers);
}

template <class M>
typename GramFactor<M>::Real GramFactor<M>::root_trace() const {
  using std::sqrt;
  VectorOf<Real> norms(static_cast<Index>(parts_.size()));
  for (Index i = 0; i < norms.size(); ++i) {
    const Real copies = i == 0 ? Real(1) : Real(Real(structure_->count[i - 1]) - Real(1));
    norms(i) = sqrt(copies) * safe_norm(parts_[i].factor);
  }
  return safe_norm(norms);
}

template <class M>
M GramFactor<M>::eigenvectors(std::string&, const Workers&) const {
  throw std::logic_error("only the dense algebra has eigenvectors");
}

template <>
DenseMatrix GramFactor<DenseMatrix>::eigenvectors(std::string& failure, const Workers& workers) const {
  failure.clear();
  const Matrix& a = parts_.front().factor;
  if (!a.allFinite()) return {a};
  const RankedSvd<double> svd = svd_of_factor(a, workers);
  for (Index i = 0; i + 1 < svd.rank(); ++i) {
    const double gap = (svd.sigma(i) - svd.sigma(i + 1)) / svd.sigma(0);
    if (gap >= min_gap) continue;
    failure = fmt::format(
        "eigenvectors are ill-defined: the roots of eigenvalues {} and {} differ by {:.1e} of the largest "
        "root, at least {:g} is needed",
        i + 1, i + 2, gap, min_gap);
    break;
  }
  Matrix vectors = Matrix::Zero(a.rows(), a.rows());
  vectors.leftCols(svd.rank()) = svd.v;
  return {vectors};
}

template class GramFactor<DenseMatrix>;
template class GramFactor<SymmetricMatrix<double>>;
template class GramFactor<SymmetricMatrix<Real50>>;

}  // namespace rarefact
