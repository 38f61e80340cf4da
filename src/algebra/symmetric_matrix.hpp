#pragma once

/// K x K matrices that commute with permuting equal blocks inside a group, stored in O((bM)²) numbers
/// whatever K is.
///
/// Group i has n_i blocks of b classes. The matrix is given by
///   own(i)       b x b   the entries a block of group i has with itself             (O_i)
///   other(i, j)  b x b   the entries a block of group i has with a different block of group j   (B_ij)
/// Matrix functions split into irreducible parts: the contrast part A_i = O_i - B_ii with multiplicity n_i -
/// 1, and the trivial part T (bM x bM) with blocks δ_ij A_i + √(n_i n_j) B_ij. Products, transposes, polar
/// factors and singular values act on each part; B_ij = (T'_ij - δ_ij A'_i)/√(n_i n_j) and O_i = A'_i + B_ii
/// lead back.
///
/// A group of one block has no contrast part and no "different block": other(i, i) is kept at zero there.

#include <memory>
#include <utility>
#include <vector>

#include "algebra/polar.hpp"

namespace rarefact {

/// How K classes fall into M groups of identical blocks of b classes: K = b Σ n_i. Shared by all matrices of
/// a run.
struct GroupStructure {
  Index block = 1;            ///< b
  std::vector<double> count;  ///< n_i >= 1 blocks in group i; real in a quadrature, up to 1e300

  Index groups() const { return static_cast<Index>(count.size()); }
  Index rows() const { return block * groups(); }  ///< b M

  double classes() const {  ///< K
    double sum = 0;
    for (const double n : count) sum += n;
    return static_cast<double>(block) * sum;
  }

  void exchange(Archive& archive) { archive(block, count); }
};

using SharedStructure = std::shared_ptr<const GroupStructure>;

template <class Real>
class SymmetricPolar;

template <class Real>
class SymmetricMatrix {
 public:
  using Scalar = Real;
  using Polar = SymmetricPolar<Real>;

  SymmetricMatrix() = default;
  /// The zero matrix.
  explicit SymmetricMatrix(SharedStructure structure)
      : structure_(std::move(structure)),
        own_(MatrixOf<Real>::Zero(structure_->block, structure_->rows())),
        other_(MatrixOf<Real>::Zero(structure_->rows(), structure_->rows())) {}

  const GroupStructure& structure() const { return *structure_; }
  const SharedStructure& shared_structure() const { return structure_; }

  auto own(Index i) { return own_.middleCols(i * structure_->block, structure_->block); }
  auto own(Index i) const { return own_.middleCols(i * structure_->block, structure_->block); }
  auto other(Index i, Index j) {
    const Index b = structure_->block;
    return other_.block(i * b, j * b, b, b);
  }
  auto other(Index i, Index j) const {
    const Index b = structure_->block;
    return other_.block(i * b, j * b, b, b);
  }

  /// All own blocks side by side (b x bM) and all other blocks (bM x bM), for entrywise work.
  MatrixOf<Real>& own_entries() { return own_; }
  const MatrixOf<Real>& own_entries() const { return own_; }
  MatrixOf<Real>& other_entries() { return other_; }
  const MatrixOf<Real>& other_entries() const { return other_; }

  void exchange(Archive& archive) { archive(structure_, own_, other_); }

 private:
  SharedStructure structure_;
  MatrixOf<Real> own_, other_;
};

/// The irreducible parts of a symmetric matrix.
template <class Real>
struct IrreducibleParts {
  MatrixOf<Real> contrast;  ///< b x bM, the A_i side by side; zero where n_i = 1
  MatrixOf<Real> trivial;   ///< bM x bM
};

namespace symmetric_detail {

/// √n_i for every row of group i.
template <class Real>
VectorOf<Real> row_roots(const GroupStructure& s) {
  using std::sqrt;
  VectorOf<Real> roots(s.rows());
  for (Index row = 0; row < s.rows(); ++row)
    roots(row) = sqrt(Real(s.count[static_cast<std::size_t>(row / s.block)]));
  return roots;
}

}  // namespace symmetric_detail

template <class Real>
IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const Index b = s.block;
  const VectorOf<Real> roots = symmetric_detail::row_roots<Real>(s);
  IrreducibleParts<Real> parts{MatrixOf<Real>::Zero(b, s.rows()),
                               roots.asDiagonal() * x.other_entries() * roots.asDiagonal()};
  for (Index i = 0; i < s.groups(); ++i) {
    // O + (n - 1) B rather than A + n B: exact for n = 1, and one subtraction less.
    parts.trivial.block(i * b, i * b, b, b) = x.own(i) + (Real(s.count[i]) - Real(1)) * x.other(i, i);
    if (s.count[i] > 1) parts.contrast.middleCols(i * b, b) = x.own(i) - x.other(i, i);
  }
  return parts;
}

