#pragma once

/// Products, changes of coordinates, parts of matrices.

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/evaluate.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact::formula::row {

struct Product {
  static Operation row() {
    // Sums of X Xᵀ are stored as triangular factors.
    return {.name = "@",
            .arity = 2,
            .polar_factors =
                [](const Node&, const Trait& result) {
                  return result.gram ? 2.5 : result.matrix() ? 0.27 : 0.0;
                },
            .rewritten = rewrites::product};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait &x = calculus.argument(i, 0), &y = calculus.argument(i, 1);
    if (x.columns != y.rows || x.columns == axis::single)
      calculus.refuse(i, fmt::format("{} is {} and {} is {}: they have no product", calculus.text(i, 0),
                                     shape_text(x), calculus.text(i, 1), shape_text(y)));
    if (x.odd_columns != y.odd_rows) calculus.refuse_sign(i);
    Trait result = Calculus::from(x, {&y});
    result.rows = x.rows;
    result.columns = y.columns;
    result.odd_columns = y.odd_columns;
    if (!x.matrix() || y.in_columns != InColumns::diagonal) Calculus::leave_columns(result, y, i);
    result.degree = x.degree.with(y.degree);
    result.low = x.low >= 0 && y.low >= 0 ? 0 : -infinite;
    result.high = infinite;
    const auto& a = calculus.node(i).arguments;
    const auto transpose_of = [&](int t, int of) {
      return calculus.node(t).op == op::transpose && calculus.node(t).arguments[0] == of;
    };
    result.gram = result.matrix() && (transpose_of(a[1], a[0]) || transpose_of(a[0], a[1]));
    result.gradient = x.gradient;
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    const auto& a = rule.node(i).arguments;
    Value<M>& result = rule.value(i);
    result.view = nullptr;
    if constexpr (has_gram_factors<M>) {
      if (rule.trait(i).gram) {
        const auto [centre, e] = rule.centred(a[0]);
        result.factor = GramFactor<M>::of(*centre, rule.moved_entries(i));
        return rule.set_number(i, ScalarOf<M>(1), std::max(2 * e, zero_exponent));
      }
    }
    result.exponent = std::max(zero_exponent, rule.plain_exponent(a[0]) + rule.plain_exponent(a[1]));
    const bool matrix0 = rule.trait(a[0]).matrix(), matrix1 = rule.trait(a[1]).matrix();
    if (matrix0 && matrix1) {
      result.matrix = multiplied(rule.plain(a[0]), rule.plain(a[1]), rule.context().workers);
      return rule.clear_rounding(i);
    }
    if constexpr (has_gram_factors<M>) {
      if (!matrix0 && !matrix1) return rule.set_number(i, rule.inner_of_vectors(a[0], a[1]), result.exponent);
      result.numbers = matrix0 ? multiplied(rule.plain(a[0]), rule.plain_numbers(a[1]))
                               : multiplied(transposed(rule.plain(a[1])), rule.plain_numbers(a[0]));
    }
  }
};

struct Transpose {
  static Operation row() {
    return {.name = ".T", .arity = 1, .rewritten = rewrites::transpose, .exact = true};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    Trait result = x;
    std::swap(result.rows, result.columns);
    std::swap(result.odd_rows, result.odd_columns);
    result.gradient = false;
    if (result.in_columns == InColumns::yes && !x.number()) Calculus::leave_columns(result, x, i);
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    const int a = rule.node(i).arguments[0];
    const Value<M>& x = rule.value(a);
    Value<M>& result = rule.value(i);
    result.view = nullptr;
    result.exponent = x.exponent;
    result.numbers = x.numbers;
    if constexpr (has_gram_factors<M>) {
      if (rule.trait(i).gram)
        result.factor = x.factor;
      else if (rule.trait(i).matrix())
        result.matrix = transposed(rule.trait(i).squared ? x.stored() : rule.plain(a));
    } else if (rule.trait(i).matrix()) {
      result.matrix = x.stored();
    }
  }
};

/// From the task basis to the coordinates of W.
struct Ambient {
  static Operation row() {
    return {.call = "ambient(X)",
            .meaning = "Ẽ X Eᵀ: from the task basis, the one of T, to the coordinates of W"};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    if (x.rows != axis::answers || x.columns != axis::queries)
      calculus.refuse(i, fmt::format("ambient needs a value of T, answers x queries, and {} is {}",
                                     calculus.text(i), shape_text(x)));
    Trait result = Calculus::from(x, {});
    result.rows = axis::out;
    result.columns = axis::in;
    result.low = -infinite, result.high = infinite;
    return result;
  }
  static void evaluate(auto& rule, int i) {
    const int a = rule.node(i).arguments[0];
    rule.value(i).matrix = rule.context().to_ambient(rule.plain(a));
    rule.value(i).exponent = rule.plain_exponent(a);
  }
};

/// top(X, r): the part of X with its r largest singular values.
struct Top {
  static Operation row() { return {.name = "top", .arity = 1, .polar_factors = of_decomposition}; }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    Trait result = calculus.spectral(i, x);
    Calculus::leave_columns(result, x, i);
    result.tie = true;
    result.hoelder = 0;
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    if constexpr (has_gram_factors<M>) {
      const Node& here = rule.node(i);
      const int a = here.arguments[0];
      auto leading = leading_part(rule.decomposed(i, rule.plain(a)), static_cast<Index>(here.number),
                                  rule.context().workers);
      rule.value(i).exponent = rule.plain_exponent(a);
      if (leading)
        rule.value(i).matrix = std::move(*leading);
      else
        rule.fail(fmt::format("{} separates equal singular values", rule.part(i)));
    }
  }
};

/// Eigenvectors of a sum of X Xᵀ as columns.
struct Eigenbasis {
  static Operation row() {
    return {.call = "eigenbasis(A)",
            .meaning =
                "eigenvectors of a sum of X@X.T as columns, largest eigenvalue first; those of "
                "eigenvalue 0 are zero",
            .polar_factors = of_decomposition};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    Trait result = calculus.spectral(i, x);
    if (!x.gram && calculus.final_round())
      calculus.refuse(i, fmt::format("eigenbasis needs a sum of X @ X.T, and {} is none", calculus.text(i)));
    Calculus::leave_columns(result, x, i);
    result.columns = axis::first_basis + i;
    result.odd_columns = true;
    result.tie = true;
    result.hoelder = 0;
    result.degree = x.degree.times(0, i);
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    if constexpr (std::is_same_v<M, DenseMatrix>) {
      std::string why;
      rule.value(i).matrix =
          rule.value(rule.node(i).arguments[0]).factor->eigenvectors(why, rule.context().workers);
      rule.value(i).exponent = 0;
      if (!why.empty()) rule.fail(fmt::format("{} is not defined: {}", rule.part(i), why));
    }
  }
};

}  // namespace rarefact::formula::row
