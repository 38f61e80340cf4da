#pragma once

/// The functions of singular values of FormulaRule, and its sums of X Xᵀ.

#include "optim/formula/evaluate.hpp"
#include "optim/formula/numbers.hpp"

namespace rarefact::formula {

/// f(σ) by the nodes of its body; those that do not need σ have their value.
template <class M>
ScalarOf<M> FormulaRule<M>::function_value(int body, const Real& sigma) {
  using std::ldexp;
  const Node& here = node(body);
  if (here.op == Op::variable) return sigma;
  if (!here.varies) {
    const Value<M>& number = value(body);
    return number.exponent == zero_exponent ? Real(0) : Real(ldexp(number.numbers(0), number.exponent));
  }
  Real x[4];
  for (std::size_t k = 0; k < here.arguments.size(); ++k) x[k] = function_value(here.arguments[k], sigma);
  if (here.op == Op::divide && x[1] == Real(0) && !(x[0] == Real(0))) divided_by_zero(body);
  return number_value(here, x);
}

template <class M>
void FormulaRule<M>::spectral(int i) {
  using std::pow, std::ldexp;
  const Node& here = node(i);
  const int a = here.arguments[0];
  Value<M>& result = value(i);
  result.view = nullptr;
  const Workers& workers = context_->workers;
  const double p = here.op == Op::spectral_power ? here.number : 0;
  // σ^p of values of 2^e.
  const auto power_unit = [&](int exponent) {
    const double exact = exponent * p, whole = std::floor(exact);
    result.exponent = static_cast<int>(whole);
    return Real(pow(Real(2), Real(exact - whole)));
  };
  if constexpr (factors) {
    if (trait(a).gram && here.op == Op::spectral_power) {
      const Value<M>& x = value(a);
      const Real scale =
          x.exponent == zero_exponent ? Real(1) : Real(power_unit(x.exponent) * pow(x.numbers(0), Real(p)));
      result.matrix = x.factor->power(Real(p), workers);
      combine(result.matrix, scale, Real(0), result.matrix);
      return;
    }
  }
  if constexpr (factors) {
    if (trait(a).gram && here.op == Op::spectral) {
      const Value<M>& x = value(a);
      result.exponent = 0;
      result.matrix = x.factor->spectral(
          [&](const Real& s) {
            return function_value(here.arguments[1], Real(ldexp(Real(x.numbers(0) * s), x.exponent)));
          },
          workers);
      return;
    }
  }
  const std::pair<const M*, int> unscaled = centred(a);
  if (!failure_.empty()) return;
  const M& x = *unscaled.first;
  const int e = unscaled.second;
  const bool nothing = e == zero_exponent;
  result.exponent = 0;
  if (nothing) {
    result.matrix = mapped(x, [](const Real&) { return Real(0); });
    result.exponent = zero_exponent;
  } else if (here.op == Op::spectral_power && p == 0) {
    if constexpr (std::is_same_v<M, ColumnMatrix>) {
      result.matrix = spectral_function(
          x, [](const Real&) { return Real(1); }, workers);
    } else {
      typename M::Polar& polar = polars_[std::to_string(i)];
      if constexpr (std::is_same_v<M, DenseMatrix>) {
        PolarHint hint = context_->polar;
        if (!trait(a).gradient) hint.left_null = nullptr;
        if (x.entries.rows() != gradient_->ambient().entries.rows() ||
            x.entries.cols() != gradient_->ambient().entries.cols())
          hint = {};
        result.matrix = polar(x, workers, hint);
      } else {
        result.matrix = polar(x, workers);
      }
    }
  } else if (here.op == Op::spectral_power) {
    const Real scale = power_unit(e);
    result.matrix = spectral_function(
        x, [&](const Real& s) { return Real(scale * pow(s, Real(p))); }, workers);
  } else if (here.op == Op::smooth_polar) {
    result.matrix = smoothed_polar(x, here.number, e, workers);
  } else if (here.op == Op::polynomial) {
    result.matrix = polar_polynomial(here.polynomial, x, e, workers);
    if (const std::string why = shortfall(here.polynomial, x, e, result.matrix);
        !why.empty() && note_.empty())
      note_ = fmt::format("{}: {}", part(i), why);
  } else {
    result.matrix = spectral_function(
        x, [&](const Real& s) { return function_value(here.arguments[1], Real(ldexp(s, e))); }, workers);
  }
}

/// A matrix whose squares are numbers, and its exponent; that of zero if it is zero. Ends the run where an entry is none.
template <class M>
std::pair<const M*, int> FormulaRule<M>::centred(int i) {
  using std::ilogb;
  const M& x = plain(i);
  const int e = plain_exponent(i);
  const Real most = finite_largest(x, i);
  if (!failure_.empty() || most == Real(0)) return {&x, zero_exponent};
  // By multiples of 8, of which roots are powers of two.
  const int size = ilogb(most) / 8 * 8, usual = 100;
  if (std::abs(size) <= usual) return {&x, e};
  centred_ = x;
  combine(centred_, power_of_two<Real>(-size), Real(0), centred_);
  return {&centred_, e + size};
}

/// Sums of X Xᵀ by their factors.
template <class M>
void FormulaRule<M>::gram(int i) {
  if constexpr (factors) {
    const Node& here = node(i);
    Value<M>& result = value(i);
    result.view = nullptr;
    const auto set = [&](Real number, int exponent) {
      normalise(number, exponent);
      result.numbers = VectorOf<Real>::Constant(1, number);
      result.exponent = exponent;
    };
    const auto& a = here.arguments;
    const Value<M>& x = value(a[0]);
    if (here.op == Op::product) {
      const auto [centre, e] = centred(a[0]);
      result.factor = GramFactor<M>::of(*centre);
      return set(Real(1), std::max(2 * e, zero_exponent));
    }
    if (here.op == Op::transpose) {
      result.factor = x.factor;
      result.numbers = x.numbers;
      result.exponent = x.exponent;
      return;
    }
    const Value<M>& y = value(a[1]);
    if (here.op == Op::add) {
      const int e = std::max(x.exponent, y.exponent);
      const Real of_x = x.numbers(0) * power_of_two<Real>(x.exponent - e),
                 of_y = y.numbers(0) * power_of_two<Real>(y.exponent - e);
      result.factor = of_x == Real(0)   ? y.factor
                      : of_y == Real(0) ? x.factor
                                        : x.factor->combined(of_x, *y.factor, of_y);
      if (of_x == Real(0)) return set(of_y, e);
      return set(of_y == Real(0) ? of_x : Real(1), e);
    }
    const bool first = trait(a[0]).gram;
    const Value<M>&matrix = first ? x : y, &number = first ? y : x;
    result.factor = matrix.factor;
    if (matrix.exponent == zero_exponent) return set(Real(0), 0);
    if (here.op == Op::multiply)
      return set(Real(matrix.numbers(0) * number.numbers(0)), matrix.exponent + number.exponent);
    if (number.numbers(0) == Real(0)) {
      // 0/0 = 0, as entry by entry.
      if (matrix.numbers(0) != Real(0)) divided_by_zero(i);
      return set(Real(0), 0);
    }
    set(Real(matrix.numbers(0) / number.numbers(0)), matrix.exponent - number.exponent);
  }
}

}  // namespace rarefact::formula
