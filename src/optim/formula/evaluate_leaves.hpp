#pragma once

/// How large the values of FormulaRule are, and how they begin.

#include "optim/formula/evaluate.hpp"

namespace rarefact::formula {

template <class M>
double FormulaRule<M>::true_size(int of_leg) const {
  if (of_leg == leg::one) return 1;
  if (of_leg == leg::out) return context_->shape.rows;
  if (of_leg == leg::in) return context_->shape.columns;
  if (of_leg >= leg::first_basis) return true_size(trait(node(of_leg - leg::first_basis).arguments[0]).rows);
  return indices_of(gradient_->task, side_of(of_leg));
}

template <class M>
Index FormulaRule<M>::held_size(int of_leg) const {
  if (of_leg == leg::one) return 1;
  if (of_leg >= leg::first_basis) return held_size(trait(node(of_leg - leg::first_basis).arguments[0]).rows);
  const bool in_task_basis = of_leg == leg::answers || of_leg == leg::queries;
  return numbers_along(in_task_basis ? gradient_->task : gradient_->ambient(), side_of(of_leg));
}

template <class M>
M FormulaRule<M>::zero_of(int rows, int columns) const {
  const M& g = gradient_->ambient();
  if constexpr (std::is_same_v<M, DenseMatrix>) {
    return {Matrix::Zero(held_size(rows), held_size(columns))};
  } else if constexpr (std::is_same_v<M, ColumnMatrix>) {
    // Without rows along the answers it is a diagonal one, queries x queries.
    return ColumnMatrix(held_size(rows) == 0 || is_square(*g.structure) ? g.structure
                                                                        : square_columns(g.structure->count));
  } else {
    return M(with_sides(g.shared_structure(), side_of(rows), side_of(columns)));
  }
}

template <class M>
void FormulaRule<M>::hold_all(Value<M>& v) {
  if constexpr (std::is_same_v<M, ColumnMatrix>) {
    if (!v.held().held) return;
    v.matrix = all_held(v.held());
    v.view = nullptr;
  }
}

template <class M>
void FormulaRule<M>::set_zero(int i) {
  const Trait& x = trait(i);
  Value<M>& v = value(i);
  v.exponent = zero_exponent;
  if (x.matrix()) {
    v.matrix = zero_of(x.rows, x.columns);
    if constexpr (factors) {
      if (x.gram) v.factor = GramFactor<M>::of(v.matrix);
    }
    v.numbers = VectorOf<Real>::Zero(1);
  } else {
    v.numbers = VectorOf<Real>::Zero(held_size(x.rows == leg::one ? x.columns : x.rows));
  }
}

}  // namespace rarefact::formula
