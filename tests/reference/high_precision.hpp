#pragma once

/// Numbers of 80 and 400 digits for oracles. Slow and plain; never linked into the program.

#include <Eigen/Core>
#include <compare>
#include <concepts>
#include <limits>
#include <string>

#include "core/real50.hpp"
#include "core/types.hpp"

namespace reference {

/// A wrapper of Boost's cpp_bin_float, for 80 and for 400 digits. Only high_precision.cpp includes Boost's headers: inlined
/// into the templates of Eigen, the arithmetic takes most of the time in which a test compiles.
template <int Digits>
class Number {
 public:
  Number() : Number(0.0L) {}
  Number(long double x);
  template <class T>
  requires(std::integral<T> || std::floating_point<T>) Number(T x) : Number(static_cast<long double>(x)) {}
  explicit Number(const std::string& digits);
  explicit operator double() const;

  Number& operator+=(const Number& other);
  Number& operator-=(const Number& other);
  Number& operator*=(const Number& other);
  Number& operator/=(const Number& other);

  friend Number operator+(Number a, const Number& b) { return a += b; }
  friend Number operator-(Number a, const Number& b) { return a -= b; }
  friend Number operator*(Number a, const Number& b) { return a *= b; }
  friend Number operator/(Number a, const Number& b) { return a /= b; }
  friend Number operator-(const Number& x) { return Number() - x; }
  friend bool operator==(const Number& a, const Number& b) { return a.compare(b) == 0; }
  friend std::partial_ordering operator<=>(const Number& a, const Number& b) { return a.compare(b) <=> 0; }

  friend Number abs(const Number& x) { return x < Number() ? -x : x; }
  friend Number exp(const Number& x) { return x.exp_of(); }
  friend Number log(const Number& x) { return x.log_of(); }
  friend Number log1p(const Number& x) { return x.log1p_of(); }
  friend Number sqrt(const Number& x) { return x.sqrt_of(); }
  friend Number pow(const Number& x, const Number& exponent) { return x.power(exponent); }
  friend bool isfinite(const Number& x) { return x - x == Number(); }

  static Number smallest(), largest(), epsilon();

 private:
  int compare(const Number& other) const;
  Number exp_of() const;
  Number log_of() const;
  Number log1p_of() const;
  Number sqrt_of() const;
  Number power(const Number& exponent) const;

  struct Access;
  alignas(16) unsigned char bytes_[Digits == 80 ? 80 : 208];
};

using Precise = Number<80>;
using Wide = Number<400>;
using PreciseMatrix = rarefact::MatrixOf<Precise>;

PreciseMatrix precise(const rarefact::MatrixOf<rarefact::Real50>& x);

/// X (XᵀX)^-½ through Newton's iteration X <- (X + X^-T)/2, for square nonsingular X: shares no code or idea
/// with the library's own factorisations.
PreciseMatrix newton_polar(PreciseMatrix x);

/// msgn of a square X of rank n - 1 whose columns sum to zero.
PreciseMatrix residual_polar(const PreciseMatrix& x);

}  // namespace reference

template <int Digits>
class std::numeric_limits<reference::Number<Digits>> {
  using Number = reference::Number<Digits>;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr int digits10 = Digits, radix = 2;
  static Number min() { return Number::smallest(); }
  static Number max() { return Number::largest(); }
  static Number lowest() { return -max(); }
  static Number epsilon() { return Number::epsilon(); }
};

template <int Digits>
struct Eigen::NumTraits<reference::Number<Digits>> : Eigen::GenericNumTraits<reference::Number<Digits>> {
  using Literal = double;
  enum { ReadCost = 1, AddCost = 4, MulCost = 8, RequireInitialization = 1 };
};