template <class Real>
SymmetricMatrix<Real> from_parts(SharedStructure structure, const IrreducibleParts<Real>& parts) {
  SymmetricMatrix<Real> x(std::move(structure));
  const GroupStructure& s = x.structure();
  const Index b = s.block;
  const VectorOf<Real> inverse_roots = symmetric_detail::row_roots<Real>(s).cwiseInverse();
  x.other_entries() = inverse_roots.asDiagonal() * parts.trivial * inverse_roots.asDiagonal();
  for (Index i = 0; i < s.groups(); ++i) {
    const auto block = parts.trivial.block(i * b, i * b, b, b);
    if (s.count[i] > 1) {
      const auto contrast = parts.contrast.middleCols(i * b, b);
      x.other(i, i) = (block - contrast) / Real(s.count[i]);
      x.own(i) = contrast + x.other(i, i);
    } else {
      x.other(i, i).setZero();
      x.own(i) = block;
    }
  }
  return x;
}

/// y <- a y + c x.
template <class Real>
void combine(SymmetricMatrix<Real>& y, Given<Real> a, Given<Real> c, const SymmetricMatrix<Real>& x) {
  y.own_entries() = a * y.own_entries() + c * x.own_entries();
  y.other_entries() = a * y.other_entries() + c * x.other_entries();
}

/// ‖X‖_F = (Σ n_i ‖O_i‖² + Σ_ij (n_i n_j - δ_ij n_i) ‖B_ij‖²)^½, without overflow.
template <class Real>
Real frobenius_norm(const SymmetricMatrix<Real>& x) {
  using std::sqrt;
  const GroupStructure& s = x.structure();
  MatrixOf<Real> norms(s.groups(), s.groups() + 1);
  for (Index j = 0; j < s.groups(); ++j) {
    const Real n = Real(s.count[j]);
    norms(j, s.groups()) = sqrt(n) * safe_norm(x.own(j));
    for (Index i = 0; i < s.groups(); ++i) {
      const Real partners = i == j ? Real(Real(s.count[i]) - Real(1)) : Real(s.count[i]);
      norms(i, j) = sqrt(partners) * sqrt(n) * safe_norm(x.other(i, j));
    }
  }
  return safe_norm(norms);
}

/// Entrywise f(x) and, in place, y <- f(y, x). f must map zeros to zero.
template <class Real, class Function>
SymmetricMatrix<Real> mapped(const SymmetricMatrix<Real>& x, Function f) {
  SymmetricMatrix<Real> y(x.shared_structure());
  y.own_entries() = x.own_entries().unaryExpr(f);
  y.other_entries() = x.other_entries().unaryExpr(f);
  return y;
}

template <class Real, class Function>
void map_in_place(SymmetricMatrix<Real>& y, const SymmetricMatrix<Real>& x, Function f) {
  y.own_entries() = y.own_entries().binaryExpr(x.own_entries(), f);
  y.other_entries() = y.other_entries().binaryExpr(x.other_entries(), f);
}

namespace symmetric_detail {

/// Norms of the columns of T and of the A_i before any cancellation: what their rounding noise is relative
/// to.
template <class Real>
std::pair<VectorOf<Real>, VectorOf<Real>> reference_norms(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const Index b = s.block;
  const IrreducibleParts<Real> sizes =
      irreducible_parts(mapped(x, [](const Real& e) { return e < Real(0) ? Real(-e) : e; }));
  VectorOf<Real> trivial(s.rows()), contrast(s.rows());
  for (Index column = 0; column < s.rows(); ++column) {
    trivial(column) = safe_norm(sizes.trivial.col(column));
    const Index i = column / b;
    contrast(column) = safe_norm((x.own(i).cwiseAbs() + x.other(i, i).cwiseAbs()).col(column % b).eval());
  }
  return {trivial, contrast};
}

}  // namespace symmetric_detail

/// A matrix function that respects orthogonal equivalence: each takes an irreducible part that exists, with
/// the reference norms of its columns (see polar.hpp), to that part of the result.
template <class Real, class OfTrivial, class OfContrast>
SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>& x, const OfTrivial& of_trivial,
                                   const OfContrast& of_contrast) {
  const GroupStructure& s = x.structure();
  const Index b = s.block;
  IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  parts.trivial = of_trivial(parts.trivial, trivial_norms);
  for (Index i = 0; i < s.groups(); ++i) {
    if (s.count[i] <= 1) continue;
    const MatrixOf<Real> contrast = parts.contrast.middleCols(i * b, b);
    parts.contrast.middleCols(i * b, b) =
        of_contrast(contrast, VectorOf<Real>(contrast_norms.segment(i * b, b)));
  }
  return from_parts(x.shared_structure(), parts);
}

/// msgn along a trajectory: the trivial part is tracked, the small contrast parts are decomposed every time.
template <class Real>
class SymmetricPolar {
 public:
  SymmetricMatrix<Real> operator()(const SymmetricMatrix<Real>& x, const Workers& workers) {
    return mapped_parts(
        x, [&](const auto& part, const auto& norms) { return tracker_(part, norms, workers); },
        [](const auto& part, const auto& norms) { return polar_factor<Real>(part, norms); });
  }
  const PolarTracker<Real>& tracker() const { return tracker_; }
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  PolarTracker<Real> tracker_;
};

/// Singular values of the A_i with multiplicity n_i - 1 and of T once each; nonzero ones, descending. Which
/// are zero is decided in Real.
template <class Real>
SingularValues singular_values(const SymmetricMatrix<Real>& x);

}  // namespace rarefact
