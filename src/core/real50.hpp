#pragma once

/// Numbers with 50 significant digits (168 bits, exponents up to 10^(6e8)), and their traits for Eigen.

#include <Eigen/Core>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

namespace rarefact {

/// The second scalar type, besides double, of the symmetric engine and of every closed form. Literals and
/// class frequencies remain doubles, so both types solve the same problem.
///
/// A wrapper of Boost's cpp_bin_float_50. Only real50.cpp includes Boost's headers: inlined into every
/// template of Eigen, the arithmetic took half of the build time and ran no faster.
class Real50 {
 public:
  Real50();  ///< 0
  Real50(double x);
  Real50(std::int64_t x);
  template <std::integral Integer>
  Real50(Integer x) : Real50(static_cast<std::int64_t>(x)) {}
  /// From decimal digits; throws std::runtime_error if they are not a number.
  explicit Real50(const std::string& digits);

  explicit operator double() const;
  explicit operator std::int64_t() const;
  /// Decimal digits, enough to restore the same number.
  std::string digits() const;

  Real50 operator-() const;
  Real50& operator+=(const Real50& other);
  Real50& operator-=(const Real50& other);
  Real50& operator*=(const Real50& other);
  Real50& operator/=(const Real50& other);

  // Friends, so that they are found only for arguments of type Real50, and log(2.0) is still std::log.
  friend Real50 operator+(const Real50& a, const Real50& b);
  friend Real50 operator-(const Real50& a, const Real50& b);
  friend Real50 operator*(const Real50& a, const Real50& b);
  friend Real50 operator/(const Real50& a, const Real50& b);

  friend bool operator==(const Real50& a, const Real50& b);
  friend bool operator<(const Real50& a, const Real50& b);
  friend bool operator<=(const Real50& a, const Real50& b);
  friend bool operator>(const Real50& a, const Real50& b) { return b < a; }
  friend bool operator>=(const Real50& a, const Real50& b) { return b <= a; }

  friend Real50 abs(const Real50& x);
  friend Real50 fabs(const Real50& x) { return abs(x); }
  friend Real50 ceil(const Real50& x);
  friend Real50 exp(const Real50& x);
  friend Real50 expm1(const Real50& x);
  friend Real50 log(const Real50& x);
  friend Real50 log1p(const Real50& x);
  friend Real50 pow(const Real50& x, const Real50& exponent);
  friend Real50 round(const Real50& x);
  friend Real50 sin(const Real50& x);
  friend Real50 sqrt(const Real50& x);
  friend Real50 ldexp(const Real50& x, int exponent);
  friend int ilogb(const Real50& x);
  friend bool isfinite(const Real50& x);
  friend bool isinf(const Real50& x);
  /// The gamma function Γ(q), and the upper and lower incomplete gamma functions.
  friend Real50 tgamma(const Real50& q);
  friend Real50 tgamma(const Real50& q, const Real50& x);
  friend Real50 tgamma_lower(const Real50& q, const Real50& x);

  friend std::ostream& operator<<(std::ostream& out, const Real50& x);

 private:
  friend struct Real50Access;
  struct Unset {};
  explicit Real50(Unset) {}
  alignas(16) unsigned char bytes_[64];
};

}  // namespace rarefact

template <>
class std::numeric_limits<rarefact::Real50> {
  using Real50 = rarefact::Real50;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,
                        is_bounded = true;
  static constexpr bool has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = 168, digits10 = 50, radix = 2;
  static Real50 min();
  static Real50 max();
  static Real50 lowest() { return -max(); }
  static Real50 epsilon();
  static Real50 infinity();
  static Real50 quiet_NaN();
};

template <>
struct Eigen::NumTraits<rarefact::Real50> : Eigen::GenericNumTraits<rarefact::Real50> {
  using Literal = double;
  enum { ReadCost = 1, AddCost = 4, MulCost = 8, RequireInitialization = 1 };
  static rarefact::Real50 dummy_precision() { return 1000 * epsilon(); }
};
