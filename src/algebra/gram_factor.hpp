#pragma once

/// A Aᵀ, stored as its factor A.
///
/// Singular values of A that differ by 1e8 are eigenvalues of A Aᵀ that differ by 1e16: formed, the small
/// ones are rounding noise of the large ones. So a sum of Gram matrices is stored as a factor of the sum, and
/// functions of the sum are functions of the factor's singular values. The relative accuracy of rows and
/// columns is preserved: for A = D Y D' with diagonal D and D' neither costs digits.

#include <functional>
#include <string>

#include "algebra/operations.hpp"

namespace rarefact {

/// Reference norms: the rounding noise of an entry is relative to the smaller of its row's and its column's
/// norm.
template <class Real>
struct EntryNorms {
  VectorOf<Real> rows, columns;
};

/// Changes a part of a matrix, given its norms.
template <class Real>
using EntryChange = std::function<void(MatrixOf<Real>&, const EntryNorms<Real>&)>;

/// M is DenseMatrix or SymmetricMatrix<Real>. Powers and functions leave zero eigenvalues (by the rank
/// decision made with A) at zero. If an entry of the factor is not finite, results are NaN.
template <class M>
class GramFactor {
 public:
  using Real = typename M::Scalar;

  GramFactor() = default;
  /// X Xᵀ; `before`, if set, changes the parts of Xᵀ first.
  static GramFactor of(const M& x, const EntryChange<Real>& before = {});

  /// a A Aᵀ + c B Bᵀ, B the factor of y; a, c >= 0.
  GramFactor combined(const Real& a, const GramFactor& y, const Real& c) const;

  /// A Aᵀ.
  M formed(const Workers& workers = Workers::serial()) const;
  /// (A Aᵀ)^p.
  M power(const Real& p, const Workers& workers = Workers::serial()) const;
  /// U f(Λ) Uᵀ over the nonzero eigenvalues.
  M spectral(const SpectralMap<Real>& f, const Workers& workers = Workers::serial()) const;
  /// (tr A Aᵀ)^½ = ‖A‖_F.
  Real root_trace() const;
  /// The number of nonzero eigenvalues, each part counted once.
  double rank() const {
    double rank = 0;
    for (const Part& part : parts_) rank += static_cast<double>(part.factor.cols());
    return rank;
  }
  /// Eigenvectors of the nonzero eigenvalues in descending order, then zero columns: d x d. If the roots of
  /// two neighbouring eigenvalues differ by less than min_gap times the largest root, they are not defined
  /// and `failure` says so; else it is empty. Dense only.
  M eigenvectors(std::string& failure, const Workers& workers = Workers::serial()) const;

  void exchange(Archive& archive) { archive(structure_, parts_); }

 private:
  /// A on one irreducible part.
  struct Part {
    MatrixOf<Real> factor;  ///< at most as many columns as rows; of size zero if there is no such part
    /// Orthonormal N with Nᵀ A = 0, a column for each null vector; empty if there are many. Gradients have
    /// one, which every sum of their Gram matrices shares; it is found once and never mistaken for a small
    /// eigenvalue.
    MatrixOf<Real> null;

    static Part of(MatrixOf<Real> s, const EntryNorms<Real>& norms, const EntryChange<Real>& before = {});
    /// The factor of a times this Gram matrix plus c times the other.
    Part combined(const Real& a, const Part& other, const Real& c) const;
    bool annihilates(const Part& other) const;
    void exchange(Archive& archive) { archive(factor, null); }
  };
  /// f of the singular values of A, on every part.
  M mapped_roots(const SpectralMap<Real>& f, const Workers& workers) const;
  M assembled(const std::vector<MatrixOf<Real>>& parts) const;

  SharedStructure structure_;  ///< of A Aᵀ; null where M is dense
  std::vector<Part> parts_;    ///< dense: X; symmetric: the trivial part, then the A_i
};

}  // namespace rarefact
