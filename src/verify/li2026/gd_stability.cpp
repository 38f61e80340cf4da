#include "model/margin.hpp"
#include "theory/scaling_laws.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// What one run says of stability, from the most frequent class.
struct Walk {
  double number = 0;      ///< η p_max (K/(K-1)) π₁(1-π₁)
  double step_mass = 0;   ///< η p_max
  double envelope = 0;    ///< the larger |π₁ - p̂| of the last two steps
  double multiplier = 0;  ///< of π₁ - p̂ a step, on the way to the optimum; NaN where it is not seen
  double amplitude = 0;   ///< half of the margin between the last two steps
  double variance = 0;    ///< π₁(1-π₁)
  bool converges() const { return envelope < 1e-8; }
  /// Neither at the optimum nor at what rounding or slow convergence could leave above it.
  bool stays_away() const { return envelope > 1e-4; }
};

/// The geometric mean of the change of π₁ - p̂ a step. Above 1e-5 the recursion is not linear to the digits
/// asked for, and below 1e-9 rounding of 1 - p̂ shows.
double multiplier_of(const std::vector<double>& shortfall) {
  std::size_t first = 0, last = 0;
  for (std::size_t t = 1; t < shortfall.size(); ++t) {
    const double size = std::abs(shortfall[t]);
    if (!(size > 1e-9 && size < 1e-5)) continue;
    if (first == 0) first = t;
    last = t;
  }
  if (last < first + 4) return std::numeric_limits<double>::quiet_NaN();
  const double mean =
      std::pow(std::abs(shortfall[last] / shortfall[first]), 1 / static_cast<double>(last - first));
  return shortfall[first + 1] * shortfall[first] < 0 ? -mean : mean;
}

Walk walk_of(const Evidence& evidence, const EvidencePoint& point, const OptimizerChoice& choice) {
  const double total = point.class_total(), noise = point.experiment.label_noise;
  const double most = point.run().class_probability.front();
  Walk walk{.step_mass = choice.step_size * most};
  walk.number = evidence.exact(
      [&]<class Real>(Real) { return gd_stability_number<Real>(choice.step_size, most, total, noise); });
  const double wrong = wrong_answer_probability(total, noise);
  walk.variance = right_answer_probability(total, noise) * wrong;
  const std::vector<double> error = point.series(choice.name, "error");
  const std::vector<double> shortfall = collect(error, [&](double one) { return one - wrong; });
  const std::size_t n = shortfall.size();
  walk.envelope = std::max(std::abs(shortfall[n - 1]), std::abs(shortfall[n - 2]));
  walk.multiplier = multiplier_of(shortfall);
  const auto log_odds = [](double e) { return std::log(e) - std::log1p(-e); };
  walk.amplitude = std::abs(log_odds(error[n - 1]) - log_odds(error[n - 2])) / 2;
  return walk;
}

/// Amplitude of the 2-cycle at the number 2 + μ, μ small. With δ = m - m*, v = π₁(1-π₁) and x the number, the
/// recursion is
///     δ ← (1-x) δ - (x/2) (1-2π₁) δ² - (x/6) (1-6v) δ³,
/// and its second iterate returns to δ where δ² = μ/(b² + c), b² = 1-4v, c = -(1-6v)/3: δ² = 3μ/(2 (1-3v)).
double cycle_amplitude(const Walk& walk) {
  return std::sqrt(1.5 * (walk.number - 2) / (1 - 3 * walk.variance));
}

