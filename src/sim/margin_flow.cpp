#include "sim/margin_flow.hpp"

#include <boost/math/tools/polynomial.hpp>

#include "core/real50.hpp"
#include "core/transform.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

namespace {

/// Of f, in 50 digits, because terms cancel and are later multiplied by c^k.
using Polynomial = boost::math::tools::polynomial<Real50>;

/// dx/dy = -f(1-f) dx/df
Polynomial derivative(const Polynomial& x) {
  return x.prime() * Polynomial{0, -1, 1};
}

/// x/(f - root) without its remainder.
Polynomial quotient(const Polynomial& x, const Real50& root) {
  return x / Polynomial{-root, 1};
}

/// The value of a polynomial with these coefficients of 1, f, f² …
double at(const std::vector<double>& x, double f) {
  double value = 0;
  for (auto c = x.rbegin(); c != x.rend(); ++c) value = value * f + *c;
  return value;
}

/// Power series whose coefficients are polynomials, [k] of c^k.
using Series = std::vector<Polynomial>;

Series product(const Series& x, const Series& y) {
  Series z(x.size());
  for (std::size_t k = 0; k < z.size(); ++k)
    for (std::size_t i = 0; i <= k; ++i) z[k] += x[i] * y[k - i];
  return z;
}

/// ℓ₁ … ℓ_n, n = `terms`.
std::vector<Real50> rule_series(const MarginRecursion& rule, std::size_t terms) {
  // numerator (e^z - 1)(1 - μe^-z) = e^z - 1 - μ(1 - e^-z), denominator g(1 + ν(1 - e^-z))
  const Real50 ahead = rule.nesterov ? rule.momentum : 0;
  std::vector<Real50> numerator = {0}, denominator = {rule.gain}, series = {0};
  Real50 factorial = 1, sign = 1;
  for (std::size_t k = 1; k <= terms; ++k, sign = -sign) {
    factorial *= Real50(k);
    numerator.push_back((1 - sign * rule.momentum) / factorial);
    denominator.push_back(rule.gain * ahead * sign / factorial);
    Real50 rest = numerator[k];
    for (std::size_t i = 1; i < k; ++i) rest -= denominator[k - i] * series[i];
    series.push_back(rest / denominator[0]);
  }
  return series;
}

}  // namespace

MarginFlow::MarginFlow(const MarginRecursion& rule, double answers, double label_noise, int order)
    : log_wrong_(std::log(answers - 1)), noise_(label_noise * (answers - 1) / answers) {
  const auto n = static_cast<std::size_t>(order);
  const std::vector<Real50> l = rule_series(rule, n);
  const Real50 noise = noise_;
  linear_ = static_cast<double>(l[1]);
  stretch_ = static_cast<double>(Real50(2 * l[2] / l[1]));
  // V_k from the earlier ones: D^j y = v d/dy D^(j-1) y has none beyond V_(k-j+1) at order k.
  Series v(n + 1);
  v[1] = {Real50(-noise / l[1]), Real50(1 / l[1])};
  for (std::size_t k = 2; k <= n; ++k) {
    Series d = v;
    for (std::size_t j = 2; j <= k; ++j) {
      for (Polynomial& x : d) x = derivative(x);
      d = product(v, d);
      v[k] += Real50(-l[j] / l[1]) * d[k];
    }
  }
  // 1/v = ℓ₁/(c φ) (1 + Σ c^k U_k), and -U_k/(f(1-f)φ) is the density of the k-th correction in f.
  Series w(n), u(n);
  for (std::size_t k = 1; k < n; ++k) {
    w[k] = l[1] * quotient(v[k + 1], noise);
    u[k] = -w[k];
    for (std::size_t i = 1; i < k; ++i) u[k] -= w[i] * u[k - i];
    const Polynomial density = -quotient(quotient(u[k], 0), 1);
    corrections_.push_back(mapped(quotient(density, noise).integrate().data(),
                                  [](const Real50& x) { return static_cast<double>(x); }));
    logarithms_.push_back(static_cast<double>(density.evaluate(noise)));
  }
}

double MarginFlow::slope(double margin, double c) const {
  const double f = logistic(log_wrong_ - margin), right = logistic(margin - log_wrong_);
  const bool half_between = (f - 0.5) * (noise_ - 0.5) < 0;
  return stretch_ * c / linear_ * (half_between ? 0.25 : std::max(f * right, noise_ * (1 - noise_)));
}

MarginFlow::Start MarginFlow::from(double margin, double c) const {
  Start start;
  start.margin_ = margin;
  start.speed_ = c / linear_;
  start.noise_ = noise_;
  start.error_ = logistic(log_wrong_ - margin);
  start.right_ = logistic(margin - log_wrong_);
  start.shortfall_ = start.error_ - noise_;
  double power = c;
  for (std::size_t k = 0; k < corrections_.size(); ++k, power *= c) {
    start.correction_.resize(std::max(start.correction_.size(), corrections_[k].size()));
    for (std::size_t i = 0; i < corrections_[k].size(); ++i)
      start.correction_[i] += power * corrections_[k][i];
    start.logarithm_ += power * logarithms_[k];
  }
  return start;
}

double MarginFlow::Start::margin_after(double n, double& near) const {
  if (shortfall_ == 0 || n == 0) return margin_;
  // ln φ decreases by θ, f becomes f - φ q, q = 1 - e^-θ, y moves by δ, and c T/ℓ₁ grows by g/(1-a) to
  // leading order. Beyond the fixed point the unknown is θ itself; before it, ρ = (θ + ln f - ln f₀)/a, which
  // is also finite for a = 0, with g = δ + ρ.
  const double a = noise_, before = at(correction_, error_), target = (1 - a) * speed_ * n;
  const bool beyond = shortfall_ < 0;
  double unknown = near, delta = 0;
  for (int i = 0; i < 100; ++i) {
    double error, grown, theta, slope;
    if (beyond) {
      const double moved = shortfall_ * std::expm1(-unknown), risen = std::log1p(moved / error_);
      error = error_ + moved;
      theta = unknown;
      delta = std::log1p(-moved / right_) - risen;
      grown = delta + (theta + risen) / a;
      const double speed = -(moved + shortfall_);
      slope = 1 / a + speed * ((1 - a) / (a * error) - 1 / (right_ - moved));
    } else {
      const double x = shortfall_ * (a > 0 ? -std::expm1(-a * unknown) / a : unknown);
      error = error_ / (1 + x);
      theta = std::log1p(x) + a * unknown;
      delta = std::log1p(x / right_);
      grown = delta + unknown;
      slope = 1 + shortfall_ * std::exp(-a * unknown) / (right_ + x);
    }
    const double rest = target + (1 - a) * (at(correction_, error) - before - logarithm_ * theta) - grown;
    const double change = rest / slope;
    unknown = std::max(near, unknown + change);  // it increases with n
    if (!(std::abs(change) > 1e-16 * std::abs(unknown)) || std::abs(rest) <= 2e-16 * grown) break;
  }
  near = unknown;
  return margin_ + delta;
}

}  // namespace rarefact
