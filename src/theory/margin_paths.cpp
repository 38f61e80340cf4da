#include "theory/margin_paths.hpp"

#include <algorithm>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

#include "core/bracketed_root.hpp"
#include "core/real50.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

using std::abs, std::exp, std::expm1, std::log, std::log1p, std::min, std::sqrt;

/// W₀(e^z): the solution of w + ln w = z.
double lambert_of_exp(double z) {
  constexpr double largest = 700;  // e^z overflows slightly above
  if (z < largest) return boost::math::lambert_w0(std::exp(z));
  double w = z - std::log(z);
  // Newton's method doubles the digits, and the start is within ln(z)/z of the root: four rounds are plenty.
  for (int round = 0; round < 4; ++round) w *= (1 + z - std::log(w)) / (1 + w);
  return w;
}

/// The same by Newton's method alone. After the first step every iterate is at most the root (w + ln w is
/// concave), so all stay positive; after a step below the square root of the rounding unit, nothing changes.
Real50 lambert_of_exp(const Real50& z) {
  const Real50 enough = sqrt(std::numeric_limits<Real50>::epsilon()) / 16;
  Real50 w = z > 1 ? Real50(z - log(z)) : exp(z);
  for (;;) {
    const Real50 next = w * ((1 + z - log(w)) / (1 + w));
    if (!(abs(next - w) > enough * w)) return next;
    w = next;
  }
}

/// m by Newton's method from a margin that is right but for rounding, `way` = p (K/(K-1)) t. The published equation
/// for the time is a sum of positive terms, so that a small m has all its digits.
template <class Real>
Real refined_start(Real margin, const Real& total, const Real& noise, const Real& way) {
  const Real right = right_answer_probability<Real>(total, noise),
             wrong = wrong_answer_probability<Real>(total, noise), odds = noise / (1 - noise);
  const auto speed = [&](const Real& m) {
    return noise == 0
               ? error_of_margin<Real>(m, total)
               : shortfall_at_distance<Real>(Real(optimal_margin<Real>(total, noise) - m), total, noise);
  };
  if (!(margin > sqrt(std::numeric_limits<Real>::epsilon()))) margin = way * speed(Real(0));
  for (int round = 0; round < 6; ++round) {
    const Real among = noise == 0 ? Real(total - 1) : total,
               grown = margin < 700 ? Real(expm1(margin) / among) : exp(Real(margin - log(among))),
               needed = noise == 0 ? Real(margin + grown)
                                   : Real((margin - log1p(Real(-odds * grown)) / wrong) / right);
    const Real change = (needed - way) * speed(margin);
    margin -= change;
    if (abs(change) <= std::numeric_limits<Real>::epsilon() * margin) break;
  }
  return margin;
}

template <class Real>
Real noiseless_margin(const Real& probability, const Real& total, const Real& time) {
  const Real way = margin_speed<Real>(probability, total) * time, c = way + 1 / (total - 1);
  const Real w = lambert_of_exp(Real(c - log(Real(total - 1))));
  // w = e^m/(K-1): the second form keeps the digits of m when c - w is a small difference of large numbers.
  return w < 1 ? refined_start<Real>(Real(c - w), total, Real(0), way) : Real(log(Real(total - 1)) + log(w));
}

/// Φ and dΦ/dv at v = ln δ, for Φ = (1-π₁) δ + ln(1 - e^{-δ}), which falls linearly in time along the flow.
/// The approach to the fixed point is Φ -> -∞ with Φ ≈ v: nearly a straight line, however late.
template <class Real>
std::pair<Real, Real> potential(const Real& v, const Real& wrong) {
  const Real distance = exp(v);
  const Real risen = -expm1(Real(-distance));
  const Real logarithm =
      distance < 1 ? Real(v + log(Real(risen / distance))) : Real(log1p(Real(-exp(Real(-distance)))));
  return {wrong * distance + logarithm, distance * (wrong + exp(Real(-distance)) / risen)};
}

