#include <map>
#include <utility>

#include "theory/power_fit.hpp"
#include "verify/check_row.hpp"
#include "verify/judge.hpp"
#include "verify/muon_cycle_evidence.hpp"

namespace rarefact::checks {

namespace {

/// The largest distance of a class's first step with p̂ >= π₁ from the one predicted.
double crossing_distance(const EvidencePoint& point, const GroupedRun& run, const Cycle& cycle) {
  const double wrong = wrong_answer_probability<double>(run.classes, run.label_noise);
  const std::size_t rows = point.run().class_count.size();
  double largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> errors = point.series("muon", "error", row);
    std::size_t i = 0;
    while (i < errors.size() && !(errors[i] <= wrong)) ++i;
    const double off =
        i == errors.size() ? INFINITY : std::abs(static_cast<double>(point.result.steps[i] - cycle.crossing));
    largest = std::max(largest, off);
  }
  return largest;
}

/// The largest | |Δm|/η - 1 | of the steps after the crossing, as a part of the 2(1/C + M/C) allowed;
/// infinite where a class goes the same way twice.
double stride_deviation(const EvidencePoint& point, const GroupedRun& run, const Cycle& cycle) {
  const std::size_t rows = point.run().class_count.size();
  double largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double before = 0;
    for (std::int64_t step = cycle.crossing; step < run.steps; ++step) {
      const double change = margin_of_error(point.at("muon", "error", step + 1, row), run.classes) -
                            margin_of_error(point.at("muon", "error", step, row), run.classes);
      const double part =
          std::abs(std::abs(change) / run.step_size - 1) / (2 * run.bound + logit_rounding / run.step_size);
      const bool alternates = change * before <= 0;
      largest = alternates && part <= largest ? largest : alternates && part > largest ? part : INFINITY;
      before = change;
    }
  }
  return largest;
}

/// The runs of one α and K, by η.
using Family = std::map<double, const EvidencePoint*>;

void judge_family(const Evidence& evidence, const Family& family, bool largest, CheckReport& report) {
  std::vector<double> step_size, inverse, envelope, exact, ratio;
  double bend = 0, allowed = 0;
  for (const auto& [eta, point] : family) {
    const GroupedRun run = grouped_run(*point, "muon");
    const Cycle cycle = cycle_of(evidence, run);
    step_size.push_back(eta);
    envelope.push_back(envelope_at(*point, run.steps));
    exact.push_back(cycle.envelope);
    bend = std::max(bend, cycle.bend);
    allowed = std::max(allowed, allowed_deviation(run, cycle));
  }
  const GroupedRun run = grouped_run(*family.begin()->second, "muon");
  const std::string where = fmt::format("α = {:g}, K = {:.3g}", run.label_noise, run.classes);
  // The exponent is 2 + (π₁ - (1-π₁)) δ/3 at the distance δ, nearer to 2 the smaller η is; the closed form
  // has that too.
  judge::ExponentClaim claim{.published = 2, .tolerance = bend};
  if (largest) {
    claim.sharp = fit_power(step_size, exact).slope;
    claim.sharp_tolerance = allowed;
  }
  Finding exponent = judge::exponent("exponent of the envelope in η, " + where, step_size, envelope, claim);
  exponent.headline = report.findings.empty();
  report.findings.push_back(exponent);
  if (!largest) return;
  Finding agreement =
      judge::agree("envelope against the closed form of the cycle, " + where, envelope, exact, allowed);
  agreement.headline = exponent.headline;
  report.findings.push_back(agreement);

  Curve curve{.title = "larger excess loss of two steps against η, " + where,
              .x_label = "η",
              .x = step_size,
              .series = {{"measured", envelope}, {"closed form", exact}, {"½ π₁(1-π₁) η²", {}}}};
  for (std::size_t i = step_size.size(); i-- > 0;) {
    inverse.push_back(1 / step_size[i]);
    ratio.push_back(envelope[i] / cycle_of(evidence, grouped_run(*family.at(step_size[i]), "muon")).leading);
  }
  for (const auto& [eta, point] : family)
    curve.series[2].y.push_back(cycle_of(evidence, grouped_run(*point, "muon")).leading);
  report.curves.push_back(curve);
  const Cycle smallest = cycle_of(evidence, run);
  const double share = std::max(smallest.below, smallest.above) / run.step_size;
  report.findings.push_back(judge::bounded("envelope/(½ π₁(1-π₁) η²) as η falls, " + where, inverse, ratio,
                                           bend, share * share, 1.1 * smallest.bend + allowed));
}

/// The excess loss of a run from ten steps before the crossing on.
Curve crossing_curve(const Evidence& evidence, const EvidencePoint& point) {
  const GroupedRun run = grouped_run(point, "muon");
  const Cycle cycle = cycle_of(evidence, run);
  Curve curve{.title = fmt::format("excess loss at the crossing, α = {:g}, K = {:.3g}, η = {:.4g}",
                                   run.label_noise, run.classes, run.step_size),
              .x_label = "step",
              .series = {{"measured", {}}, {"closed form", {}}}};
  for (std::int64_t step = std::max<std::int64_t>(0, cycle.crossing - 10); step <= run.steps; ++step) {
    curve.x.push_back(static_cast<double>(step));
    curve.series[0].y.push_back(point.at("muon", "excess_loss", step));
    curve.series[1].y.push_back(in_precision(evidence, [&](auto zero) {
      using Real = decltype(zero);
      const Real margin = sign_walk<Real>(Real(run.step_size), Real(cycle.optimum), step);
      return excess_loss_of_margin<Real>(margin, Real(run.classes), Real(run.label_noise));
    }));
  }
  return curve;
}

