#include "model/margin.hpp"
#include "verify/check.hpp"
#include "verify/li2026/scaling_laws.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// The runs nearest to an edge are this far from it.
constexpr double edge_tolerance = 0.01;

/// What one run says of stability, from the most frequent class.
struct Walk {
  double noise = 0, classes = 0;  ///< α, K
  double number = 0;              ///< η p_max (K/(K-1)) π₁(1-π₁)
  double step_mass = 0;           ///< η p_max
  double envelope = 0;            ///< the larger |π₁ - p̂| of the last two steps
  double multiplier = 0;  ///< of π₁ - p̂ a step, on the way to the optimum; NaN where it is not seen
  double amplitude = 0;   ///< half of the margin between the last two steps
  double variance = 0;    ///< π₁(1-π₁)
  /// The η p_max with the number 2.
  double constant() const { return 2 * step_mass / number; }
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
  const double most = std::ranges::max(point.run().class_probability);
  Walk walk{.noise = noise, .classes = total, .step_mass = choice.step_size * most};
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

/// η p_max where the stability of one α and K ends, between the largest that converges and the least that does
/// not, against the closed form.
struct Edge {
  double stable = 0, unstable = std::numeric_limits<double>::infinity(), exact = 0;
  double measured() const { return std::sqrt(stable * unstable); }
};

/// Both directions of the equivalence, and its constant.
void judge_limit(const std::vector<Walk>& walks, CheckReport& report) {
  double stable = 0, unstable = std::numeric_limits<double>::infinity();
  std::map<double, std::map<double, Edge>> edges;  // of α, by K
  // Runs on either side of the constant, and how many do as they should; those with η p_max <= 1 among the former.
  double below = 0, below_converge = 0, above = 0, above_stay = 0, small = 0;
  for (const Walk& walk : walks) {
    Edge& edge = edges[walk.noise][walk.classes];
    edge.exact = walk.constant();
    (walk.number < 2 ? below : above) += 1;
    small += walk.step_mass <= 1 ? 1 : 0;
    if (walk.converges()) {
      below_converge += walk.number < 2 ? 1 : 0;
      stable = std::max(stable, walk.number);
      edge.stable = std::max(edge.stable, walk.step_mass);
    } else if (walk.stays_away()) {
      above_stay += walk.number < 2 ? 0 : 1;
      unstable = std::min(unstable, walk.number);
      edge.unstable = std::min(edge.unstable, walk.step_mass);
    }
  }
  // The runs nearest to the limit are 1 % below and above it.
  const bool brackets = stable < 2 && unstable > 2 && unstable - stable < 0.05;
  report.headline("limit").is(
      {.quantity = "η p_max (K/(K-1)) π₁(1-π₁) where stability ends",
       .measured = (stable + unstable) / 2,
       .sharp = 2.0,
       .rule =
           fmt::format("runs from W = 0 converge up to {:.6g} and do not from {:.6g} on", stable, unstable),
       .verdict = brackets ? Verdict::sharp : Verdict::fails});
  const auto direction = [&](const char* id, const char* words, const char* published, double part,
                             std::string rule) {
    Finding& finding = report.headline(id).at_least(words, part, 1);  // not a number without runs
    finding.published = published;
    finding.rule = std::move(rule);
  };
  direction("sufficient", "part of the runs with η p_max < c(α) that converge", "stable if η p_max ≲ 1",
            below_converge / below, fmt::format("of {:g}, {:g} of them with η p_max <= 1", below, small));
  direction("necessary", "part of the runs with η p_max > c(α) that do not", "only if η p_max ≲ 1",
            above_stay / above, fmt::format("of {:g}; the others are {:g}", above, above - above_stay));
  Comparison constants;
  Points over_noise, closed_form;
  for (const auto& [noise, sizes] : edges) {
    for (const auto& [classes, edge] : sizes) constants.add(edge.measured(), edge.exact);
    const auto& [classes, largest] = *sizes.rbegin();
    over_noise[noise] = largest.measured();
    closed_form[noise] = largest.exact;
    report.headline("constant", fmt::format("α = {:g}, K = {:.3g}", noise, classes))
        .equals("c(α), η p_max where stability ends", largest.measured(), largest.exact, edge_tolerance);
  }
  report.finding("constants")
      .agree("c(α) of every α and K against 2 (K-1)/(K π₁(1-π₁))", constants, edge_tolerance);
  report.curve("η p_max where stability ends against α, largest K", "α",
               {{"measured", over_noise}, {"2 (K-1)/(K π₁(1-π₁))", closed_form}});
}

void judge_stability(const Evidence& evidence, CheckReport& report) {
  std::vector<Walk> walks;
  Comparison error;
  for (const EvidencePoint& point : evidence[0]) {
    for (const OptimizerChoice& choice : point.experiment.optimizers) {
      walks.push_back(walk_of(evidence, point, choice));
      error.add(point.series(choice.name, "error"), point.series(choice.name, "error_predicted"));
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
    report.finding(id).agree(words, collect(some, measured), collect(some, exact), tolerance);
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
  report.finding("recursion").agree("error of the most frequent class against the recursion", error, 1e-10);
  report.curve(
      "largest |π₁ - p̂| of the last two steps against the stability number", "η p_max (K/(K-1)) π₁(1-π₁)",
      {{"|π₁ - p̂|, at least 1e-12", over(
                                        walks, [](const Walk& walk) { return walk.number; },
                                        [](const Walk& walk) { return std::max(walk.envelope, 1e-12); })}});
}

}  // namespace

CheckRow gd_stability() {
  return {.id = "li2026/gd-stability",
          .hypotheses = {orthonormal(), label_noise(), recorded_at_every_step(), equal_fan_in()},
          .judge = judge_stability};
}

}  // namespace rarefact::checks::li2026
