#pragma once

#include <algorithm>
#include <cmath>

#include "algebra/algebra.hpp"
#include "algebra/gram_factor.hpp"
#include "core/archive.hpp"

namespace rarefact::formula {

/// The exponent of a zero value, below that of every other.
inline constexpr int zero_exponent = -(1 << 28);

/// The sum of exponents, for a product; zero_exponent if a factor is zero.
inline int exponent_of_product(int a, int b) {
  return std::min(a, b) == zero_exponent ? zero_exponent : a + b;
}

template <class M>
inline constexpr bool has_gram_factors = !std::is_same_v<M, ColumnMatrix>;

struct NoGramFactor {
  void exchange(Archive&) {}
};
template <class M>
struct GramFactorOf {
  using type = GramFactor<M>;
};
template <>
struct GramFactorOf<ColumnMatrix> {
  using type = NoGramFactor;
};

/// The scalars and vectors of a value, in units of 2^exponent.
template <class Real>
struct Numbers {
  VectorOf<Real> numbers;  ///< the entries of a vector, a number, or the factor of A Aᵀ
  int exponent = zero_exponent;
};

/// A value of a formula, in units of 2^exponent. Its trait gives shape and storage: a sum of squares r² is
/// stored as r, with the value r²·4^exponent; a sum of X Xᵀ as number·A Aᵀ·2^exponent.
template <class M>
struct Value : Numbers<ScalarOf<M>> {
  M matrix;
  std::optional<typename GramFactorOf<M>::type> factor;
  const M* view = nullptr;  ///< the matrix, if it is external

  const M& stored() const { return view ? *view : matrix; }
  void exchange(Archive& archive) { archive(matrix, this->numbers, factor, this->exponent); }
};

/// 2^k; 0 or ∞ beyond the range of Real.
template <class Real>
Real power_of_two(int k) {
  using std::ldexp;
  return ldexp(Real(1), k);
}

/// Scales a number into [1, 2) and adds the power of two to its exponent.
template <class Real>
void normalise(Real& number, int& exponent) {
  using std::ldexp, std::ilogb, std::isfinite;
  if (number == Real(0) || !isfinite(number)) {
    if (number == Real(0)) exponent = zero_exponent;
    return;
  }
  const int size = ilogb(number);
  number = ldexp(number, -size);
  exponent += size;
}

}  // namespace rarefact::formula