/// Where stability ends, and whether all runs that the statement is on converge.
void judge_limit(const std::vector<Walk>& walks, CheckReport& report) {
  double stable = 0, unstable = std::numeric_limits<double>::infinity();
  double largest_stable_mass = 0, least_unstable_mass = unstable;
  std::size_t undecided = 0, small_steps = 0, small_converged = 0;
  for (const Walk& walk : walks) {
    if (walk.converges()) {
      stable = std::max(stable, walk.number);
      largest_stable_mass = std::max(largest_stable_mass, walk.step_mass);
    } else if (walk.stays_away()) {
      unstable = std::min(unstable, walk.number);
      least_unstable_mass = std::min(least_unstable_mass, walk.step_mass);
    } else {
      ++undecided;
    }
    if (walk.step_mass > 1) continue;
    ++small_steps;
    small_converged += walk.converges() ? 1 : 0;
  }
  // The runs nearest to the limit are 1 % below and above it.
  const bool brackets = stable < 2 && unstable > 2 && unstable - stable < 0.05 && undecided == 0;
  report.add("limit",
             {.quantity = "η p_max (K/(K-1)) π₁(1-π₁) where stability ends",
              .measured = (stable + unstable) / 2,
              .sharp = 2.0,
              .rule = fmt::format(
                  "runs from W = 0 converge up to {:.6g} and do not from {:.6g} on; {} of {} undecided",
                  stable, unstable, undecided, walks.size()),
              .verdict = brackets ? Verdict::sharp : Verdict::fails,
              .headline = true});
  const double part = static_cast<double>(small_converged) / static_cast<double>(small_steps);  // NaN: none
  Finding& sufficient =
      report.add("published", judge::at_least("part of the runs with η p_max <= 1 that converge", part, 1));
  sufficient.published = "η p_max ≲ 1";
  sufficient.rule =
      fmt::format("of {}; the largest η p_max that converged is {:.4g}, the least that did not {:.4g}",
                  small_steps, largest_stable_mass, least_unstable_mass);
  sufficient.headline = true;
}

void judge_stability(const Evidence& evidence, CheckReport& report) {
  std::vector<Walk> walks;
  std::vector<double> error, recursion;
  for (const EvidencePoint& point : evidence[0]) {
    for (const OptimizerChoice& choice : point.experiment.optimizers) {
      walks.push_back(walk_of(evidence, point, choice));
      for (const double one : point.series(choice.name, "error")) error.push_back(one);
      for (const double one : point.series(choice.name, "error_predicted")) recursion.push_back(one);
    }
  }
  std::sort(walks.begin(), walks.end(), [](const Walk& a, const Walk& b) { return a.number < b.number; });
  // Distances to the optimum shrink by |1 - number| a step, from about ln K.
  double slowest = 0;
  for (const Walk& walk : walks) {
    if (walk.number < 2) slowest = std::max(slowest, std::abs(1 - walk.number));
  }
  const double left = std::pow(slowest, static_cast<double>(evidence[0].front().experiment.steps));
  report.assume("steps enough to see every stable run converge", left < 1e-10,
                fmt::format("the slowest distance shrinks to {:.2g} of itself", left));
  judge_limit(walks, report);
  const auto compared = [&](const char* id, const char* words, auto chosen, auto measured, auto exact,
                            double tolerance) {
    std::vector<Walk> some;
    std::copy_if(walks.begin(), walks.end(), std::back_inserter(some), chosen);
    report.add(id, judge::agree(words, collect(some, measured), collect(some, exact), tolerance));
  };
  // At the number 1 convergence is quadratic: there is no rate to be seen. δ < 1e-5/(π₁(1-π₁)) bends the rate
  // by as much, rounding by 1e-16/1e-9 a step.
  compared(
      "rate", "change of π₁ - p̂ a step against 1 - η p_max (K/(K-1)) π₁(1-π₁)",
      [](const Walk& walk) { return walk.number < 2 && std::abs(1 - walk.number) > 0.1; },
      [](const Walk& walk) { return walk.multiplier; }, [](const Walk& walk) { return 1 - walk.number; },
      1e-5);
  // The next order is μ, 0.02, of it.
  compared(
      "cycle", "amplitude of the cycle just above the limit against (3μ/(2(1-3v)))^½",
      [](const Walk& walk) { return walk.number > 2 && walk.number < 2.05; },
      [](const Walk& walk) { return walk.amplitude; }, cycle_amplitude, 0.05);
  report.add("recursion",
             judge::agree("error of the most frequent class against the recursion", error, recursion, 1e-10));
  report.curve(
      "largest |π₁ - p̂| of the last two steps against the stability number", "η p_max (K/(K-1)) π₁(1-π₁)",
      {{"|π₁ - p̂|, at least 1e-12", over(
                                        walks, [](const Walk& walk) { return walk.number; },
                                        [](const Walk& walk) { return std::max(walk.envelope, 1e-12); })}});
}

}  // namespace

CheckRow gd_stability() {
  return {.id = "li2026/gd-stability",
          .hypotheses = {orthonormal(), label_noise(), recorded_at_every_step()},
          .judge = judge_stability};
}

}  // namespace rarefact::checks::li2026
