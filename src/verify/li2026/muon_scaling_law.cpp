#include "model/margin.hpp"
#include "verify/li2026/muon_runs.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// c of η = c ln K/T against the least one with which T steps reach the cycle, m*/ln K (li2026, Theorem 5.8).
double constant_ratio(const Evidence& evidence, const MuonRun& run) {
  const double constant = run.step_size * static_cast<double>(run.steps) / std::log(run.classes);
  return constant / evidence.exact([&]<class Real>(Real) {
    using std::log;
    const Real classes(run.classes);
    return Real(optimal_margin<Real>(classes, run.label_noise) / log(classes));
  });
}

void judge_scaling_law(const Evidence& evidence, CheckReport& report) {
  CycleFamilies families;  // of K and s, by T
  double least = INFINITY, most_classes = 0;
  Largest bounded;
  std::size_t reached = 0, all = evidence[0].size();
  for (const EvidencePoint& point : evidence[0]) {
    const CycleRun run = cycle_run(evidence, point);
    least = std::min(least, constant_ratio(evidence, run));
    // One step more: the envelope takes two steps.
    if (run.steps <= run.crossing) continue;
    ++reached;
    most_classes = std::max(most_classes, run.classes);
    families[{run.classes, point.experiment.spectrum.parameters.number("exponent")}]
            [static_cast<double>(run.steps)] = run;
    bounded.add(run.envelope() / run.limit);
  }
  const std::size_t fewest = fewest_cycles(families);
  report.assume("c > m*/ln K for η = c ln K/T: the runs reach the cycle", reached == all,
                fmt::format("c is at least {:.3g} times m*/ln K; {} of {} runs go on beyond step ⌈m*/η⌉",
                            least, reached, all));
  report.assume("three T or more for every K and s", fewest >= 3, fmt::format("at least {}", fewest));

  const CycleClaim claim{{.kind = judge::ExponentClaim::Kind::at_most, .published = -2},
                         false,
                         "excess loss",
                         "T",
                         "½ π₁(1-π₁) (c ln K/T)²"};
  std::vector<double> slopes;
  double allowed = 0;
  for (const auto& [key, family] : families) {
    if (family.size() < 3) continue;
    const std::string of = fmt::format("s = {:g}, K = {:.3g}", key.second, key.first);
    const bool largest = key.first > 0.99 * most_classes;
    const double off = judge_family(family, claim, of, largest, largest, report);
    if (!largest) continue;
    slopes.push_back(report.of("exponent/" + of).front()->measured);
    allowed = std::max(allowed, off);
  }
  if (slopes.size() >= 2) {
    const auto [low, high] = std::minmax_element(slopes.begin(), slopes.end());
    report.finding("same-exponent")
        .equals(fmt::format("difference of the exponents for the {} values of s", slopes.size()),
                *high - *low, 0, 2 * allowed);
  }
  if (!families.empty())
    report.finding("bound").at_most("largest excess loss/that at the distance η from m*", bounded, 1);
}

}  // namespace

CheckRow muon_scaling_law() {
  return {.id = "li2026/muon-scaling-law",
          .hypotheses = {orthonormal(), population(), equal_fan_in(), needed(label_noise()),
                         needed(recorded_at_every_step()), equal_groups(), away_from_minimum(),
                         assumed("η = c ln K/T with c > m*/ln K")},
          .judge = judge_scaling_law};
}

}  // namespace rarefact::checks::li2026
