#pragma once

#include <cmath>
#include <utility>

#include "algebra/algebra.hpp"
#include "core/archive.hpp"

namespace rarefact {

/// X 2^exponent. Powers of two are exact, so the unit does not affect digits.
template <class M>
struct Scaled {
  M x = {};
  int exponent = 0;

  void exchange(Archive& archive) { archive(x, exponent); }
};

/// Converts Y to the unit 2^exponent of X, or to one near its own size if it would overflow. Returns the factors,
/// in Y's new unit, of Y and of X. A zero has no unit.
template <class M>
std::pair<ScalarOf<M>, ScalarOf<M>> in_one_unit(Scaled<M>& y, const M& x, int exponent) {
  using std::ldexp;
  if (exponent > y.exponent && frobenius_norm(x) == ScalarOf<M>(0)) return {1, 1};
  // Powers of two; the rest of the range of doubles is for the entries.
  constexpr int max_beyond = 900;
  if (y.exponent > exponent) {
    const double size = static_cast<double>(frobenius_norm(y.x));
    const int own = size > 0 && std::isfinite(size) ? std::ilogb(size) : 0;
    if (size == 0) y.exponent = exponent;
    if (y.exponent - exponent + std::max(own, 0) > max_beyond) {
      combine(y.x, ldexp(ScalarOf<M>(1), -own), 0, y.x);
      y.exponent += own;
    }
  }
  const int beyond = y.exponent - exponent;
  if (beyond > max_beyond) return {1, ldexp(ScalarOf<M>(1), -beyond)};
  y.exponent = exponent;
  return {ldexp(ScalarOf<M>(1), beyond), 1};
}

/// Y <- a Y + c X 2^exponent.
template <class M>
void combine(Scaled<M>& y, const ScalarOf<M>& a, const ScalarOf<M>& c, const M& x, int exponent) {
  const auto [of_y, of_x] = in_one_unit(y, x, exponent);
  combine(y.x, ScalarOf<M>(a * of_y), ScalarOf<M>(c * of_x), x);
}

/// A zero matrix of the shape of X.
template <class M>
Scaled<M> zero_like(const M& x, int exponent) {
  return {mapped(x, [](const ScalarOf<M>&) { return ScalarOf<M>(0); }), exponent};
}

}  // namespace rarefact
