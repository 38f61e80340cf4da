#pragma once

/// Further operations, for formulas: reductions, products, functions of singular values. Every function is
/// exact on each algebra that supports it; other algebras throw std::logic_error.
///
/// A vector along a side of a matrix is VectorOf<Real>. Dense: d_out or d_in numbers. Symmetric: a number for
/// every type of rows or of columns, with multiplicity n t. Columns: a number for every group, only along the
/// columns; diagonals, traces and singular values require square matrices (square_columns).
///
/// Group sizes and multiplicities may be real numbers. off_block(i, i) of a group with one component is
/// ignored, and zero in results; an absent column of a ColumnMatrix is zero, and results store every column.

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "algebra/algebra.hpp"
#include "algebra/ranked_svd.hpp"
#include "core/parallel.hpp"

namespace rarefact {

/// The index of a matrix along which a vector runs.
using Side = GroupStructure::Side;

/// Kinds of reductions of many entries to one number.
enum class Aggregate {
  sum,        ///< Σx; a sum below 16 eps Σ|x| becomes an exact zero
  euclidean,  ///< (Σx²)^½, without overflow or underflow of the squares
  largest     ///< max |x|
};

// Reductions.

/// The reduction of every row (Side::rows: one number per row) or of every column.
template <class M>
VectorOf<ScalarOf<M>> aggregate(const M& x, Side along, Aggregate how);

/// The reduction of all entries.
template <class M>
ScalarOf<M> aggregate(const M& x, Aggregate how);

/// The reduction of a vector along an index of `like`, with multiplicities.
template <class M>
ScalarOf<M> aggregate(const VectorOf<ScalarOf<M>>& v, const M& like, Side along, Aggregate how);

/// Σ x_kl y_kl of matrices of one shape, with the exact zeros of Aggregate::sum.
template <class M>
ScalarOf<M> inner(const M& x, const M& y);

/// Σ x_ll, with the exact zeros of Aggregate::sum. X is square.
template <class M>
ScalarOf<M> trace(const M& x);

// Products.

/// X Y; X has as many columns as Y has rows (symmetric: the same types). Columns: Y is diagonal (wrong = 0).
DenseMatrix multiplied(const DenseMatrix& x, const DenseMatrix& y, const Workers& workers);
template <class Real>
SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>& x, const SymmetricMatrix<Real>& y,
                                 const Workers& workers);
ColumnMatrix multiplied(const ColumnMatrix& x, const ColumnMatrix& y, const Workers& workers);

/// X v; not for columns.
Vector multiplied(const DenseMatrix& x, const Vector& v);
template <class Real>
VectorOf<Real> multiplied(const SymmetricMatrix<Real>& x, const VectorOf<Real>& v);

/// Xᵀ. Columns: X is diagonal.
DenseMatrix transposed(const DenseMatrix& x);
template <class Real>
SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>& x);
ColumnMatrix transposed(const ColumnMatrix& x);

// Functions of singular values, with the rank decision of polar.hpp, by irreducible parts. If an entry of X
// is not finite, all results are NaN, because such a matrix must not reach a decomposition. M is dense or
// symmetric.

template <class M>
bool finite_entries(const M& x) {
  using std::isfinite;
  return isfinite(aggregate(x, Aggregate::largest));
}

/// A matrix of this shape with entries NaN.
template <class M>
M no_numbers(const M& like) {
  using Real = typename M::Scalar;
  return mapped(like, [](const Real&) { return std::numeric_limits<Real>::quiet_NaN(); });
}

/// U f(Σ) Vᵀ over the nonzero singular values; zero ones stay zero. Columns: X is diagonal.
template <class M>
M spectral_function(const M& x, const std::type_identity_t<SpectralMap<typename M::Scalar>>& f,
                    const Workers& workers) {
  using Real = typename M::Scalar;
  if (!finite_entries(x)) return no_numbers(x);
  return mapped_parts(x, [&](MatrixOf<Real>& part, const VectorOf<Real>& norms) {
    part = mapped_singular_values<Real>(ranked_svd<Real>(part, norms, workers), f, workers);
  });
}
ColumnMatrix spectral_function(const ColumnMatrix& x, const SpectralMap<double>& f, const Workers& workers);

/// Σσ. Columns: O(M³) unless X is diagonal or its columns sum to zero.
template <class M>
typename M::Scalar nuclear_norm(const M& x) {
  using Real = typename M::Scalar;
  if (!finite_entries(x)) return std::numeric_limits<Real>::quiet_NaN();
  const SingularValuesOf<Real> sigma = values_of_parts(x);
  Real sum(0);
  for (std::size_t i = 0; i < sigma.values.size(); ++i)
    sum += Real(sigma.multiplicities[i]) * sigma.values[i];
  return sum;
}

/// max σ. Columns: as nuclear_norm.
template <class M>
typename M::Scalar spectral_norm(const M& x) {
  using Real = typename M::Scalar;
  if (!finite_entries(x)) return std::numeric_limits<Real>::quiet_NaN();
  const SingularValuesOf<Real> sigma = values_of_parts(x);
  return sigma.values.empty() ? Real(0) : sigma.values.front();
}

/// A number between σ_r and σ_{r+1}, counted with multiplicity; zero if there are at most r. nullopt if they
/// are equal up to rounding, or belong to one multiplet.
template <class Real>
std::optional<Real> cut_after(const SingularValuesOf<Real>& sigma, Index r) {
  double left = static_cast<double>(r);
  for (std::size_t i = 0; i < sigma.values.size(); ++i) {
    const Real& value = sigma.values[i];
    // Real multiplicities within a group sum to whole numbers up to rounding.
    if (left <= 1e-9 * static_cast<double>(r)) {
      if (i == 0) return Real(2) * value;
      const Real& before = sigma.values[i - 1];
      if (!(before - value >= Real(min_gap) * before)) return std::nullopt;
      return (before + value) / Real(2);
    }
    left -= sigma.multiplicities[i];
    if (left < -1e-9 * static_cast<double>(r)) return std::nullopt;
  }
  return Real(0);
}

/// The part of X with its r >= 0 largest singular values; X, up to rounding, if it has no more. nullopt if σ_r and
/// σ_{r+1} differ by less than 1e-8 σ_r, so that the part is not defined. Symmetric: singular values of
/// contrast parts count n_i - 1 times.
template <class M>
std::optional<M> leading_part(const M& x, Index r, const Workers& workers = Workers::serial()) {
  using Real = typename M::Scalar;
  if (!finite_entries(x)) return no_numbers(x);
  const std::optional<Real> cut = cut_after(values_of_parts(x), r);
  if (!cut) return std::nullopt;
  const auto kept = [&](const Real& sigma) { return sigma > *cut ? sigma : Real(0); };
  return spectral_function(x, kept, workers);
}

}  // namespace rarefact
