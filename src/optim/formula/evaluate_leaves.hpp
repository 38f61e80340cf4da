#pragma once

/// The leaves of FormulaRule: gradient, weights, numbers, states before their first update.

#include "optim/formula/evaluate.hpp"

namespace rarefact::formula {

template <class M>
double FormulaRule<M>::true_size(int of_leg) const {
  if (of_leg == leg::one) return 1;
  if (of_leg == leg::out) return context_->shape.rows;
  if (of_leg == leg::in) return context_->shape.columns;
  if (of_leg >= leg::first_basis) return true_size(trait(node(of_leg - leg::first_basis).arguments[0]).rows);
  const M& task = gradient_->task;
  if constexpr (std::is_same_v<M, DenseMatrix>) {
    return static_cast<double>(side_of(of_leg) == Side::rows ? task.entries.rows() : task.entries.cols());
  } else if constexpr (std::is_same_v<M, ColumnMatrix>) {
    return side_of(of_leg) == Side::rows ? task.structure->answers : task.structure->columns();
  } else {
    return task.structure().total(side_of(of_leg));
  }
}

template <class M>
Index FormulaRule<M>::held_size(int of_leg) const {
  const M& g = gradient_->ambient();
  if (of_leg == leg::one) return 1;
  if constexpr (std::is_same_v<M, DenseMatrix>) {
    if (of_leg == leg::out) return g.entries.rows();
    if (of_leg == leg::in) return g.entries.cols();
    if (of_leg == leg::answers) return gradient_->task.entries.rows();
    if (of_leg == leg::queries) return gradient_->task.entries.cols();
    return held_size(trait(node(of_leg - leg::first_basis).arguments[0]).rows);
  } else if constexpr (std::is_same_v<M, ColumnMatrix>) {
    // Nothing runs along the answers.
    return of_leg == leg::out || of_leg == leg::answers ? 0 : g.structure->groups();
  } else {
    return g.structure().size(side_of(of_leg));
  }
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
void FormulaRule<M>::set_number(int i, Real x, int exponent) {
  normalise(x, exponent);
  value(i).numbers.setConstant(1, x);
  value(i).exponent = exponent;
}

template <class M>
void FormulaRule<M>::set_leaves() {
  for (std::size_t n = 0; n < values_.size(); ++n) {
    const int i = static_cast<int>(n);
    if (node(i).op > Op::state) continue;
    set_leaf(i, node(i));
  }
  begun_ = true;
}

template <class M>
void FormulaRule<M>::set_leaf(int i, const Node& here) {
  Value<M>& v = value(i);
  switch (here.op) {
    case Op::number:
      return set_number(i, Real(here.number));
    case Op::step:
      return set_number(i, step_);
    case Op::size: {
      const Trait& of = trait(here.arguments[0]);
      const double rows = here.left == Left::rows ? 1 : true_size(of.rows);
      return set_number(i, Real(rows) * Real(here.left == Left::columns ? 1 : true_size(of.columns)));
    }
    case Op::gradient:
      return show(v, gradient_->ambient(), gradient_->exponent);
    case Op::task:
      return show(v, gradient_->task, gradient_->exponent);
    case Op::weights:
      return show(v, *context_->weights, 0);
    case Op::second_moment:
      return set_second_moment(v);
    default:
      if (!begun_) set_zero(i);
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
void FormulaRule<M>::set_second_moment(Value<M>& v) {
  if (v.numbers.size() > 0) return;
  const SecondMoment<M> moment = context_->second_moment();
  v.exponent = moment.exponent;
  v.numbers = VectorOf<Real>::Constant(1, Real(1));
  if constexpr (factors) {
    v.factor = GramFactor<M>::of(moment.root);
  } else {
    v.matrix = multiplied(moment.root, moment.root, context_->workers);
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
