#pragma once

/// The irreducible parts of a symmetric matrix, and what is done to each of them alone.
///
/// Group i has a contrast part A_i (h_i x q_i) that stands n_i - 1 times in the matrix, and all have one trivial part
/// T (H x Q); b and a are types of rows and columns, t_b and r_a their twins:
///   A^i_ba = √(t_b r_a) (O_ba - B_ba)
///   T_ba = √(n_b t_b n_a r_a) B_ba + [b and a of one group] √(t_b r_a) (O_ba - B_ba)
/// On contrasts among twins the matrix is zero. Products, transposes, polar factors and singular values act on each
/// part; B = (T - [same group] A)/√(n_b t_b n_a r_a) and O = A/√(t_b r_a) + B lead back. A group of one unit has no
/// contrast part.

#include "algebra/compact_part.hpp"
#include "algebra/polar.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact {

template <class Real>
struct IrreducibleParts {
  VectorOf<Real> contrast;  ///< the A_i as own entries are stored; zero where n_i = 1
  MatrixOf<Real> trivial;   ///< H x Q
};

template <class Real>
IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>& x) {
  using namespace symmetric_detail;
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  IrreducibleParts<Real> parts{VectorOf<Real>::Zero(x.own_entries().size()),
                               side_roots<Real>(s, Side::rows).asDiagonal() * x.other_entries() *
                                   side_roots<Real>(s, Side::columns).asDiagonal()};
  for (Index i = 0; i < s.groups(); ++i) {
    auto trivial = group_block(parts.trivial, s, i, i);
    // O + (n - 1) B rather than A + n B: exact for n = 1, and one subtraction less.
    trivial = x.own(i) + (Real(s.count[i]) - Real(1)) * x.other(i, i);
    twins.multiply(trivial, i, i);
    if (!(s.count[i] > 1)) continue;
    auto contrast = own_block(parts.contrast, s, i);
    contrast = x.own(i) - x.other(i, i);
    twins.multiply(contrast, i, i);
  }
  return parts;
}

template <class Real>
SymmetricMatrix<Real> from_parts(SharedStructure structure, const IrreducibleParts<Real>& parts) {
  using namespace symmetric_detail;
  SymmetricMatrix<Real> x(std::move(structure));
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  const VectorOf<Real> rows = side_roots<Real>(s, Side::rows).cwiseInverse(),
                       columns = side_roots<Real>(s, Side::columns).cwiseInverse();
  x.other_entries() = rows.asDiagonal() * parts.trivial * columns.asDiagonal();
  for (Index i = 0; i < s.groups(); ++i) {
    const auto trivial = group_block(parts.trivial, s, i, i);
    if (s.count[i] > 1) {
      const auto contrast = own_block(parts.contrast, s, i);
      x.other(i, i) = (trivial - contrast) / Real(s.count[i]);
      x.own(i) = contrast + x.other(i, i);
      twins.divide(x.other(i, i), i, i);
    } else {
      x.other(i, i).setZero();
      x.own(i) = trivial;
    }
    twins.divide(x.own(i), i, i);
  }
  return x;
}

namespace symmetric_detail {

/// Norms of the columns of T and of the A_i before any cancellation: what their rounding noise is relative
/// to.
template <class Real>
std::pair<VectorOf<Real>, VectorOf<Real>> reference_norms(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  const IrreducibleParts<Real> sizes =
      irreducible_parts(mapped(x, [](const Real& e) { return e < Real(0) ? Real(-e) : e; }));
  VectorOf<Real> trivial(s.columns()), contrast(s.columns());
  for (Index column = 0; column < s.columns(); ++column)
    trivial(column) = safe_norm(sizes.trivial.col(column));
  for (Index i = 0; i < s.groups(); ++i) {
    MatrixOf<Real> both = x.own(i).cwiseAbs() + x.other(i, i).cwiseAbs();
    twins.multiply(both, i, i);
    for (Index c = 0; c < both.cols(); ++c)
      contrast(s.column_types().begin(i) + c) = safe_norm(both.col(c).eval());
  }
  return {trivial, contrast};
}

/// body(i, A_i, the reference norms of its columns) for every group that has a contrast part.
template <class Real, class Body>
void for_contrasts(const GroupStructure& s, const IrreducibleParts<Real>& parts, const VectorOf<Real>& norms,
                   const Body& body) {
  for (Index i = 0; i < s.groups(); ++i) {
    const MatrixOf<Real> part = own_block(parts.contrast, s, i);
    if (s.count[static_cast<std::size_t>(i)] > 1 && part.size() > 0)
      body(i, part, VectorOf<Real>(norms.segment(s.column_types().begin(i), part.cols())));
  }
}

}  // namespace symmetric_detail

/// A matrix function that respects orthogonal equivalence: each takes an irreducible part that exists, with
/// the reference norms of its columns (see polar.hpp), to that part of the result.
template <class Real, class OfTrivial, class OfContrast>
SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>& x, const OfTrivial& of_trivial,
                                   const OfContrast& of_contrast) {
  const GroupStructure& s = x.structure();
  IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  const CompactPart<Real> compact(x);
  parts.trivial =
      !compact.smaller() ? of_trivial(parts.trivial, trivial_norms)
      : compact.empty()
          ? parts.trivial
          : compact.expanded(of_trivial(compact.reduced(parts.trivial), compact.reduced(trivial_norms)));
  symmetric_detail::for_contrasts(s, parts, contrast_norms,
                                  [&](Index i, const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
                                    own_block(parts.contrast, s, i) = of_contrast(part, norms);
                                  });
  return from_parts(x.shared_structure(), parts);
}

/// Whether a part has so many more columns than rows that its null space would cost more than all else.
template <class Real>
bool is_wide(const MatrixOf<Real>& part) {
  return part.cols() > 2 * part.rows();
}

/// msgn of a part, whatever its shape. Of one row or column it is A/‖A‖.
template <class Real>
MatrixOf<Real> polar_of_part(const MatrixOf<Real>& part, const VectorOf<Real>& reference_norms,
                             const Workers& workers = Workers::serial());

/// msgn along a trajectory: a trivial part that is not wide is tracked, the small contrast parts are decomposed every
/// time.
template <class Real>
class SymmetricPolar {
 public:
  SymmetricMatrix<Real> operator()(const SymmetricMatrix<Real>& x, const Workers& workers) {
    return mapped_parts(
        x,
        [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
          return is_wide(part) ? polar_of_part(part, norms, workers) : tracker_(part, norms, workers);
        },
        [](const MatrixOf<Real>& part, const VectorOf<Real>& norms) { return polar_of_part(part, norms); });
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
