#include "optim/formula/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/formula/numbers.hpp"

namespace rarefact::formula {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// 0·∞ is 0: an end that is infinite is never reached.
double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

Bounds around(std::initializer_list<double> ends) {
  return {std::min(ends), std::max(ends)};
}

/// Of x**p.
Bounds power(const Bounds& x, double p) {
  const bool whole = std::floor(p) == p, even = std::fmod(p, 2) == 0;
  if (p < 0) {
    if (x.low >= 0) return {0, x.low > 0 ? std::pow(x.low, p) : unbounded};
    return {whole && even ? 0 : -unbounded, unbounded};
  }
  if (p == 0) return {0, 1};
  if (whole && even && x.low < 0)
    return {x.high > 0 ? 0 : std::pow(x.high, p), std::max(std::pow(x.low, p), std::pow(x.high, p))};
  if (!whole && x.low < 0) return {-unbounded, unbounded};
  return {std::pow(x.low, p), std::pow(x.high, p)};
}

}  // namespace

Bounds bounds_of(const Node& node, const std::vector<Bounds>& x) {
  const Bounds &a = x[0], &b = x.back();
  switch (node.op) {
    case Op::add:
      return node.number > 0 ? Bounds{a.low + b.low, a.high + b.high}
                             : Bounds{a.low - b.high, a.high - b.low};
    case Op::multiply:
      return around({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
    case Op::divide:
      if (b.low > 0 || b.high < 0)
        return around({times(a.low, 1 / b.low), times(a.low, 1 / b.high), times(a.high, 1 / b.low),
                       times(a.high, 1 / b.high)});
      return {a.low >= 0 && b.low >= 0 ? 0 : -unbounded, unbounded};
    case Op::power:
      return power(a, node.number);
    case Op::raise:
      if (!(a.low >= 0)) return {-unbounded, unbounded};
      if (a.low == a.high && a.low <= 1 && b.low >= 0)
        return {std::pow(a.low, b.high), std::pow(a.low, b.low)};
      return {0, unbounded};
    case Op::minimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::maximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::where:
      return {std::min(x[2].low, x[3].low), std::max(x[2].high, x[3].high)};
    case Op::absolute:
      return {a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, std::max(std::abs(a.low), std::abs(a.high))};
    default: {
      // These grow with their argument.
      const double low = number_value(node, &a.low), high = number_value(node, &a.high);
      return {std::isnan(low) ? -unbounded : low, std::isnan(high) ? unbounded : high};
    }
  }
}

std::string forbidden(const Node& node, const std::vector<Bounds>& x) {
  const bool needs_positive = node.op == Op::root || node.op == Op::logarithm || node.op == Op::raise ||
                              (node.op == Op::power && std::floor(node.number) != node.number);
  return needs_positive && x[0].low < 0 ? "negative" : "";
}

}  // namespace rarefact::formula
