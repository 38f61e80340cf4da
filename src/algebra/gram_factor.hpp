#pragma once

/// A Aᵀ held by its factor A.
///
/// Singular values of A that differ by 1e8 are eigenvalues of A Aᵀ that differ by 1e16: formed, the small ones are
/// rounding noise of the large ones. So sums of Gram matrices keep a factor of the sum, and functions of the sum are
/// functions of the factor's singular values. A is known row by row and column by column: of A = D Y D', D and D'
/// diagonal, neither costs digits.

#include <string>

#include "algebra/graded_triangle.hpp"
#include "algebra/operations.hpp"

namespace rarefact {

/// M is DenseMatrix or SymmetricMatrix<Real>. Powers and functions are pseudo-functions: zero eigenvalues, by a rank
/// decision taken when A was made, stay zero. A factor of which an entry is not finite gives results
/// without numbers.
template <class M>
class GramFactor {
 public:
  using Real = typename M::Scalar;

  GramFactor() = default;
  /// X Xᵀ.
  static GramFactor of(const M& x);

  /// a A Aᵀ + c B Bᵀ of this A and the factor B of y; a, c >= 0.
  GramFactor combined(const Real& a, const GramFactor& y, const Real& c) const;

  /// A Aᵀ.
  M formed(const Workers& workers = Workers::serial()) const;
  /// (A Aᵀ)^p.
  M power(const Real& p, const Workers& workers = Workers::serial()) const;
  /// U f(Λ) Uᵀ over the nonzero eigenvalues.
  M spectral(const SpectralMap<Real>& f, const Workers& workers = Workers::serial()) const;
  /// (tr A Aᵀ)^½ = ‖A‖_F.
  Real root_trace() const;
  /// Eigenvectors of the nonzero eigenvalues, these descending, then zero columns: d x d. `failure` says why they are
  /// not defined where the roots of two neighbours differ by less than least_gap of the largest root; empty else.
  /// Dense only.
  M eigenvectors(std::string& failure, const Workers& workers = Workers::serial()) const;

  void exchange(Archive& archive) { archive(structure_, parts_); }

 private:
  /// A on one irreducible part.
  struct Part {
    MatrixOf<Real> factor;  ///< no wider than high; of size zero where there is no such part
    /// Orthonormal N with Nᵀ A = 0, of as many columns as there are null vectors; none where these are many. Gradients
    /// have one, which every sum of their Gram matrices shares: found once, it is never taken for a small eigenvalue.
    MatrixOf<Real> null;

    static Part of(const MatrixOf<Real>& s, const EntryNorms<Real>& norms);
    /// Of √a times this and √c times the other's.
    Part combined(const Real& a, const Part& other, const Real& c) const;
    bool annihilates(const Part& other) const;
    void exchange(Archive& archive) { archive(factor, null); }
  };
  /// f of the singular values of A, on every part.
  M mapped_roots(const SpectralMap<Real>& f, const Workers& workers) const;
  M assembled(const std::vector<MatrixOf<Real>>& parts) const;

  SharedStructure structure_;  ///< of A Aᵀ; null where M is dense
  std::vector<Part> parts_;    ///< dense: one; symmetric: that of T, then those of the A_i
};

}  // namespace rarefact
