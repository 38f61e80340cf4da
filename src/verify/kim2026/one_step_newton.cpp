#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

HypothesisRow undamped() {
  return hypothesis::ranged(
      "no damping of the Hessian",
      [](const EvidencePoint& point) {
        const ParameterValues& parameters = point.optimizer("newton").parameters;
        return parameters.has("damping") ? parameters.number("damping") : 0;
      },
      [](double, double most) {
        return hypothesis::Outcome{most == 0, fmt::format("damping up to {:g}", most)};
      });
}

double ratio_of(const EvidencePoint& point) {
  return point.at("newton", "recovered_count", 1) / point.at("muon", "recovered_count", 1);
}

void judge(const Evidence& evidence, CheckReport& report) {
  for (const auto& [a, newton] : judge_capacity(evidence.of(0), "newton", capacity_of_muon, "", report)) {
    const std::string of = fmt::format("a = {:g}", a);
    // Counts of Newton's method over those of Muon, with the same embeddings.
    const judge::SeedCurves ratios = seed_curves(evidence.of(0), dimension_of, ratio_of, exponent_of, a);
    const std::vector<double> at_largest =
        collect(ratios, [](const auto& of_seed) { return of_seed.second.rbegin()->second; });
    const double largest = ratios.begin()->second.rbegin()->first;
    Finding& ratio = report.add(
        "over-muon", of,
        seed_mean_finding(fmt::format("newton's count over muon's, d = {:g}", largest), at_largest));
    ratio.published = "as many";
    ratio.headline = a == 1.5;
    report.add("over-muon-exponent", of,
               judge::evidence_of_exponent("exponent of newton's count over muon's in d", ratios, 0,
                                           "0, up to logarithms"));
    report.add("above-1", of, judge::interval_above("exponent of newton's count above 1, by", newton, 1));
  }
  judge_states(evidence, report);
  report.note = capacity_note;
}

}  // namespace

CheckRow one_step_newton() {
  return {.id = "kim2026/one-step-newton",
          .hypotheses = capacity_hypotheses({hypothesis::population_without_noise(), undamped()}),
          .no_precise_runs = no_precise_capacity,
          .judge = judge};
}

}  // namespace rarefact::checks::kim2026
