#include "core/number_operations.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <cmath>
#include <functional>

namespace rarefact {

namespace {

// Besides the overloads for 50 digits.
using std::abs, std::ceil, std::cos, std::exp, std::expm1, std::isfinite, std::log, std::log1p, std::pow,
    std::round, std::sin, std::sqrt;

template <class Real>
const Real missing = std::numeric_limits<Real>::quiet_NaN();

template <class Real>
Real truth_of(const Real& x) {
  return !isfinite(x) ? missing<Real> : Real(x == Real(0) ? 0 : 1);
}

template <class Real>
Real negated_of(const Real& x) {
  return Real(1) - truth_of(x);
}

template <class Real>
bool equals(const Real& x, const Real& y) {
  return isfinite(x) && Real(abs(Real(x - y))) <= Real(1e-12) * std::max(Real(abs(x)), Real(abs(y)));
}

/// `x and y`: false if either is false, even if the other is NaN, so that a condition can exclude a case.
template <class Real>
Real both(const Real& x, const Real& y) {
  return x == Real(0) || y == Real(0) ? Real(0) : truth_of(x) * truth_of(y);
}

template <class Real>
Real of_finite(const Real& result, const Real& x, const Real& y = Real(0)) {
  return (isfinite(x) && isfinite(y)) || !isfinite(result) ? result : missing<Real>;
}

/// NaN if the numbers cannot be compared: one is NaN, or both are the same infinity.
template <class Real, class F>
Real compared(const Real* x, const F& f) {
  const Real off = x[0] - x[1];
  return off == off ? Real(f(x[0], x[1]) ? 1 : 0) : missing<Real>;
}

/// The power; not pow(NaN, 0) = pow(1, NaN) = 1. Squares are products, rounded once.
template <class Real>
Real power(const Real& x, const Real& y) {
  return y == Real(2) ? Real(x * x) : of_finite(Real(pow(x, y)), x, y);
}

constexpr auto less = [](const auto& x, const auto& y) { return x < y && !equals(x, y); };
constexpr auto at_most = [](const auto& x, const auto& y) { return x < y || equals(x, y); };
constexpr auto same = [](const auto& x, const auto& y) { return equals(x, y); };

double floor_of(double x) {
  return std::floor(x);
}
Real50 floor_of(const Real50& x) {
  return -ceil(-x);
}

/// x or, if that is `later`, y; NaN if either is.
template <class Real>
Real first_of(const Real& x, const Real& y, bool later) {
  return (later && x == x) || !(y == y) ? y : x;
}

}  // namespace

double truth(double x) {
  return truth_of(x);
}

bool equal(double x, double y) {
  return equals(x, y);
}

Real50 cos(const Real50& x) {
  return sin(Real50(boost::math::constants::half_pi<Real50>() - x));
}

const std::vector<NumberOperation>& number_operators() {
  static const std::vector<NumberOperation> rows = {
      {"+", 2, [](const auto* x) { return x[0] + x[1]; }},
      {"-", 2, [](const auto* x) { return x[0] - x[1]; }},
      {"*", 2, [](const auto* x) { return x[0] * x[1]; }},
      {"/", 2, [](const auto* x) { return of_finite(x[0] / x[1], x[0], x[1]); }},
      {"**", 2, [](const auto* x) { return power(x[0], x[1]); }},
      {"<", 2, [](const auto* x) { return compared(x, less); }},
      {">", 2,
       [](const auto* x) { return compared(x, [](const auto& a, const auto& b) { return less(b, a); }); }},
      {"<=", 2, [](const auto* x) { return compared(x, at_most); }},
      {">=", 2,
       [](const auto* x) { return compared(x, [](const auto& a, const auto& b) { return at_most(b, a); }); }},
      {"==", 2, [](const auto* x) { return compared(x, same); }},
      {"!=", 2, [](const auto* x) { return compared(x, std::not_fn(same)); }},
      {"and", 2, [](const auto* x) { return both(x[0], x[1]); }},
      {"or", 2, [](const auto* x) { return negated_of(both(negated_of(x[0]), negated_of(x[1]))); }},
  };
  return rows;
}

const std::vector<NumberOperation>& number_functions() {
  const auto of_one = [](const char* name, auto f) { return NumberOperation(name, 1, f); };
  static const std::vector<NumberOperation> rows = {
      of_one("sqrt", [](const auto* x) { return of_finite(sqrt(*x), *x); }),
      of_one("log", [](const auto* x) { return of_finite(log(*x), *x); }),
      of_one("exp", [](const auto* x) { return of_finite(exp(*x), *x); }),  // not exp(-inf) = 0
      of_one("abs", [](const auto* x) { return of_finite(abs(*x), *x); }),
      of_one("log1p", [](const auto* x) { return of_finite(log1p(*x), *x); }),
      of_one("expm1", [](const auto* x) { return of_finite(expm1(*x), *x); }),
      of_one("ceil", [](const auto* x) { return of_finite(ceil(*x), *x); }),
      of_one("floor", [](const auto* x) { return of_finite(floor_of(*x), *x); }),
      of_one("round", [](const auto* x) { return of_finite(round(*x), *x); }),
      of_one("cos", [](const auto* x) { return of_finite(cos(*x), *x); }),
      of_one("sin", [](const auto* x) { return of_finite(sin(*x), *x); }),
      of_one("not", [](const auto* x) { return negated_of(*x); }),
      of_one("-", [](const auto* x) { return -*x; }),
      {"minimum", 2, [](const auto* x) { return first_of(x[0], x[1], x[1] < x[0]); }},
      {"maximum", 2, [](const auto* x) { return first_of(x[0], x[1], x[0] < x[1]); }},
  };
  return rows;
}

Hint function_hint(const std::string& name, const std::vector<std::string>& functions) {
  if (name == "log10" || name == "log2") return {"; write log(x)/log(" + name.substr(3) + ")"};
  return did_you_mean(name == "ln" ? "log" : nearest_name(name, functions));
}

}  // namespace rarefact
