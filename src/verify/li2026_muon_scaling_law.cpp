#include <map>

#include "theory/power_fit.hpp"
#include "verify/check_row.hpp"
#include "verify/judge.hpp"
#include "verify/muon_cycle_evidence.hpp"

namespace rarefact::checks {

namespace {

/// The runs of one K and s, by T.
using Family = std::map<double, const EvidencePoint*>;
struct FamilyKey {
  double classes, exponent;
  auto operator<=>(const FamilyKey&) const = default;
};

/// c of η = c ln K/T.
double constant_of(const GroupedRun& run) {
  return run.step_size * static_cast<double>(run.steps) / std::log(run.classes);
}

/// c against the least one with which T steps reach the cycle.
double constant_ratio(const Evidence& evidence, const GroupedRun& run) {
  return constant_of(run) / in_precision(evidence, [&](auto zero) {
           using Real = decltype(zero);
           return least_cycle_constant<Real>(Real(run.classes), Real(run.label_noise));
         });
}

/// Exponent of the envelope in T of one family, which for the largest K is compared with the closed form.
Finding judge_family(const Evidence& evidence, const FamilyKey& key, const Family& family, bool largest,
                     CheckReport& report) {
  std::vector<double> steps, envelope, exact, leading, ratio;
  double bend = 0, allowed = 0, share = 0, last_bend = 0;
  for (const auto& [count, point] : family) {
    const GroupedRun run = grouped_run(*point, "muon");
    const Cycle cycle = cycle_of(evidence, run);
    steps.push_back(count);
    envelope.push_back(envelope_at(*point, run.steps));
    exact.push_back(cycle.envelope);
    leading.push_back(cycle.leading);
    ratio.push_back(envelope.back() / cycle.leading);
    bend = std::max(bend, cycle.bend);
    allowed = std::max(allowed, allowed_deviation(run, cycle));
    share = std::max(cycle.below, cycle.above) / run.step_size;
    last_bend = cycle.bend;
  }
  const std::string where = fmt::format("s = {:g}, K = {:.3g}", key.exponent, key.classes);
  judge::ExponentClaim claim{.kind = judge::ExponentClaim::Kind::at_most, .published = -2, .tolerance = bend};
  if (largest) {
    claim.sharp = fit_power(steps, exact).slope;
    claim.sharp_tolerance = allowed;
  }
  Finding exponent = judge::exponent("exponent of the excess loss in T, " + where, steps, envelope, claim);
  exponent.headline = largest;
  report.findings.push_back(exponent);
  if (!largest) return exponent;
  report.findings.push_back(
      judge::agree("excess loss against the closed form of the cycle, " + where, envelope, exact, allowed));
  report.findings.push_back(judge::bounded("excess loss/(½ π₁(1-π₁) (c ln K/T)²), " + where, steps, ratio,
                                           bend, share * share, 1.1 * last_bend + allowed));
  report.curves.push_back(
      {.title = "larger excess loss of two steps against T, " + where,
       .x_label = "T",
       .x = steps,
       .series = {{"measured", envelope}, {"closed form", exact}, {"½ π₁(1-π₁) (c ln K/T)²", leading}}});
  return exponent;
}

void judge_muon_scaling_law(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  report.hypotheses = {hypothesis::orthonormal(points), population_gradients(points),
                       with_label_noise(points), recorded_at_every_step(points), equal_groups(points)};
  if (!report.hypotheses[2].met || !report.hypotheses[3].met) return;
  report.hypotheses.push_back(away_from_minimum(points));

  std::map<FamilyKey, Family> families;
  double least = INFINITY, largest = 0, bounded = 0;
  std::size_t reached = 0, fewest = points.size();
  for (const EvidencePoint& point : points) {
    const GroupedRun run = grouped_run(point, "muon");
    const double ratio = constant_ratio(evidence, run);
    least = std::min(least, ratio);
    // One step more: the envelope takes two steps.
    if (run.steps <= cycle_of(evidence, run).crossing) continue;
    ++reached;
    largest = std::max(largest, run.classes);
    families[{run.classes, point.experiment.spectrum.parameters.number("exponent")}]
            [static_cast<double>(run.steps)] = &point;
    const double part = envelope_at(point, run.steps) / cycle_of(evidence, run).bound;
    bounded = std::isnan(part) ? INFINITY : std::max(bounded, part);
  }
  for (const auto& [key, family] : families) fewest = std::min(fewest, family.size());
  if (families.empty()) fewest = 0;
  report.hypotheses.push_back(
      {"c > m*/ln K for η = c ln K/T: the runs reach the cycle", reached == points.size(),
       fmt::format("c is at least {:.3g} times m*/ln K; {} of {} runs go on beyond step ⌈m*/η⌉", least,
                   reached, points.size())});
  report.hypotheses.push_back(
      {"three T or more for every K and s", fewest >= 3, fmt::format("at least {}", fewest)});

  std::vector<double> slopes;
  double allowed = 0;
  for (const auto& [key, family] : families) {
    if (family.size() < 3) continue;
    const bool is_largest = key.classes > 0.99 * largest;
    const Finding exponent = judge_family(evidence, key, family, is_largest, report);
    if (!is_largest) continue;
    slopes.push_back(exponent.measured);
    for (const auto& [steps, point] : family) {
      const GroupedRun run = grouped_run(*point, "muon");
      allowed = std::max(allowed, allowed_deviation(run, cycle_of(evidence, run)));
    }
  }
  if (slopes.size() >= 2) {
    const auto [low, high] = std::minmax_element(slopes.begin(), slopes.end());
    report.findings.push_back(
        judge::equals(fmt::format("difference of the exponents for the {} values of s", slopes.size()),
                      *high - *low, 0, 2 * allowed));
  }
  if (!families.empty())
    report.findings.push_back(
        judge::at_most("largest excess loss/that at the distance η from m*", bounded, 1));
  report.note =
      "Gradient descent on the same classes has the exponent -(1-1/s), which depends on the imbalance. The "
      "constant of Muon's law is (c²/2) π₁(1-π₁) at most; c below m*/ln K leaves the run short of the cycle, "
      "where the statement claims nothing.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow muon_scaling_law() {
  const std::string rows = "sweep.classes.group_size, run.steps, optimizer.muon.step_size=";
  return {
      .id = "li2026/muon-scaling-law",
      .title = "scaling law of Muon",
      .statement =
          "With label noise and η of the order ln K/T, the excess loss of Muon after T steps is L(T) - L* ≲ "
          "(ln "
          "K/T)², whatever the exponent of the class frequencies is.",
      .source = "li2026, Theorem 5.8",
      .hypotheses = {"orthonormal embeddings", "population gradients with label noise α > 0",
                     "M groups of C equally likely classes", "η = c ln K/T with c > m*/ln K",
                     "m*/η not close to a whole number"},
      .predicted =
          "the 2-cycle around m*: an excess loss of at most ½ π₁(1-π₁) (c ln K/T)² to leading order, in "
          "closed "
          "form from the distances of the two margins",
      .measured =
          "the larger excess loss of steps T-1 and T, T = 257 to 2049, s = 1.5, 2, 3, K = 1e6, 1e10, 1e15, M "
          "= "
          "8 groups; c = (4/3) m*/ln K",
      .rule =
          "the exponent in T is at most -2 within the cubic term of the excess loss, the same for every s; "
          "at K = "
          "1e15 the excess loss is the closed form within 1/C + M/C, nowhere more than the bound",
      .experiments = {{.file = "li2026/muon-scaling-law.toml",
                       .quick = {"classes.groups=4", "sweep.classes.exponent=[1.5, 3]",
                                 rows + "[[2.5e14, 257, 0.18638169], [2.5e14, 513, 0.09337250359], [2.5e14, "
                                        "2049, 0.02337730324]]"},
                       .precise = {"classes.groups=4", "sweep.classes.exponent=[1.5, 3]",
                                   rows + "[[2.5e14, 65, 0.7369245283], [2.5e14, 129, 0.3713185608], "
                                          "[2.5e14, 257, 0.18638169]]"}}},
      .judge = judge_muon_scaling_law};
}

}  // namespace rarefact::checks
