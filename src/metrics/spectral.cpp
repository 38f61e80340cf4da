#include "metrics/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compensated_sum.hpp"

namespace rarefact {

namespace {

/// One distinct singular value, as a part of the largest.
struct Level {
  double ratio;         ///< σ/σ_max
  double multiplicity;  ///< > 0
};

/// Σ multiplicity x term(ratio) over the levels from `first` on.
double sum_over(const std::vector<Level>& levels, std::size_t first, double (*term)(double ratio)) {
  CompensatedSum sum;
  for (std::size_t i = first; i < levels.size(); ++i) sum.add(levels[i].multiplicity * term(levels[i].ratio));
  return sum.value();
}

double square(double r) {
  return r * r;
}
double square_log_square(double r) {
  return r > 0 ? 2 * r * r * std::log(r) : 0;
}

/// Square root of the quantile of σ²/σ_max² a quarter of the way from the front of `levels` (in either
/// order). The root, because the square may underflow.
double root_of_quarter_quantile(const std::vector<Level>& levels, const CompensatedSum& n) {
  CompensatedSum before;  // values up to and including level i
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    before.add(levels[i].multiplicity);
    // Position (n-1)/4 relative to the first value of the next level. n and `before` may be far beyond 2^53,
    // where a position is no double; their difference near the boundary is, with the low parts of the sums.
    const double past_boundary = (n.high - 4 * before.high + (n.low - 4 * before.low) - 1) / 4;
    if (past_boundary >= 0) continue;
    const double a = levels[i].ratio;
    if (past_boundary <= -1) return a;  // between two equal values
    const double b = levels[i + 1].ratio, weight = past_boundary + 1, scale = std::max(a, b);
    const double u = a / scale, v = b / scale;
    return scale * std::sqrt((1 - weight) * u * u + weight * v * v);
  }
  return levels.back().ratio;
}

double quartile_ratio(std::vector<Level> levels) {
  CompensatedSum n;
  for (const Level& level : levels) n.add(level.multiplicity);
  const double upper = root_of_quarter_quantile(levels, n);  // descending: the upper quartile comes first
  std::reverse(levels.begin(), levels.end());
  const double ratio = upper / root_of_quarter_quantile(levels, n);
  return ratio * ratio;
}

double top_energy(const std::vector<Level>& levels) {
  CompensatedSum energy;
  double left = top_energy_values;
  for (const Level& level : levels) {
    const double taken = std::min(left, level.multiplicity);
    energy.add(taken * level.ratio * level.ratio);
    left -= taken;
    if (left <= 0) break;
  }
  return energy.value();
}

}  // namespace

std::vector<double> spectral_metrics(const SingularValues& singular_values) {
  std::vector<Level> levels;
  double largest = 0;
  for (std::size_t i = 0; i < singular_values.values.size(); ++i) {
    if (singular_values.multiplicities[i] == 0) continue;
    if (levels.empty()) largest = singular_values.values[i];
    levels.push_back({singular_values.values[i] / largest, singular_values.multiplicities[i]});
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (levels.empty()) return {nan, nan, nan, nan, nan, nan, nan, 0, 0, 0};

  // With r = σ/σ_max and E = Σ r²: -Σ q ln q = ln E - (1/E) Σ r² ln r². No term is negative, so nothing
  // cancels, and ln E apart from the largest value's share keeps what little entropy a matrix close to rank
  // one has.
  const double n = sum_over(levels, 0, [](double) { return 1.0; });
  const double most = levels.front().multiplicity, rest = sum_over(levels, 1, square);
  const double energy = most + rest;
  const double entropy =
      std::log(most) + std::log1p(rest / most) - sum_over(levels, 1, square_log_square) / energy;
  return {
      std::exp(entropy),
      n > 1 ? entropy / std::log(n) : 1,
      top_energy(levels) / energy,
      quartile_ratio(levels),
      energy,
      levels.back().ratio,
      levels.back().ratio / (most > 1 || levels.size() == 1 ? 1 : levels[1].ratio),
      n,
      largest * std::sqrt(energy),
      largest,
  };
}

double orthogonality_residual(const SingularValues& singular_values, double size) {
  double residual = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < singular_values.values.size(); ++i) {
    if (singular_values.multiplicities[i] == 0) continue;
    const double ratio = singular_values.values[i] / size;
    residual = std::fmax(residual, std::abs((ratio - 1) * (ratio + 1)));  // fmax takes the number
  }
  return residual;
}

}  // namespace rarefact
