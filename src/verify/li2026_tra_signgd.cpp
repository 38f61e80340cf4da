#include <map>

#include "theory/sign_walk.hpp"
#include "verify/check_row.hpp"
#include "verify/grouped_muon.hpp"
#include "verify/judge.hpp"

namespace rarefact::checks {

namespace {

/// The largest |difference| of ln(wrong/right) of a class under the two rules; infinite where one is no
/// number. The odds are e/p̂. Without noise -ln p̂ is the class loss; with noise p̂ = 1 - e keeps its digits
/// where e is about α. A ratio of errors keeps digits that a difference of logarithms loses.
double difference_at(const EvidencePoint& point, std::int64_t step) {
  const std::vector<double> sign = point.classes("tra_signgd", "error", step),
                            muon = point.classes("muon", "error", step),
                            sign_loss = point.classes("tra_signgd", "class_loss", step),
                            muon_loss = point.classes("muon", "class_loss", step);
  double largest = 0;
  for (std::size_t i = 0; i < sign.size(); ++i) {
    const double right = point.experiment.label_noise > 0 ? std::log1p((muon[i] - sign[i]) / (1 - muon[i]))
                                                          : muon_loss[i] - sign_loss[i];
    const double off = std::abs(std::log1p((muon[i] - sign[i]) / sign[i]) + right);
    largest = off <= largest ? largest : std::isnan(off) ? INFINITY : off;
  }
  return largest;
}

/// The walk of tra_signgd with its stride 2η.
struct Walk {
  double stride = 0, optimum = INFINITY;
  std::int64_t last_climbing = 0;  ///< the last step before a margin passes m*
  /// Margins that differ by 2m*(1/C + M/C) take the same side of m* at every step.
  bool same_sides = true;
};

Walk walk_of(const Evidence& evidence, const EvidencePoint& point, const GroupedRun& run) {
  Walk walk{.stride = 2 * point.optimizer("tra_signgd").step_size, .last_climbing = run.steps};
  if (run.label_noise <= 0) return walk;
  walk.optimum = optimum_of(evidence, run);
  walk.last_climbing =
      std::min(run.steps, static_cast<std::int64_t>(std::ceil(walk.optimum / walk.stride)) - 1);
  const double offset = cycle_offset<double>(walk.stride, run.classes, run.label_noise) * walk.stride;
  walk.same_sides = 2 * run.bound * walk.optimum < offset;
  return walk;
}

/// The largest relative distance of tra_signgd's class errors from those of margins 2ηt and of the cycle.
double oracle_deviation(const Evidence& evidence, const EvidencePoint& point, const GroupedRun& run,
                        const Walk& walk) {
  double largest = 0;
  for (const std::int64_t step : point.result.steps) {
    const double exact = in_precision(evidence, [&](auto zero) {
      using Real = decltype(zero);
      const Real optimum = optimal_margin<Real>(Real(run.classes), Real(run.label_noise));
      return error_of_margin<Real>(sign_walk<Real>(Real(walk.stride), optimum, step), Real(run.classes));
    });
    for (const double error : point.classes("tra_signgd", "error", step)) {
      const double off = std::abs(error / exact - 1);
      largest = off <= largest ? largest : std::isnan(off) ? INFINITY : off;
    }
  }
  return largest;
}

/// Difference over time against C, of the runs with one α and the fewest groups.
void judge_sizes(double label_noise, double groups, const Points& difference, double constant, double time,
                 CheckReport& report) {
  if (difference.size() < 3) return;
  const std::vector<double> sizes = keys(difference);
  std::vector<double> scaled;
  for (const auto& [size, one] : difference) scaled.push_back(one * size);
  // The next order is t/C of the first, and rounding of the errors a hundredth at the largest C.
  const double bend = (time / sizes.front() + 0.01) / std::log(sizes.back() / sizes.front());
  const std::string where = fmt::format(", α = {:g}, M = {:g}", label_noise, groups);
  Finding order =
      judge::exponent("exponent of the difference in C" + where, sizes, values(difference),
                      {.published = -1, .tolerance = bend, .sharp = -1.0, .sharp_tolerance = bend});
  order.headline = true;
  report.findings.push_back(order);
  report.findings.push_back(judge::bounded("C times the difference over t" + where, sizes, scaled, 0.02,
                                           constant * sizes.back(), 0.01));
  report.curves.push_back({.title = "largest |ln odds(muon) - ln odds(tra_signgd)|/t against C" + where,
                           .x_label = "C",
                           .x = sizes,
                           .series = {{"measured", values(difference)}, {"first step, closed form", {}}}});
  for (const double size : sizes) report.curves.back().series[1].y.push_back(constant * sizes.back() / size);
}

void judge_tra_signgd(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  report.hypotheses = {hypothesis::orthonormal(points), population_gradients(points), equal_groups(points),
                       recorded_at_every_step(points)};
  if (!report.hypotheses.back().met) return;

  double fewest = INFINITY, oracle = 0, climbing = 0, cycling = 0, latest = 0;
  std::size_t cycles = 0;
  for (const EvidencePoint& point : points) fewest = std::min(fewest, grouped_run(point, "muon").groups);
  std::map<double, Points> differences;
  std::map<double, double> constants;
  for (const EvidencePoint& point : points) {
    const GroupedRun run = grouped_run(point, "muon");
    const Walk walk = walk_of(evidence, point, run);
    const double time = walk.stride * static_cast<double>(walk.last_climbing);
    const double difference = difference_at(point, walk.last_climbing);
    const double allowed = 2 * run.bound * time + logit_rounding;
    oracle = std::max(oracle, oracle_deviation(evidence, point, run, walk));
    climbing = std::max(climbing, difference / allowed);
    for (std::int64_t step = walk.last_climbing + 1; walk.same_sides && step <= run.steps; ++step) {
      cycling = std::max(cycling, difference_at(point, step) / allowed);
      ++cycles;
    }
    if (run.groups != fewest) continue;
    differences[run.label_noise][run.group_size] = difference / time;
    latest = std::max(latest, time);
    if (differences[run.label_noise].rbegin()->first == run.group_size)
      constants[run.label_noise] = drift(rate_excesses(evidence, point), 1);
  }
  for (const auto& [noise, difference] : differences)
    judge_sizes(noise, fewest, difference, constants[noise], latest, report);
  // Logits of order 50 are rounded to 1e-14; so are errors relative to themselves, a few times over.
  Finding exact = judge::equals("largest relative distance of tra_signgd's errors from margins 2ηt", oracle,
                                0, logit_rounding);
  exact.headline = report.findings.empty();
  report.findings.push_back(exact);
  Finding agreement = judge::at_most(
      "largest |ln odds(muon) - ln odds(tra_signgd)| at the end of the climb, as a part of 2t(1/C + M/C)",
      climbing, 1);
  report.findings.push_back(agreement);
  if (cycles > 0) {
    Finding after = judge::at_most("the same on the cycle around m*", cycling, 1);
    after.rule += fmt::format("; {} steps of the runs where all margins are on one side of m*", cycles);
    report.findings.push_back(after);
  }
  report.note =
      "Differences are those of ln((1-p̂)/p̂) of a class, at the last step without label noise and at the last "
      "one before m* with it. Runs with the fewest groups are in 50 digits.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow tra_signgd() {
  const std::string rows = "sweep.classes.groups, classes.group_size, run.precision=";
  return {
      .id = "li2026/tra-signgd",
      .title = "Muon matches the sign in the task basis",
      .statement =
          "SignGD in the task basis with step η, an oracle that knows the embeddings, trains like Muon with "
          "step 2η.",
      .source = "li2026, Theorem 6.3",
      .hypotheses = {"orthonormal embeddings", "population gradients",
                     "M groups of C equally likely classes"},
      .predicted =
          "margins of tra_signgd are exactly 2ηt up to m*; those of Muon differ by at most 2t(1/C + M/C), to "
          "first order by t(1 + oK)/(K-1), 1 + o the own entry of its first update",
      .measured =
          "log odds of all classes under both rules, η = 1/2 and 1, M = 4 and 16 groups, K up to 1e15, α = 0 "
          "and 0.1",
      .rule =
          "errors of tra_signgd are exact; the difference to Muon has the exponent -1 in C with the first "
          "step's constant and is within the bound, on the cycle too",
      .experiments =
          {{.file = "li2026/tra-signgd.toml",
            .quick = {rows + "[[4, 1e3, 16], [4, 1e5, 16], [4, 1e7, 16], [16, 10, 16], [16, 6.25e13, 16]]"},
            .precise = {rows + "[[2, 1e3, 50], [2, 1e5, 50], [2, 1e7, 50], [4, 2.5e14, 50]]"}}},
      .judge = judge_tra_signgd};
}

}  // namespace rarefact::checks