template <class Real>
PredictedMargin<Real> noisy_margin(const Real& probability, const Real& total, const Real& noise,
                                   const Real& time) {
  constexpr int bits = std::numeric_limits<Real>::digits;
  const Real right = right_answer_probability<Real>(total, noise);
  const Real wrong = wrong_answer_probability<Real>(total, noise);
  const Real optimum = optimal_margin<Real>(total, noise);
  const Real start = log(optimum);
  const Real speed = margin_speed<Real>(probability, total);
  const Real target = potential<Real>(start, wrong).first - speed * right * wrong * time;
  // The margin grows at most as at the start, or as if the optimum were infinite.
  const Real most = min(Real(speed * time * shortfall_at_distance<Real>(optimum, total, noise)),
                        noiseless_margin<Real>(probability, total, time));
  if (most < optimum / 2 || most < optimum - 40) {
    const Real early = refined_start<Real>(most, total, noise, Real(speed * time));
    return {early, Real(optimum - early)};
  }
  static const Real least = log(std::numeric_limits<Real>::min());
  if (target + 1 < least) return {optimum, Real(0)};  // ln δ < target + 1
  // Φ increases with v. The upper end is the start of the flow; at the lower one δ >= 1 or v >= Φ - (1-π₁) δ > Φ - 1.
  const Real low = std::min({Real(target - 1), Real(0), start});
  const auto shortage = [&](const Real& v) {
    const auto [value, slope] = potential<Real>(v, wrong);
    return std::make_pair(Real(value - target), slope);
  };
  // Start: that margin, until the optimum is near and Φ ≈ v.
  const Real far = optimum - most;
  const Real guess = std::clamp(far > 1 ? Real(log(far)) : target, low, start);
  constexpr int digits =
      bits * 4 / 7;  // required of the last Newton step, whose square is below the rounding unit
  std::uintmax_t rounds = 200;
  const Real v = boost::math::tools::newton_raphson_iterate(shortage, guess, low, start, digits, rounds),
             left = exp(v);
  return {Real(optimum - left), left};
}

}  // namespace

template <class Real>
PredictedMargin<Real> flow_margin(Given<Real> class_probability, Given<Real> class_total,
                                  Given<Real> label_noise, Given<Real> time) {
  if (time == 0) return {Real(0), optimal_margin<Real>(class_total, label_noise)};
  if (label_noise > 0) return noisy_margin<Real>(class_probability, class_total, label_noise, time);
  return {noiseless_margin<Real>(class_probability, class_total, time),
          std::numeric_limits<Real>::infinity()};
}

template PredictedMargin<double> flow_margin<double>(const double&, const double&, const double&,
                                                     const double&);
template PredictedMargin<Real50> flow_margin<Real50>(const Real50&, const Real50&, const Real50&,
                                                     const Real50&);

template <class Real>
Real l2_margin(Given<Real> class_probability, Given<Real> class_total, Given<Real> decay,
               Given<Real> label_noise) {
  using std::log;
  require_legal(class_probability >= Real(0) && class_total >= Real(2) && decay > Real(0) &&
                    label_noise >= Real(0) && label_noise < Real(1),
                "expected p >= 0, K >= 2, λ > 0 and 0 <= α < 1");
  if (class_probability == Real(0)) return Real(0);
  const Real speed = margin_speed<Real>(class_probability, class_total),
             wrong = wrong_answer_probability<Real>(class_total, label_noise);
  const auto pull = [&](const Real& m) {
    return Real(speed * (error_of_margin<Real>(m, class_total) - wrong) - decay * m);
  };
  // The error is at most 1, and from m = 1 on e^m < pK/λ.
  const Real highest =
      std::min(Real(speed / decay), std::max(Real(1), Real(log(Real(speed / decay * class_total)))));
  const auto [low, high] = bracketed_root<Real>(pull, Real(0), highest);
  return (low + high) / Real(2);
}

template double l2_margin<double>(const double&, const double&, const double&, const double&);
template Real50 l2_margin<Real50>(const Real50&, const Real50&, const Real50&, const Real50&);

}  // namespace rarefact
