#pragma once

/// Reductions to a number, a row or a column.

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/evaluate.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact::formula::row {

struct Sum {
  static Operation row() { return {.name = "sum", .arity = 1, .rewritten = rewrites::total}; }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    const KeptAxis left = calculus.node(i).left;
    Trait result = calculus.reduced(i, x, x);
    if (left != KeptAxis::rows) calculus.lose(result, x.rows, i);
    if (left != KeptAxis::columns) calculus.lose(result, x.columns, i);
    if (x.low > 0) result.low = x.low;
    if ((left != KeptAxis::rows && x.odd_rows) || (left != KeptAxis::columns && x.odd_columns))
      calculus.refuse_sign(i);
    result.odd_rows = left == KeptAxis::rows && x.odd_rows;
    result.odd_columns = left == KeptAxis::columns && x.odd_columns;
    result.squared = left != KeptAxis::number && x.squared;
    return result;
  }
  static void evaluate(auto& rule, int i) { rule.reduce(i, Aggregate::sum); }
};

/// The root of the sum of squares (invariant under rotations of the summed axes), or the largest |x|.
template <Aggregate how>
struct Extent {
  static constexpr bool norm = how == Aggregate::euclidean;
  static Operation row() { return {.name = norm ? "norm" : "largest", .arity = 1}; }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    const KeptAxis left = calculus.node(i).left;
    Trait result = calculus.reduced(i, x, x);
    if (!norm || left == KeptAxis::rows) calculus.lose(result, x.rows, i);
    if (!norm || left == KeptAxis::columns) calculus.lose(result, x.columns, i);
    result.norm = left == KeptAxis::number;
    result.low = 0;
    return result;
  }
  static void evaluate(auto& rule, int i) { rule.reduce(i, how); }
};
using Norm = Extent<Aggregate::euclidean>;
using Largest = Extent<Aggregate::largest>;

struct Inner {
  static Operation row() { return {.call = "inner(X, Y)", .meaning = "sum of the products of entries"}; }
  static Trait trait(Calculus& calculus, int i) {
    const Trait &x = calculus.argument(i, 0), &y = calculus.argument(i, 1);
    if (!Calculus::same_axes(x, y))
      calculus.refuse(i, fmt::format("{} is {} and {} is {}: they have no inner product", calculus.text(i, 0),
                                     shape_text(x), calculus.text(i, 1), shape_text(y)));
    Trait result = calculus.reduced(i, x, y);
    result.degree = x.degree.with(y.degree);
    if (x.odd_rows != y.odd_rows || x.odd_columns != y.odd_columns) calculus.refuse_sign(i);
    return result;
  }
  static void evaluate(auto& rule, int i) {
    const auto& a = rule.node(i).arguments;
    const int exponent = rule.plain_exponent(a[0]) + rule.plain_exponent(a[1]);
    const bool matrices = rule.trait(a[0]).matrix();
    rule.set_number(i,
                    matrices ? inner(rule.plain(a[0]), rule.plain(a[1])) : rule.inner_of_vectors(a[0], a[1]),
                    exponent);
    rule.round_sums(i, rule.norms_of_terms(i) * rule.reduced(a[1], Aggregate::euclidean), exponent);
  }
};

struct Trace {
  static Operation row() { return {.call = "trace(X)", .meaning = "sum of the diagonal of a square matrix"}; }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    if (!x.matrix() || x.rows != x.columns)
      calculus.refuse(i, fmt::format("{} is {}, not square", calculus.text(i), shape_text(x)));
    Trait result = calculus.reduced(i, x, x);
    result.low = x.gram ? 0 : -infinite;
    if (x.odd_rows != x.odd_columns) calculus.refuse_sign(i);
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    using Real = ScalarOf<M>;
    const int a = rule.node(i).arguments[0];
    if constexpr (has_gram_factors<M>) {
      if (rule.trait(a).gram) {
        const Value<M>& x = rule.value(a);
        Real root = x.factor->root_trace();
        int e = 0;
        normalise(root, e);
        return rule.set_number(i, Real(x.numbers(0) * root * root), root == Real(0) ? 0 : x.exponent + 2 * e);
      }
    }
    rule.set_number(i, trace(rule.plain(a)), rule.plain_exponent(a));
  }
};

/// Norms of singular values.
struct OfSingularValues {
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    calculus.require_matrix(i);
    Trait result = calculus.reduced(i, x, x);
    result.norm = true;
    result.low = 0;
    return result;
  }
  template <class M, class F>
  static void set(FormulaRule<M>& rule, int i, F norm) {
    const int a = rule.node(i).arguments[0];
    const M& x = rule.plain(a);
    rule.finite_largest(x, a);
    if (!rule.failed()) rule.set_number(i, norm(x), rule.plain_exponent(a));
  }
};

struct Nuclear : OfSingularValues {
  static Operation row() {
    return {
        .call = "nuclear(X)", .meaning = "sum of the singular values", .polar_factors = of_singular_values};
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    set(rule, i, nuclear_norm<M>);
  }
};

struct SpectralNorm : OfSingularValues {
  static Operation row() {
    return {
        .call = "spectral_norm(X)", .meaning = "largest singular value", .polar_factors = of_singular_values};
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    set(rule, i, spectral_norm<M>);
  }
};

}  // namespace rarefact::formula::row
