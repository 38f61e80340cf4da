#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/symmetric_layout.hpp"

namespace rarefact {

template <class Real>
double SymmetricLayout<Real>::twin_gain(const Gradient<State>& gradient) const {
  using std::ldexp, std::sqrt;
  if (!couples_columns_ || !structure_->has_multiplicity()) return 0;
  const State& g = gradient.task;
  const GroupTypes &row_types = structure_->row_types(), &column_types = structure_->column_types();
  // Entries between components are small: msgn acts on each component nearly independently.
  VectorOf<Real> of_rows = VectorOf<Real>::Zero(structure_->rows()), of_columns(structure_->columns());
  for (Index column = 0; column < structure_->columns(); ++column) {
    const Index j = column_types.group(column), first = row_types.begin(j), height = row_types.size(j);
    VectorOf<Real> inside = g.diagonal_column(column);
    if (structure_->components(Side::columns, column) > 1)
      inside -= g.off_entries().col(column).segment(first, height);
    const VectorOf<Real> of_identical =
        inside.cwiseProduct(answer_multiplicity_.segment(first, height).cwiseSqrt());
    of_columns(column) = safe_norm(of_identical);
    const Real root = sqrt(Real(column_types.multiplicity(column)));
    for (Index k = 0; k < height; ++k)
      of_rows(first + k) = safe_norm(Eigen::Matrix<Real, 2, 1>(of_rows(first + k), root * inside(k)));
  }
  Real largest(0);
  for (Index column = 0; column < structure_->columns(); ++column) {
    const Index j = column_types.group(column), first = row_types.begin(j);
    const QueryAnswers<Real>& law = law_[column];
    const Real p = ldexp(Real(training(column)), -gradient.exponent);
    const auto add = [&](Index row, const Real& entry, const Real& share) {
      const Real likely = entry + p * (share + background_(row));  // p p̂
      if (column_types.multiplicity(column) > 1 && of_rows(row) > Real(0))
        largest = std::max(largest, Real(likely / of_rows(row)));
      if (row_types.multiplicity(row) > 1 && of_columns(column) > Real(0))
        largest = std::max(largest, Real(likely / of_columns(column)));
    };
    for (Index k = 0; k < row_types.size(j); ++k)
      add(first + k, g.diagonal_column(column)(k), law.share_at(k));
    for (Index row = 0; row < structure_->rows(); ++row) {
      if (row_types.group(row) != j || structure_->components(Side::rows, row) > 1)
        add(row, g.off_entries()(row, column), Real(0));
    }
  }
  return static_cast<double>(largest);
}

template double SymmetricLayout<double>::twin_gain(const Gradient<State>&) const;
template double SymmetricLayout<Real50>::twin_gain(const Gradient<State>&) const;

}  // namespace rarefact
