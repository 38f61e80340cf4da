#pragma once

/// Functions of singular values.

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/evaluate.hpp"

namespace rarefact::formula::row {

/// 2^(ep) as a factor in [1, 2) and a power of two, which is the unit.
template <class Real>
Real power_unit(int e, const Real& p, int& unit) {
  using std::pow;
  const Real exact = e * p;
  const double whole = std::floor(static_cast<double>(exact));
  unit = static_cast<int>(whole);
  return pow(Real(2), Real(exact - whole));
}

/// Sets value i to f(X, e), a function of the singular values of its argument X·2^e; 0 if X = 0.
template <class M, class F>
void set_spectral(FormulaRule<M>& rule, int i, F f) {
  Value<M>& result = rule.value(i);
  result.view = nullptr;
  const auto [x, e] = rule.centred(rule.node(i).arguments[0]);
  if (rule.failed()) return;
  result.exponent = 0;
  if (e != zero_exponent) {
    result.matrix = f(*x, e);
    return;
  }
  result.matrix = mapped(*x, [](const ScalarOf<M>&) { return ScalarOf<M>(0); });
  result.exponent = zero_exponent;
}

/// U f(Σ) Vᵀ; arguments: X, and f of the variable.
struct Spectral {
  static Operation row() {
    return {.name = "spectral",
            .arity = 2,
            .polar_factors = of_decomposition,
            .lifts_noise = [](const Node&, const Trait& result) { return result.hoelder <= small_power; }};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait x = calculus.argument(i);
    Trait result = calculus.spectral(i, x);
    const Trait f = calculus.of_spectral(calculus.node(i).arguments[1], x);
    result.hoelder = std::min(x.hoelder, f.hoelder * x.hoelder);
    result.tie = result.tie || f.tie;
    if (f.in_columns == InColumns::no) Calculus::leave_columns(result, f, f.columns_because);
    Calculus::lower_sides(result, f);
    result.degree = x.degree.changed(f.degree, i);
    result.degree.any = f.degree.any;
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    using Real = ScalarOf<M>;
    const auto& a = rule.node(i).arguments;
    double rank = 0;
    const auto f = [&](const Real& s, int e) {
      using std::ldexp;
      ++rank;
      return rule.function_value(a[1], Real(ldexp(s, e)));
    };
    if constexpr (has_gram_factors<M>) {
      if (rule.trait(a[0]).gram) {
        const Value<M>& x = rule.value(a[0]);
        rule.value(i).view = nullptr;
        rule.value(i).exponent = 0;
        rule.value(i).matrix = x.factor->spectral(
            [&](const Real& s) { return f(Real(x.numbers(0) * s), x.exponent); }, rule.context().workers);
        return rule.decided(i, rank);
      }
    }
    set_spectral(rule, i, [&](const M& x, int e) {
      return spectral_function(
          rule.decomposed(i, x), [&](const Real& s) { return f(s, e); }, rule.context().workers);
    });
    if constexpr (has_gram_factors<M>) rule.decided(i, rank);
  }
};

/// f = s**number; 0: the polar factor.
struct SpectralPower {
  static Operation row() {
    return {.name = "power",
            .arity = 1,
            .polar_factors =
                [](const Node& node, const Trait& result) {
                  return node.number == 0 ? 1.0 : of_decomposition(node, result);
                },
            .lifts_noise = [](const Node& node, const Trait&) { return node.number <= small_power; }};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    const double p = calculus.node(i).number;
    Trait result = calculus.spectral(i, x);
    result.degree = x.degree.times(p, i);
    result.hoelder = p <= 0 ? 0 : std::min(1.0, p * x.hoelder * (x.gram ? 2 : 1));
    if (p == 0) result.low = -1, result.high = 1;
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    raise(rule, i, ScalarOf<M>(rule.node(i).number));
  }
  /// Sets value i to the power p of its argument.
  template <class M>
  static void raise(FormulaRule<M>& rule, int i, const ScalarOf<M>& p) {
    using std::pow;
    using Real = ScalarOf<M>;
    const int a = rule.node(i).arguments[0];
    const Workers& workers = rule.context().workers;
    int unit = 0;
    if constexpr (has_gram_factors<M>) {
      if (rule.trait(a).gram) {
        const Value<M>& x = rule.value(a);
        Value<M>& result = rule.value(i);
        result.view = nullptr;
        Real scale(1);
        if (x.exponent != zero_exponent)
          scale = power_unit<Real>(x.exponent, p, result.exponent) * pow(x.numbers(0), p);
        result.matrix = x.factor->power(p, workers);
        combine(result.matrix, scale, Real(0), result.matrix);
        return rule.decided(i, x.factor->rank());
      }
    }
    double rank = 0;
    const PolarSeen* seen = nullptr;
    set_spectral(rule, i, [&](const M& x, int e) {
      if (p == Real(0)) {
        M factor = rule.polar(i, x);
        seen = &rule.seen();
        return factor;
      }
      const Real scale = power_unit<Real>(e, p, unit);
      return spectral_function(
          rule.decomposed(i, x), [&](const Real& s) { return ++rank, Real(scale * pow(s, p)); }, workers);
    });
    if constexpr (has_gram_factors<M>) rule.decided(i, seen ? seen->rank : rank, seen);
    if (unit != 0) rule.value(i).exponent = unit;
  }
};

/// f = s**p of a number p that may change; arguments: X and p.
struct SpectralRaise {
  static Operation row() {
    return {.name = "power of a value",
            .arity = 2,
            .polar_factors = of_decomposition,
            .lifts_noise = [](const Node&, const Trait& result) { return result.hoelder <= small_power; }};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait &x = calculus.argument(i), &p = calculus.argument(i, 1);
    if (!p.number())
      calculus.refuse(i, fmt::format("the exponent {} is {}, no number", calculus.text(i, 1), shape_text(p)));
    Trait result = calculus.spectral(i, x);
    result.degree = x.degree.changed({}, i);
    result.hoelder = p.low <= 0 ? 0 : std::min(1.0, p.low * x.hoelder * (x.gram ? 2 : 1));
    result.tie = result.tie || p.tie;
    if (p.in_columns == InColumns::no) Calculus::leave_columns(result, p, p.columns_because);
    Calculus::lower_sides(result, p);
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    using std::ldexp;
    const int p = rule.node(i).arguments[1], unit = rule.plain_exponent(p);
    SpectralPower::raise(
        rule, i, unit == zero_exponent ? ScalarOf<M>(0) : ScalarOf<M>(ldexp(rule.plain_numbers(p)(0), unit)));
  }
};

/// f = s/√(s² + number²).
struct SmoothPolar {
  static Operation row() { return {.name = "smooth_polar", .arity = 1, .polar_factors = of_decomposition}; }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    Trait result = calculus.spectral(i, x);
    result.degree = x.degree.changed({}, i);
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    set_spectral(rule, i, [&](const M& x, int e) {
      using Real = ScalarOf<M>;
      using std::ilogb, std::ldexp;
      const double lambda = rule.node(i).number;
      // Far below λ it is X/λ, which may need a unit of its own.
      constexpr int far = 2 * std::numeric_limits<Real>::digits;
      if (const int unit = ilogb(lambda); unit - e - ilogb(largest_entry(x)) > far) {
        M far_below = x;
        combine(far_below, Real(1) / Real(ldexp(lambda, -unit)), Real(0), far_below);
        rule.value(i).exponent = e - unit;
        return far_below;
      }
      if constexpr (has_gram_factors<M>) rule.decided_above(i, x, lambda);
      return smoothed_polar(rule.decomposed(i, x), lambda, e, rule.context().workers);
    });
  }
};

struct Polynomial {
  static Operation row() {
    return {.name = "polynomial", .arity = 1, .polar_factors = [](const Node& node, const Trait&) {
              return 0.27 * static_cast<double>(node.polynomial.steps.size());
            }};
  }
  static Trait trait(Calculus& calculus, int i) {
    const Trait& x = calculus.argument(i);
    Trait result = calculus.spectral(i, x);
    const bool relative = calculus.node(i).polynomial.norm_offset == 0;
    result.degree = relative ? x.degree.times(0, i) : x.degree.changed({}, i);
    return result;
  }
  template <class M>
  static void evaluate(FormulaRule<M>& rule, int i) {
    const PolarPolynomial& polynomial = rule.node(i).polynomial;
    set_spectral(rule, i, [&](const M& argument, int e) {
      const M& x = rule.decomposed(i, argument);
      M image = polar_polynomial(polynomial, x, e, rule.context().workers);
      const std::string why = shortfall(polynomial, x, e, image);
      if (!why.empty()) rule.note(fmt::format("{} ({})", why, rule.part(i)));
      return image;
    });
  }
};

}  // namespace rarefact::formula::row
