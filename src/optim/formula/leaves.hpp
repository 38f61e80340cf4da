#pragma once

/// Leaves of formulas: numbers, gradient, weights, states.

#include <boost/math/constants/constants.hpp>
#include <numbers>

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/evaluate.hpp"

namespace rarefact::formula::row {

struct Number {
  static Operation row() { return {.name = "number", .leaf = true}; }
  static Trait trait(Calculus& calculus, int i) {
    const double number = calculus.node(i).number;
    Trait x = Calculus::leaf(axis::single, axis::single, 0);
    x.low = x.high = number;
    x.part = {std::min(number, 0.0), std::max(number, 0.0)};  // of a step or more
    x.degree.any = number == 0;
    x.norm = number > 0;
    return x;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    rule.set_number(i, ScalarOf<M>(rule.node(i).number));
  }
};

inline Trait counted() {
  Trait x = Calculus::leaf(axis::single, axis::single, 0);
  x.low = 1;
  x.norm = true;
  return x;
}

/// The step t, 1 at the first update.
struct Step {
  static Operation row() { return {.name = "t", .leaf = true}; }
  static Trait trait(Calculus&, int) { return counted(); }
  static void evaluate(auto& rule, int i) { rule.set_number(i, rule.step()); }
};

/// The number of updates before this one.
struct StepsBefore {
  static Operation row() { return {.name = "step", .leaf = true}; }
  static Trait trait(Calculus&, int) {
    Trait x = counted();
    x.low = 0;
    x.part = {0, 1};  // after the last update D is only measured
    x.norm = false;
    return x;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    rule.set_number(i, ScalarOf<M>(rule.step() - 1));
  }
};

/// The number of updates of the run.
struct Steps {
  static Operation row() { return {.name = "steps", .leaf = true}; }
  static Trait trait(Calculus&, int) {
    Trait x = counted();
    x.part = {1, 1};
    return x;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    rule.set_number(i, ScalarOf<M>(rule.context().steps));
  }
};

struct Pi {
  static Operation row() { return {.name = "pi", .leaf = true}; }
  static Trait trait(Calculus&, int) {
    Trait x = counted();
    x.low = x.high = std::numbers::pi;
    return x;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    rule.set_number(i, boost::math::constants::pi<ScalarOf<M>>());
  }
};

/// The number of indices along the axes of the argument.
struct Size {
  static Operation row() { return {.name = "size", .arity = 1, .leaf = true}; }
  static Trait trait(Calculus&, int) { return counted(); }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    using Real = ScalarOf<M>;
    const Node& here = rule.node(i);
    const Trait& of = rule.trait(here.arguments[0]);
    const Real rows = here.left == KeptAxis::rows ? 1 : rule.true_size(of.rows);
    rule.set_number(i, Real(rows * Real(here.left == KeptAxis::columns ? 1 : rule.true_size(of.columns))));
  }
};

struct GradientLeaf {
  static Operation row() { return {.name = "G", .leaf = true}; }
  static Trait trait(Calculus&, int) {
    Trait x = Calculus::leaf(axis::out, axis::in, 1);
    x.gradient = true;
    return x;
  }
  static void evaluate(auto& rule, int i) {
    rule.view(i, rule.gradient().ambient(), rule.gradient().exponent);
  }
};

struct Weights {
  static Operation row() { return {.name = "W", .leaf = true}; }
  static Trait trait(Calculus& calculus, int) { return calculus.weights(); }
  static void evaluate(auto& rule, int i) { rule.view(i, *rule.context().weights, 0); }
};

struct Task {
  static Operation row() { return {.name = "T", .leaf = true}; }
  static Trait trait(Calculus&, int) { return Calculus::leaf(axis::answers, axis::queries, 1); }
  static void evaluate(auto& rule, int i) { rule.view(i, rule.gradient().task, rule.gradient().exponent); }
};

struct SecondMomentLeaf {
  static Operation row() { return {.name = "C", .leaf = true}; }
  static Trait trait(Calculus&, int) {
    Trait x = Calculus::leaf(axis::in, axis::in, 0);
    x.in_columns = InColumns::diagonal;
    x.gram = true;
    return x;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    Value<M>& v = rule.value(i);
    if (v.numbers.size() > 0) return;
    const SecondMoment<M> moment = rule.context().second_moment();
    v.exponent = moment.exponent;
    v.numbers = VectorOf<ScalarOf<M>>::Constant(1, 1);
    if constexpr (has_gram_factors<M>) {
      v.factor = GramFactor<M>::of(moment.root);
    } else {
      v.matrix = multiplied(moment.root, moment.root, rule.context().workers);
    }
  }
};

/// The probabilities in training of queries, a row, or of answers, a column; in the task basis if the formula reads T.
template <Side side>
struct Probability {
  static constexpr bool queries = side == Side::columns;
  static Operation row() {
    return {.name = queries ? "query_probability" : "answer_probability", .leaf = true};
  }
  static Trait trait(Calculus& calculus, int i) {
    const bool task = calculus.reads_task();
    const int along = queries ? (task ? axis::queries : axis::in) : (task ? axis::answers : axis::out);
    Trait x = Calculus::leaf(queries ? axis::single : along, queries ? along : axis::single, 0);
    x.low = 0;
    x.high = 1;
    calculus.lose(x, along, i);
    if (!queries) Calculus::leave_columns(x, x, i);
    return x;
  }
  static void evaluate(auto& rule, int i) {
    rule.value(i).numbers = rule.context().probabilities(side);
    rule.value(i).exponent = 0;
  }
};
using QueryProbability = Probability<Side::columns>;
using AnswerProbability = Probability<Side::rows>;

struct StateBefore {
  static Operation row() { return {.name = "state", .leaf = true}; }
  static Trait trait(Calculus& calculus, int i) {
    Trait x = calculus.state(i);
    x.norm = false;
    return x;
  }
  static void evaluate(auto& rule, int i) {
    if (!rule.begun()) rule.set_zero(i);
  }
};

/// The variable of a lambda, with a value for each singular value.
struct Variable {
  static Operation row() { return {.name = "variable", .leaf = true}; }
  static Trait trait(Calculus& calculus, int) { return calculus.variable(); }
  static void evaluate(auto&, int) {}
};

}  // namespace rarefact::formula::row
