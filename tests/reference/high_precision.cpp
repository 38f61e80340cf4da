#include "reference/high_precision.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <new>
#include <utility>

namespace reference {

/// The Boost number stored in the bytes: it has no pointer and needs no destructor, so copying the bytes copies it.
template <int Digits>
struct Number<Digits>::Access {
  using Boost = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<Digits>,
                                              boost::multiprecision::et_off>;
  static_assert(sizeof(Boost) <= sizeof(Number) && alignof(Boost) <= alignof(Number));
  static_assert(std::is_trivially_destructible_v<Boost>);

  static const Boost& of(const Number& x) { return *std::launder(reinterpret_cast<const Boost*>(x.bytes_)); }
  static Boost& of(Number& x) { return *std::launder(reinterpret_cast<Boost*>(x.bytes_)); }
  static Number made(const Boost& value) {
    Number x;
    of(x) = value;
    return x;
  }
};

template <int Digits>
Number<Digits>::Number(long double x) {
  new (bytes_) typename Access::Boost(x);
}
template <int Digits>
Number<Digits>::Number(const std::string& digits) {
  new (bytes_) typename Access::Boost(digits);
}
template <int Digits>
Number<Digits>::operator double() const {
  return static_cast<double>(Access::of(*this));
}

#define RAREFACT_OPERATOR(op)                                        \
  template <int Digits>                                              \
  Number<Digits>& Number<Digits>::operator op(const Number& other) { \
    Access::of(*this) op Access::of(other);                          \
    return *this;                                                    \
  }
RAREFACT_OPERATOR(+=)
RAREFACT_OPERATOR(-=)
RAREFACT_OPERATOR(*=)
RAREFACT_OPERATOR(/=)
#undef RAREFACT_OPERATOR

template <int Digits>
int Number<Digits>::compare(const Number& other) const {
  return Access::of(*this).compare(Access::of(other));
}

#define RAREFACT_FUNCTION(f)                      \
  template <int Digits>                           \
  Number<Digits> Number<Digits>::f##_of() const { \
    return Access::made(f(Access::of(*this)));    \
  }
RAREFACT_FUNCTION(exp)
RAREFACT_FUNCTION(log)
RAREFACT_FUNCTION(log1p)
RAREFACT_FUNCTION(sqrt)
#undef RAREFACT_FUNCTION
template <int Digits>
Number<Digits> Number<Digits>::power(const Number& exponent) const {
  return Access::made(pow(Access::of(*this), Access::of(exponent)));
}

#define RAREFACT_LIMIT(name, limit)                                            \
  template <int Digits>                                                        \
  Number<Digits> Number<Digits>::name() {                                      \
    return Access::made(std::numeric_limits<typename Access::Boost>::limit()); \
  }
RAREFACT_LIMIT(smallest, min)
RAREFACT_LIMIT(largest, max)
RAREFACT_LIMIT(epsilon, epsilon)
#undef RAREFACT_LIMIT

template class Number<80>;
template class Number<400>;

PreciseMatrix precise(const rarefact::MatrixOf<rarefact::Real50>& x) {
  return x.unaryExpr([](const rarefact::Real50& entry) { return Precise(entry.digits()); });
}

namespace {

using rarefact::Index;

/// X^-1 Y by Gauss's elimination with row pivots.
PreciseMatrix solved(PreciseMatrix x, PreciseMatrix y) {
  for (Index i = 0; i < x.rows(); ++i) {
    Index pivot = i;
    for (Index k = i + 1; k < x.rows(); ++k)
      if (abs(x(k, i)) > abs(x(pivot, i))) pivot = k;
    for (PreciseMatrix* side : {&x, &y})
      for (Index j = 0; j < side->cols(); ++j) std::swap((*side)(i, j), (*side)(pivot, j));
    for (Index k = 0; k < x.rows(); ++k) {
      if (k == i) continue;
      const Precise factor = x(k, i) / x(i, i);
      for (Index j = i; j < x.cols(); ++j) x(k, j) -= factor * x(i, j);
      for (Index j = 0; j < y.cols(); ++j) y(k, j) -= factor * y(i, j);
    }
  }
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.cols(); ++j) y(i, j) /= x(i, i);
  return y;
}

}  // namespace

PreciseMatrix newton_polar(PreciseMatrix x) {
  for (int iteration = 0; iteration < 2000; ++iteration) {
    const PreciseMatrix inverse = solved(x, PreciseMatrix::Identity(x.rows(), x.rows()));
    // Scaling by (|X^-1|/|X|)^½ makes the number of iterations grow only with the logarithm of the condition.
    const Precise norm = x.norm(), inverse_norm = inverse.norm();
    const Precise mu = iteration < 60 ? sqrt(inverse_norm / norm) : Precise(1);
    const PreciseMatrix next = (mu * x + inverse.transpose() / mu) / Precise(2);
    const Precise change = (next - x).norm();
    x = next;
    if (change < Precise(1e-60)) break;
  }
  return x;
}

/// The left null vector u is 1, the right one z solves the first n - 1 rows. X + s u zᵀ is nonsingular, and its polar factor
/// is msgn(X) + u zᵀ for unit u, z and s > 0.
PreciseMatrix residual_polar(const PreciseMatrix& x) {
  const Index n = x.rows();
  PreciseMatrix u = PreciseMatrix::Constant(n, 1, Precise(1)), z = u;
  z.topRows(n - 1) = -solved(x.topLeftCorner(n - 1, n - 1), x.topRightCorner(n - 1, 1));
  u /= u.norm();
  z /= z.norm();
  const PreciseMatrix bridge = u.lazyProduct(z.transpose());
  return newton_polar(x + x.norm() * bridge) - bridge;
}

}  // namespace reference
