/// Closed forms of least squares under the answer law zipf, as kunstner2025 has them: p_i ∝ i^-a, and in every conditional
/// shares ∝ k^-a. Times are those to a fraction ε of the excess loss at W = 0.

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/expint.hpp>
#include <boost/math/tools/minima.hpp>

#include "core/bracketed_root.hpp"
#include "theory/closed_form.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

SmoothLaw power_law(double classes, double exponent) {
  return {classes, [exponent](double k) { return std::pow(k, -exponent); }};
}

/// Every column keeps its direction, so that its distance from the minimum decays by a factor 1 - p_i/p_1 a step.
double gd_loss(double classes, double exponent, double steps) {
  require_legal(classes >= 1 && classes <= 1e300 && exponent >= 0 && steps >= 0,
                "expected 1 <= d <= 1e300, a >= 0 and t >= 0");
  const SmoothLaw law = power_law(std::round(classes), exponent);
  SmoothLaw left = law;
  left.weight = [&](double k) {
    const double p = law.weight(k);
    return steps == 0 ? p : p * std::exp(2 * steps * std::log1p(-p));
  };
  return weight_of_ranks(left, left.classes) / weight_of_ranks(law, law.classes);
}

/// (d/2) x, E₁(x) = ε H_d.
double gd_steps(double classes, double part) {
  require_legal(classes >= 2 && classes <= 1e300 && part > 0 && part < 1,
                "expected 2 <= d <= 1e300 and 0 < ε < 1");
  const double wanted = part * weight_of_ranks(power_law(std::round(classes), 1), std::round(classes));
  const auto beyond = [&](double log_x) { return boost::math::expint(1, std::exp(log_x)) - wanted; };
  const auto [low, high] = bracketed_root<double>(beyond, -700.0, 6.0);
  return classes / 2 * std::exp((low + high) / 2);
}

/// lim T/√d for a = 1: with steps of x/(T H_d) the shares above x are not reached, and the larger of two losses
/// has (x/T)² of every other. Its square is x²/(ε ζ(2) - Σ (1/k - x)₊²).
double sign_constant(double part) {
  require_legal(part > 0 && part < 1, "expected 0 < ε < 1");
  const auto square = [part](double x) {
    double left = part * boost::math::constants::pi_sqr_div_six<double>();
    for (double k = 1; k * x < 1; ++k) left -= std::pow(1 / k - x, 2);
    return left > 0 ? x * x / left : std::numeric_limits<double>::max();
  };
  // Beyond 1 every share is reached, and the square grows.
  double best = 1;
  constexpr int points = 4000;
  for (int i = 1; i <= points; ++i) {
    const double x = static_cast<double>(i) / points;
    if (square(x) < square(best)) best = x;
  }
  const double width = 1.0 / points;
  return std::sqrt(boost::math::tools::brent_find_minima(square, best - width, best + width, 50).second);
}

}  // namespace

std::vector<ClosedForm> zipf_forms() {
  return {
      {{"zipf_gd_loss",
        "excess loss over that at W = 0 of least squares under zipf, t steps of gd with η = 1/p_1, p_i ∝ i^-a",
        "Σ_i p_i (1 - p_i/p_1)^2t", "kunstner2025"},
       {"d", "a", "t"},
       [](const double* x) { return gd_loss(x[0], x[1], x[2]); }},
      {{"zipf_gd_steps", "steps of the same to a fraction ε for a = 1, d → ∞", "(d/2) x, E₁(x) = ε H_d",
        "kunstner2025"},
       {"d", "eps"},
       [](const double* x) { return gd_steps(x[0], x[1]); }},
      {{"zipf_sign_steps", "steps of signgd at its best step size, divided by √d, for a = 1, d → ∞",
        "min_x x/(ε ζ(2) - Σ_k (1/k - x)₊²)^½", "kunstner2025"},
       {"eps"},
       [](const double* x) { return sign_constant(x[0]); }}};
}

}  // namespace rarefact
