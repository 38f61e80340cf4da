#pragma once

/// Matrices with a row for every pair (s, r) of a subject and a relation, and a column for every subject and, after
/// them, for every relation.
///
/// They commute with permuting alike subjects and alike relations. The columns of subjects are a symmetric matrix whose
/// units are subjects: one type of columns and, for every group of relations, one of rows, twins the relations of that
/// group. So are the columns of relations the other way round. Both have contrast parts of their own; what has none
/// stands in the trivial parts, which are one matrix of G M rows and G + M columns.

#include "algebra/symmetric_parts.hpp"

namespace rarefact {

struct AdditiveMatrix {
  using Scalar = double;
  using Polar = SymmetricPolar<double>;

  SymmetricMatrix<double> subjects, relations;

  AdditiveMatrix() = default;
  /// Zero, for so many subjects and relations in each group.
  AdditiveMatrix(const std::vector<double>& subject_count, const std::vector<double>& relation_count);

  Index subject_groups() const { return subjects.structure().groups(); }
  Index relation_groups() const { return relations.structure().groups(); }
  void exchange(Archive& archive) { archive(subjects, relations); }
};

/// y <- a y + c x.
inline void combine(AdditiveMatrix& y, double a, double c, const AdditiveMatrix& x) {
  combine(y.subjects, a, c, x.subjects);
  combine(y.relations, a, c, x.relations);
}

inline double frobenius_norm(const AdditiveMatrix& x) {
  return std::hypot(frobenius_norm(x.subjects), frobenius_norm(x.relations));
}

/// Entrywise f(x) and, in place, y <- f(y, x). f must map zeros to zero.
template <class Function>
AdditiveMatrix mapped(const AdditiveMatrix& x, Function f) {
  AdditiveMatrix y;
  y.subjects = mapped(x.subjects, f);
  y.relations = mapped(x.relations, f);
  return y;
}
template <class Function>
void map_in_place(AdditiveMatrix& y, const AdditiveMatrix& x, Function f) {
  map_in_place(y.subjects, x.subjects, f);
  map_in_place(y.relations, x.relations, f);
}

/// Σ x y of all entries.
double inner(const AdditiveMatrix& x, const AdditiveMatrix& y);

/// The irreducible parts, with the reference norms of their columns.
class AdditiveParts {
 public:
  explicit AdditiveParts(const AdditiveMatrix& x);
  AdditiveMatrix matrix() const;

  Matrix trivial;
  Vector trivial_norms;
  /// body(part, norms, how often it stands in the matrix) for every contrast part, which it may change.
  template <class Body>
  void for_contrasts(const Body& body) {
    for (Side* side : {&subjects_, &relations_}) {
      const GroupStructure& s = *side->structure;
      symmetric_detail::for_contrasts(s, side->parts, side->norms,
                                      [&](Index i, const Matrix& part, const Vector& norms) {
                                        Matrix changed = part;
                                        body(changed, norms, s.count[static_cast<std::size_t>(i)] - 1);
                                        own_block(side->parts.contrast, s, i) = changed;
                                      });
    }
  }

 private:
  struct Side {
    explicit Side(const SymmetricMatrix<double>& x);
    SharedStructure structure;
    IrreducibleParts<double> parts;
    Vector norms, trivial_norms;
  };
  Side subjects_, relations_;
};

template <class OfTrivial, class OfContrast>
AdditiveMatrix mapped_parts(const AdditiveMatrix& x, const OfTrivial& of_trivial,
                            const OfContrast& of_contrast) {
  AdditiveParts parts(x);
  parts.trivial = of_trivial(Matrix(parts.trivial), parts.trivial_norms);
  parts.for_contrasts(
      [&](Matrix& part, const Vector& norms, double) { part = of_contrast(Matrix(part), norms); });
  return parts.matrix();
}

SingularValues singular_values(const AdditiveMatrix& x);

}  // namespace rarefact
