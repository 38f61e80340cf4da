#include "verify/paquette2026/phase_recursion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/require_legal.hpp"
#include "theory/sign_svd.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

constexpr int step_sizes = 49;
constexpr double least_step = 1e-4, greatest_step = 3;

}  // namespace

Modes power_modes(double alpha, double beta, Index count) {
  const Eigen::ArrayXd rank = Eigen::ArrayXd::LinSpaced(count, 1, static_cast<double>(count));
  return {rank.pow(-2 * alpha), rank.pow(-2 * beta)};
}

PhaseRates muon_phase_rates(const Eigen::ArrayXd& curvature) {
  const Eigen::ArrayXd root = curvature.sqrt();
  return {root, Eigen::ArrayXd::Ones(curvature.size()), root.sum()};
}

PhaseRates signsgd_phase_rates(const Eigen::ArrayXd& curvature) {
  const double d = static_cast<double>(curvature.size()), sum = curvature.sum();
  return {std::sqrt(two_over_pi * d / sum) * curvature, two_over_pi * d / sum * curvature + (1 - two_over_pi),
          std::sqrt(d * sum / two_over_pi)};
}

std::vector<double> tuned_risks(const PhaseRates& rates, const Modes& modes,
                                std::span<const std::int64_t> horizons) {
  const auto twice_risk = [&](const Eigen::ArrayXd& e) { return (modes.curvature * e).sum(); };
  const double unit = 8 * std::sqrt(twice_risk(modes.distance) / 2) / rates.norm;
  std::vector<double> best(horizons.size(), std::numeric_limits<double>::infinity());
  for (int s = 0; s < step_sizes; ++s) {
    const double step_size = unit * least_step * std::pow(greatest_step / least_step, s / (step_sizes - 1.0));
    Eigen::ArrayXd e = modes.distance;
    std::int64_t done = 0;
    for (std::size_t h = 0; h < horizons.size(); ++h) {
      for (; done < horizons[h]; ++done) {
        const double slope = -2 * step_size / std::sqrt(twice_risk(e));
        e = e * (slope * rates.drift).exp() + step_size * step_size * rates.noise;
      }
      best[h] = std::min(best[h], twice_risk(e) / 2);
    }
  }
  return best;
}

Phase phase_of(double alpha, double beta) {
  require_legal(alpha > 0 && alpha + beta > 0.5, "α and α + β - 1/2 must be positive");
  const bool late = beta > alpha + 0.5;
  if (alpha < 0.5 || (late && alpha < 1)) return Phase::signsgd;
  if (alpha < 1) return Phase::trade_off;
  return late ? Phase::equal : Phase::muon;
}

}  // namespace rarefact::checks::paquette2026
