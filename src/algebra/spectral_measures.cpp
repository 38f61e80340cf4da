#include "algebra/spectral_measures.hpp"

#include <algorithm>

#include "core/compensated_sum.hpp"

namespace rarefact {

namespace {

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

double condition_ratio_rest(const Levels& s) {
  if (s.number == 1) return std::numeric_limits<double>::quiet_NaN();
  const bool several = s.all.front().multiplicity > 1 || s.all.size() == 1;
  return s.all.back().ratio / (several ? 1 : s.all[1].ratio);
}

}  // namespace

const std::vector<SpectralRow>& spectral_rows() {
  static const std::vector<SpectralRow> rows = {
      {"effective_rank", "number of directions, by entropy", "exp(-Σ q ln q), q = σ²/Σσ²", "effective rank",
       [](const Levels& s) { return std::exp(s.entropy); }},
      {"entropy", "evenness of the singular values, 1 at best (and for n = 1)", "-Σ q ln q / ln n",
       "normalised singular-value entropy",
       [](const Levels& s) { return s.number > 1 ? s.entropy / std::log(s.number) : 1; }},
      {"top_energy_fraction", "share of the 10 largest singular values in the energy", "Σ_{i≤10} σ_i² / Σσ²",
       "energy fraction of the 10 largest singular values",
       [](const Levels& s) { return top_energy(s.all) / s.energy; }},
      {"quartile_ratio", "upper over lower quartile of the energies",
       "Q75(σ²) / Q25(σ²), linear interpolation", "quartile ratio of the squared singular values",
       [](const Levels& s) { return quartile_ratio(s.all); }},
      {"stable_rank", "number of directions, by energy", "Σσ² / σ_max²", "stable rank",
       [](const Levels& s) { return s.energy; }},
      {"condition_ratio", "least over largest nonzero singular value", "σ_min / σ_max",
       "ratio of the least to the largest nonzero singular value",
       [](const Levels& s) { return s.all.back().ratio; }},
      {"condition_ratio_rest", "the same without the single largest singular value",
       "σ_min / σ_2, multiplicities counted; NaN for n = 1",
       "ratio of the least to the second largest singular value", condition_ratio_rest},
      {"rank", "number of nonzero singular values", "n", "rank", [](const Levels& s) { return s.number; }, 0},
      {"frobenius_norm", "length of the matrix as a vector", "√(Σσ²)", "Frobenius norm",
       [](const Levels& s) { return s.largest * std::sqrt(s.energy); }, 0},
      {"spectral_norm", "largest singular value", "σ_max", "spectral norm",
       [](const Levels& s) { return s.largest; }, 0},
  };
  return rows;
}

Levels levels_of(const SingularValues& singular_values) {
  Levels levels;
  for (std::size_t i = 0; i < singular_values.values.size(); ++i) {
    if (singular_values.multiplicities[i] == 0) continue;
    if (levels.all.empty()) levels.largest = singular_values.values[i];
    levels.all.push_back({singular_values.values[i] / levels.largest, singular_values.multiplicities[i]});
  }
  if (levels.all.empty()) return levels;
  // With r = σ/σ_max and E = Σ r²: -Σ q ln q = ln E - (1/E) Σ r² ln r². No term is negative, so nothing
  // cancels, and ln E apart from the largest value's share keeps what little entropy a matrix close to rank
  // one has.
  levels.number = sum_over(levels.all, 0, [](double) { return 1.0; });
  const double top = levels.all.front().multiplicity, rest = sum_over(levels.all, 1, square);
  levels.energy = top + rest;
  levels.entropy =
      std::log(top) + std::log1p(rest / top) - sum_over(levels.all, 1, square_log_square) / levels.energy;
  return levels;
}

}  // namespace rarefact
