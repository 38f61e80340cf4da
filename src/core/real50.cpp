#include "core/real50.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <new>
#include <ostream>

namespace rarefact {

namespace {

using Number = boost::multiprecision::cpp_bin_float_50;
using Limits = std::numeric_limits<Number>;

}  // namespace

/// Access to the Boost number in the bytes. It has no pointer and needs no destructor, so copying the bytes copies it.
struct Real50Access {
  static_assert(sizeof(Number) == sizeof(Real50) && alignof(Number) <= alignof(Real50));
  static_assert(std::is_trivially_destructible_v<Number>);

  static const Number& number(const Real50& x) {
    return *std::launder(reinterpret_cast<const Number*>(x.bytes_));
  }
  static Number& number(Real50& x) { return *std::launder(reinterpret_cast<Number*>(x.bytes_)); }
  template <class... From>
  static void make(Real50& x, const From&... from) {
    new (x.bytes_) Number(from...);
  }
  static Real50 made(const Number& value) {
    Real50 x{Real50::Unset()};
    make(x, value);
    return x;
  }
};

namespace {

const Number& n(const Real50& x) {
  return Real50Access::number(x);
}

Real50 made(const Number& value) {
  return Real50Access::made(value);
}

}  // namespace

Real50::Real50() {
  Real50Access::make(*this);
}
Real50::Real50(double x) {
  Real50Access::make(*this, x);
}
Real50::Real50(std::int64_t x) {
  Real50Access::make(*this, x);
}
Real50::Real50(const std::string& digits) {
  Real50Access::make(*this, digits);
}
Real50::operator double() const {
  return static_cast<double>(n(*this));
}
Real50::operator std::int64_t() const {
  return static_cast<std::int64_t>(n(*this));
}
std::string Real50::digits() const {
  return n(*this).str(0, std::ios_base::scientific);
}

Real50 Real50::operator-() const {
  return made(-n(*this));
}

#define RAREFACT_OPERATOR(op)                            \
  Real50 operator op(const Real50& a, const Real50& b) { \
    return made(n(a) op n(b));                           \
  }                                                      \
  Real50& Real50::operator op##=(const Real50& other) {  \
    Real50Access::number(*this) op## = n(other);         \
    return *this;                                        \
  }
RAREFACT_OPERATOR(+)
RAREFACT_OPERATOR(-)
RAREFACT_OPERATOR(*)
RAREFACT_OPERATOR(/)
#undef RAREFACT_OPERATOR

#define RAREFACT_COMPARISON(op)                        \
  bool operator op(const Real50& a, const Real50& b) { \
    return n(a) op n(b);                               \
  }
RAREFACT_COMPARISON(==)
RAREFACT_COMPARISON(<)
RAREFACT_COMPARISON(<=)
#undef RAREFACT_COMPARISON

#define RAREFACT_FUNCTION(f)  \
  Real50 f(const Real50& x) { \
    return made(f(n(x)));     \
  }
RAREFACT_FUNCTION(abs)
RAREFACT_FUNCTION(ceil)
RAREFACT_FUNCTION(exp)
RAREFACT_FUNCTION(expm1)
RAREFACT_FUNCTION(log)
RAREFACT_FUNCTION(log1p)
RAREFACT_FUNCTION(round)
RAREFACT_FUNCTION(sin)
RAREFACT_FUNCTION(sqrt)
#undef RAREFACT_FUNCTION
Real50 pow(const Real50& x, const Real50& exponent) {
  return made(pow(n(x), n(exponent)));
}
Real50 ldexp(const Real50& x, int exponent) {
  return made(ldexp(n(x), exponent));
}
int ilogb(const Real50& x) {
  return ilogb(n(x));
}
bool isfinite(const Real50& x) {
  return isfinite(n(x));
}
bool isinf(const Real50& x) {
  return isinf(n(x));
}
Real50 tgamma(const Real50& q) {
  return made(boost::math::tgamma(n(q)));
}
Real50 tgamma(const Real50& q, const Real50& x) {
  return made(boost::math::tgamma(n(q), n(x)));
}
Real50 tgamma_lower(const Real50& q, const Real50& x) {
  return made(boost::math::tgamma_lower(n(q), n(x)));
}

std::ostream& operator<<(std::ostream& out, const Real50& x) {
  return out << n(x);
}

}  // namespace rarefact

namespace std {

using rarefact::made;
static_assert(numeric_limits<rarefact::Real50>::digits == rarefact::Limits::digits);
static_assert(numeric_limits<rarefact::Real50>::digits10 == rarefact::Limits::digits10);

#define RAREFACT_LIMIT(name)                                  \
  rarefact::Real50 numeric_limits<rarefact::Real50>::name() { \
    return made(rarefact::Limits::name());                    \
  }
RAREFACT_LIMIT(min)
RAREFACT_LIMIT(max)
RAREFACT_LIMIT(epsilon)
RAREFACT_LIMIT(infinity)
RAREFACT_LIMIT(quiet_NaN)
#undef RAREFACT_LIMIT

}  // namespace std
