#include <fmt/format.h>

#include <algorithm>

#include "verify/capacity_evidence.hpp"

namespace rarefact::checks {

namespace {

Hypothesis undamped(const EvidencePoints& points) {
  double most = 0;
  for (const EvidencePoint& point : points) {
    const ParameterValues& parameters = point.optimizer("newton").parameters;
    if (parameters.has("damping")) most = std::max(most, parameters.number("damping"));
  }
  return {"no damping of the Hessian", most == 0, fmt::format("damping up to {:g}", most)};
}

/// Counts of Newton's method over those of Muon, with the same embeddings.
void judge_ratio(const EvidencePoints& points, double a, CheckReport& report) {
  const judge::SeedCurves ratios = seed_curves(
      points, dimension_of,
      [](const EvidencePoint& point) {
        return point.at("newton", "recovered_count", 1) / point.at("muon", "recovered_count", 1);
      },
      [a](const EvidencePoint& point) { return exponent_of(point) == a; });
  const std::string of = fmt::format("a = {:g}", a);
  std::vector<double> at_largest;
  double largest = 0;
  for (const auto& [seed, curve] : ratios) {
    largest = curve.rbegin()->first;
    at_largest.push_back(curve.rbegin()->second);
  }
  const judge::SeedMean ratio = judge::seed_mean(at_largest);
  report.findings.push_back({.quantity = fmt::format("newton's count over muon's, d = {:g}, {}", largest, of),
                             .measured = ratio.mean,
                             .low = ratio.low,
                             .high = ratio.high,
                             .published = "as many",
                             .rule = fmt::format("mean of {} seeds", at_largest.size()),
                             .verdict = Verdict::evidence,
                             .headline = a == 1.5});
  report.findings.push_back(judge::evidence_of_exponent("exponent of newton's count over muon's in d, " + of,
                                                        ratios, 0, "0, up to logarithms"));
}

void judge_one_step_newton(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = capacity_hypotheses(evidence);
  report.hypotheses.push_back(undamped(evidence[0]));
  const std::vector<Finding> newton = judge_capacity(evidence[0], "newton", capacity_of_muon, "", report);
  const std::vector<double> exponents = exponents_of(evidence[0]);
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    judge_ratio(evidence[0], exponents[i], report);
    report.findings.push_back(judge::interval_above(
        fmt::format("exponent of newton's count above 1, by, a = {:g}", exponents[i]), newton[i], 1));
  }
  report.findings.push_back(possible_states(evidence));
  report.note = capacity_note;
  undecide_where_unmet(report);
}

}  // namespace

CheckRow kim2026_one_step_newton() {
  return {
      .id = "kim2026/one-step-newton",
      .title = "one step of Newton's method stores as many facts as one of Muon",
      .statement =
          "With Gaussian embeddings in d dimensions and p_i ∝ i^-a, a > 1, one step of Muon from W = 0 "
          "recovers as "
          "many facts as one of Newton's method, which needs second derivatives: about d^{1+1/(2a)}.",
      .source = "kim2026, abstract",
      .hypotheses = {"independent Gaussian embeddings", "the exact polar factor", "p_i ∝ i^-a, a > 1",
                     "many more facts than dimensions", "population gradient without label noise",
                     "no damping of the Hessian", "d → ∞, up to powers of ln d"},
      .predicted = "recovered_count of newton over that of muon ≍ 1 up to powers of ln d",
      .measured =
          "facts whose right logit is the largest after one step of either, on the same embeddings, d = "
          "32 to 256, "
          "N = 16 d facts, 8 seeds",
      .rule =
          "evidence only for exponents and ratios: means over seeds and their Student intervals. At "
          "these d the "
          "interval of newton's exponent has to lie above 1, and every state has to be one that some W has",
      .experiments =
          {{.file = "kim2026/one-step-newton.toml",
            .quick = {"sweep.embedding.dimension, classes.count=[[32, 512], [64, 1024], [128, 2048]]",
                      "sweep.classes.exponent=[1.5]"}}},
      .no_precise_runs = no_precise_capacity,
      .judge = judge_one_step_newton};
}

}  // namespace rarefact::checks
