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

/// The number that the bytes are. It holds no pointer and needs no destructor, so copies of the bytes are copies of it.
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
Real50& Real50::operator+=(const Real50& other) {
  Real50Access::number(*this) += n(other);
  return *this;
}
Real50& Real50::operator-=(const Real50& other) {
  Real50Access::number(*this) -= n(other);
  return *this;
}
Real50& Real50::operator*=(const Real50& other) {
  Real50Access::number(*this) *= n(other);
  return *this;
}
Real50& Real50::operator/=(const Real50& other) {
  Real50Access::number(*this) /= n(other);
  return *this;
}

Real50 operator+(const Real50& a, const Real50& b) {
  return made(n(a) + n(b));
}
Real50 operator-(const Real50& a, const Real50& b) {
  return made(n(a) - n(b));
}
Real50 operator*(const Real50& a, const Real50& b) {
  return made(n(a) * n(b));
}
Real50 operator/(const Real50& a, const Real50& b) {
  return made(n(a) / n(b));
}

bool operator==(const Real50& a, const Real50& b) {
  return n(a) == n(b);
}
bool operator<(const Real50& a, const Real50& b) {
  return n(a) < n(b);
}
bool operator<=(const Real50& a, const Real50& b) {
  return n(a) <= n(b);
}

Real50 abs(const Real50& x) {
  return made(abs(n(x)));
}
Real50 ceil(const Real50& x) {
  return made(ceil(n(x)));
}
Real50 exp(const Real50& x) {
  return made(exp(n(x)));
}
Real50 expm1(const Real50& x) {
  return made(expm1(n(x)));
}
Real50 log(const Real50& x) {
  return made(log(n(x)));
}
Real50 log1p(const Real50& x) {
  return made(log1p(n(x)));
}
Real50 pow(const Real50& x, const Real50& exponent) {
  return made(pow(n(x), n(exponent)));
}
Real50 round(const Real50& x) {
  return made(round(n(x)));
}
Real50 sin(const Real50& x) {
  return made(sin(n(x)));
}
Real50 sqrt(const Real50& x) {
  return made(sqrt(n(x)));
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

rarefact::Real50 numeric_limits<rarefact::Real50>::min() {
  return made(rarefact::Limits::min());
}
rarefact::Real50 numeric_limits<rarefact::Real50>::max() {
  return made(rarefact::Limits::max());
}
rarefact::Real50 numeric_limits<rarefact::Real50>::epsilon() {
  return made(rarefact::Limits::epsilon());
}
rarefact::Real50 numeric_limits<rarefact::Real50>::infinity() {
  return made(rarefact::Limits::infinity());
}
rarefact::Real50 numeric_limits<rarefact::Real50>::quiet_NaN() {
  return made(rarefact::Limits::quiet_NaN());
}

}  // namespace std