void judge_muon_noisy(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  report.hypotheses = {hypothesis::orthonormal(points), population_gradients(points),
                       with_label_noise(points), recorded_at_every_step(points), equal_groups(points)};
  if (!report.hypotheses[2].met || !report.hypotheses[3].met) return;
  report.hypotheses.push_back(away_from_minimum(points));

  std::map<std::pair<double, double>, Family> families;
  double shortest = INFINITY, largest = 0, crossing = 0, stride = 0, part = 0, bounded = 0;
  std::size_t fewest = points.size();
  for (const EvidencePoint& point : points) largest = std::max(largest, point.class_total());
  for (const EvidencePoint& point : points) {
    const GroupedRun run = grouped_run(point, "muon");
    const Cycle cycle = cycle_of(evidence, run);
    shortest = std::min(shortest, static_cast<double>(run.steps - cycle.crossing));
    if (run.steps - cycle.crossing < 3) continue;
    families[{-run.classes, run.label_noise}][run.step_size] = &point;
    crossing = std::max(crossing, crossing_distance(point, run, cycle));
    stride = std::max(stride, stride_deviation(point, run, cycle));
    const double envelope = envelope_at(point, run.steps);
    const double off = std::abs(std::log(envelope / cycle.envelope)) / allowed_deviation(run, cycle);
    part = std::isnan(off) ? INFINITY : std::max(part, off);
    const double whole = envelope / cycle.bound;
    bounded = std::isnan(whole) ? INFINITY : std::max(bounded, whole);
  }
  for (const auto& [key, family] : families) fewest = std::min(fewest, family.size());
  if (families.empty()) fewest = 0;
  report.hypotheses.push_back({"every run goes on for three steps beyond m*/η", shortest >= 3,
                               fmt::format("the shortest by {:g}", shortest)});
  report.hypotheses.push_back(
      {"three step sizes or more for every α and K", fewest >= 3, fmt::format("at least {}", fewest)});
  for (const auto& [key, family] : families) {
    if (family.size() >= 3) judge_family(evidence, family, -key.first > 0.99 * largest, report);
  }
  if (families.empty()) return;
  Finding step = judge::at_most("largest |first step with p̂ >= π₁ - ⌈m*/η⌉|", crossing, 1);
  step.sharp = 0.0;
  if (crossing == 0) step.verdict = Verdict::sharp;
  step.headline = true;
  report.findings.push_back(step);
  report.findings.push_back(judge::at_most(
      "largest | |Δm|/η - 1 | of the alternating margins, as a part of 2(1/C + M/C)", stride, 1));
  report.findings.push_back(
      judge::at_most("largest |ln(envelope/closed form)| as a part of what 1/C + M/C allows", part, 1));
  report.findings.push_back(
      judge::at_most("largest envelope/excess loss at the distance η from m*", bounded, 1));
  report.curves.push_back(crossing_curve(evidence, *families.begin()->second.rbegin()->second));
  report.note =
      "The envelope is the larger excess loss of the last two steps: single steps may stand near the minimum "
      "and read nearly nothing. Its constant depends on where m* lies between the two margins; it is at most "
      "that of the distance η, and a quarter of it where m* is in the middle.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow muon_noisy() {
  const std::string rows = "sweep.data.label_noise, classes.group_size, run.steps, optimizer.muon.step_size=";
  return {
      .id = "li2026/muon-noisy",
      .title = "Muon with label noise",
      .statement =
          "With label noise Muon descends until t* ≈ m* = ln(π₁(K-1)/(1-π₁)), then oscillates around m* with "
          "an "
          "excess loss of O(η²).",
      .source = "li2026, Theorem 5.1",
      .hypotheses = {"orthonormal embeddings", "population gradients with label noise α > 0",
                     "M groups of C equally likely classes", "m*/η not close to a whole number"},
      .predicted =
          "m = ηt up to step ⌈m*/η⌉, then two margins η apart around m*; the larger excess loss is that of "
          "the "
          "farther one, at most ½ π₁(1-π₁) η² to leading order",
      .measured =
          "class errors and the larger excess loss of the last two steps of M = 8 groups, K = 1e6, 1e10, "
          "1e15, "
          "α = 0.1, 0.2, five step sizes over a decade with m* always η/4 above a margin",
      .rule =
          "the exponent of the envelope in η is 2 within the cubic term of the excess loss; at K = 1e15 it "
          "is "
          "the closed form within 1/C + M/C, nowhere more than the bound; classes cross at ⌈m*/η⌉ ± 1",
      .experiments =
          {{.file = "li2026/muon-noisy.toml",
            .quick = {"classes.groups=4",
                      rows + "[[0.1, 2.5e14, 139, 0.2886915597], [0.1, 2.5e14, 412, 0.09178263828], [0.1, "
                             "2.5e14, 1282, 0.02892029205]]"},
            .precise = {"classes.groups=4",
                        rows + "[[0.1, 2.5e14, 83, 0.5155929961], [0.1, 2.5e14, 139, 0.2886915597], [0.1, "
                               "2.5e14, 237, 0.1630899044]]"}}},
      .judge = judge_muon_noisy};
}

}  // namespace rarefact::checks
