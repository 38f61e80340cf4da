#include "algebra/additive_matrix.hpp"

#include "algebra/operations.hpp"
#include "algebra/ranked_svd.hpp"

namespace rarefact {

namespace {

/// A matrix of one column for each of n[i] units, rows for every unit with every one of m[j] others.
SymmetricMatrix<double> zero_columns(const std::vector<double>& n, const std::vector<double>& m) {
  return SymmetricMatrix<double>(std::make_shared<const GroupStructure>(
      n, GroupTypes(std::vector<std::vector<double>>(n.size(), m)), GroupTypes(1)));
}

/// Rows in the order of `outer` groups, in each of all inner ones, the other way round.
Matrix reordered(const Matrix& x, Index outer) {
  const Index inner = x.rows() / outer;
  Matrix y(x.rows(), x.cols());
  for (Index i = 0; i < outer; ++i) {
    for (Index j = 0; j < inner; ++j) y.row(j * outer + i) = x.row(i * inner + j);
  }
  return y;
}

}  // namespace

AdditiveMatrix::AdditiveMatrix(const std::vector<double>& subject_count,
                               const std::vector<double>& relation_count)
    : subjects(zero_columns(subject_count, relation_count)),
      relations(zero_columns(relation_count, subject_count)) {}

AdditiveParts::Side::Side(const SymmetricMatrix<double>& x)
    : structure(x.shared_structure()), parts(irreducible_parts(x)) {
  std::tie(trivial_norms, norms) = symmetric_detail::reference_norms(x);
}

AdditiveParts::AdditiveParts(const AdditiveMatrix& x)
    : trivial(x.subjects.structure().rows(), x.subject_groups() + x.relation_groups()),
      trivial_norms(trivial.cols()),
      subjects_(x.subjects),
      relations_(x.relations) {
  trivial << subjects_.parts.trivial, reordered(relations_.parts.trivial, x.relation_groups());
  trivial_norms << subjects_.trivial_norms, relations_.trivial_norms;
}

AdditiveMatrix AdditiveParts::matrix() const {
  const Index groups = subjects_.structure->groups();
  AdditiveMatrix x;
  x.subjects = from_parts<double>(subjects_.structure, {subjects_.parts.contrast, trivial.leftCols(groups)});
  x.relations = from_parts<double>(
      relations_.structure,
      {relations_.parts.contrast, reordered(trivial.rightCols(relations_.structure->groups()), groups)});
  return x;
}

double inner(const AdditiveMatrix& x, const AdditiveMatrix& y) {
  return inner(x.subjects, y.subjects) + inner(x.relations, y.relations);
}

SingularValues singular_values(const AdditiveMatrix& x) {
  AdditiveParts parts(x);
  SingularValues all;
  const auto append = [&all](const Matrix& part, const Vector& norms, double multiplicity) {
    for (const double value : nonzero_singular_values<double>(part, norms)) all.add(value, multiplicity);
  };
  append(parts.trivial, parts.trivial_norms, 1);
  parts.for_contrasts(append);
  return sorted(all);
}

}  // namespace rarefact
