#pragma once

/// The irreducible parts of a symmetric matrix, and functions that act on each of them.
///
/// Group i has a contrast part A_i (h_i x q_i) of multiplicity n_i - 1, and all groups share one trivial part
/// Y (H x Q); b and a are types of rows and columns, t_b and r_a their multiplicities:
///   A^i_ba = √(t_b r_a) (O_ba - X_ba)
///   Y_ba = √(n_b t_b n_a r_a) X_ba + [b and a of one group] √(t_b r_a) (O_ba - X_ba)
/// On contrasts among identical rows or columns the matrix is zero. Products, transposes, polar factors and
/// singular values act on each part; X = (Y - [same group] A)/√(n_b t_b n_a r_a) and O = A/√(t_b r_a) + X
/// lead back. A group of one component has no contrast part.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "algebra/dense_matrix.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact {

template <class Real>
struct IrreducibleParts {
  VectorOf<Real> contrast;  ///< the A_i as diagonal entries are stored; zero where n_i = 1
  MatrixOf<Real> trivial;   ///< H x Q
  /// Norms of the columns of Y and of the A_i before cancellation, to which their rounding noise is relative.
  VectorOf<Real> trivial_norms = {}, contrast_norms = {};
};

namespace symmetric_detail {

/// Calls body(i, A_i, reference norms of its columns) for every group that has a contrast part.
template <class Real, class Body>
void for_contrasts(const GroupStructure& s, const IrreducibleParts<Real>& parts, const Body& body) {
  MatrixOf<Real> part;
  VectorOf<Real> of_columns;
  for (Index i = 0; i < s.groups(); ++i) {
    const Index height = s.row_types().size(i), width = s.column_types().size(i);
    if (!(s.count[i] > 1) || height * width == 0) continue;
    if (part.rows() != height || part.cols() != width) part.resize(height, width);
    if (of_columns.size() != width) of_columns.resize(width);
    std::copy_n(parts.contrast.data() + s.diagonal_begin(i), part.size(), part.data());
    std::copy_n(parts.contrast_norms.data() + s.column_types().begin(i), width, of_columns.data());
    body(i, part, of_columns);
  }
}

}  // namespace symmetric_detail

/// With norms if `normed`.
template <class Real>
IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>& x, bool normed = false);
/// Rotates the trivial part of a matrix such as one of signs, whose rows are all alike outside of the diagonal blocks: the
/// common row, if it is far larger than the rest, becomes a single entry. Then its rounding reaches no other singular value.
template <class Real>
void set_common_rows_apart(const SymmetricMatrix<Real>& x, IrreducibleParts<Real>& parts);
template <class Real>
SymmetricMatrix<Real> from_parts(SharedStructure structure, const IrreducibleParts<Real>& parts);

/// Replaces an irreducible part by a function of it, given the reference norms of its columns (polar.hpp).
template <class Real>
using PartFunction = std::function<void(MatrixOf<Real>&, const VectorOf<Real>&)>;

/// Applies a matrix function that commutes with orthogonal transformations, given its values on the trivial
/// part and on the existing contrast parts.
template <class Real>
SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>& x,
                                   const std::type_identity_t<PartFunction<Real>>& of_trivial,
                                   const std::type_identity_t<PartFunction<Real>>& of_contrast);

/// The same function of every part. A dense matrix has a single part.
template <class Real>
SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>& x,
                                   const std::type_identity_t<PartFunction<Real>>& of_part) {
  return mapped_parts(x, of_part, of_part);
}
inline DenseMatrix mapped_parts(DenseMatrix x, const PartFunction<double>& of_part) {
  of_part(x.entries, column_norms(x.entries));
  return x;
}

/// Calls body(part, reference norms of its columns, multiplicity) for every part.
template <class Real, class Body>
void for_parts(const SymmetricMatrix<Real>& x, const Body& body) {
  IrreducibleParts<Real> parts = irreducible_parts(x, true);
  set_common_rows_apart(x, parts);
  body(parts.trivial, parts.trivial_norms, 1);
  symmetric_detail::for_contrasts(x.structure(), parts,
                                  [&](Index i, const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
                                    body(part, norms, x.structure().count[i] - 1);
                                  });
}
template <class Body>
void for_parts(const DenseMatrix& x, const Body& body) {
  body(x.entries, column_norms(x.entries), 1);
}

/// Nonzero singular values of all parts, descending, with multiplicities. The rank decision uses the scalar
/// type of M.
template <class M>
SingularValuesOf<typename M::Scalar> values_of_parts(const M& x) {
  using Real = typename M::Scalar;
  SingularValuesOf<Real> all;
  for_parts(x, [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms, double multiplicity) {
    for (const Real& value : nonzero_singular_values<Real>(part, norms)) all.add(value, multiplicity);
  });
  return sorted(all);
}

/// True if a part has so many more columns than rows that its null space would dominate the cost.
template <class Real>
bool is_wide(const MatrixOf<Real>& part) {
  return part.cols() > 2 * part.rows();
}

/// Replaces a part by its msgn, of at most this rank; A/‖A‖ if it has one row or column.
template <class Real>
void to_polar(MatrixOf<Real>& part, const VectorOf<Real>& reference_norms, const Workers& workers,
              Index max_rank = any_rank);

/// msgn along a trajectory. `before`, if set, changes parts first. A trivial part that is not wide is tracked
/// by WarmStartPolar; the small contrast parts are decomposed every time.
template <class Real>
class SymmetricPolar {
 public:
  SymmetricMatrix<Real> operator()(const SymmetricMatrix<Real>& x, const Workers& workers,
                                   const PolarHint& hint = {}, const PartFunction<Real>& before = {}) {
    Real squares(0);
    SymmetricMatrix<Real> factor = mapped_parts(
        x,
        [&](MatrixOf<Real>& part, const VectorOf<Real>& norms) {
          seen_.zero_columns = (norms.array() == Real(0)).any();
          if (before) before(part, norms);
          if (is_wide(part))
            to_polar(part, norms, workers, hint.known_rank);
          else
            part = tracker_(part, norms, workers, hint.known_rank);
          squares += part.squaredNorm();
        },
        [&](MatrixOf<Real>& part, const VectorOf<Real>& norms) {
          if (before) before(part, norms);
          to_polar(part, norms, workers);
          squares += part.squaredNorm();
        });
    seen_.rank = std::round(static_cast<double>(squares));
    return factor;
  }
  const PolarSeen& seen() const { return seen_; }
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  WarmStartPolar<Real> tracker_;
  PolarSeen seen_;
};

/// The same, as doubles.
template <class M>
SingularValues singular_values(const M& x) {
  SingularValues all;
  const SingularValuesOf<typename M::Scalar> found = values_of_parts(x);
  for (std::size_t i = 0; i < found.values.size(); ++i)
    all.add(static_cast<double>(found.values[i]), found.multiplicities[i]);
  return all;
}

}  // namespace rarefact
