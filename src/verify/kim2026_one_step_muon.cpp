#include <fmt/format.h>

#include <set>

#include "verify/capacity_evidence.hpp"

namespace rarefact::checks {

namespace {

/// The count against the number of facts N at the least and at the greatest d, and against d at the greatest
/// N: what the theorem hides in its logarithms.
void judge_fact_count(const EvidencePoints& points, CheckReport& report) {
  const Number facts = [](const EvidencePoint& point) { return point.class_total(); };
  const Number count = [](const EvidencePoint& point) { return point.at("muon", "recovered_count", 1); };
  std::set<double> dimensions, numbers;
  for (const EvidencePoint& point : points) {
    dimensions.insert(dimension_of(point));
    numbers.insert(facts(point));
  }
  Curve curve{.title = "facts that muon recovers against N", .x_label = "N"};
  for (const double d : dimensions) {
    const judge::SeedCurves counts = seed_curves(
        points, facts, count, [d](const EvidencePoint& point) { return dimension_of(point) == d; });
    const Points mean = mean_over_seeds(counts);
    curve.x = keys(mean);
    curve.series.push_back({fmt::format("d = {:g}, mean over seeds", d), values(mean)});
    if (d == *dimensions.begin() || d == *dimensions.rbegin())
      report.findings.push_back(judge::evidence_of_exponent(
          fmt::format("exponent of muon's count in N, d = {:g}", d), counts, 0, "0, up to logarithms"));
  }
  report.curves.push_back(std::move(curve));
  const double a = exponent_of(points.front()), most = *numbers.rbegin();
  Finding fixed = judge::evidence_of_exponent(
      fmt::format("exponent of muon's count in d, a = {:g}, N = {:g} fixed", a, most),
      seed_curves(points, dimension_of, count,
                  [&](const EvidencePoint& point) { return facts(point) == most; }),
      capacity_of_muon(a), claimed_text(capacity_of_muon(a)));
  fixed.headline = true;
  report.findings.push_back(std::move(fixed));
}

void judge_one_step_muon(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = capacity_hypotheses(evidence);
  const std::vector<Finding> muon = judge_capacity(evidence[0], "muon", capacity_of_muon, "", report);
  const std::vector<double> exponents = exponents_of(evidence[0]);
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const std::string of = fmt::format(", a = {:g}", exponents[i]);
    const Finding gd =
        judge::evidence_of_exponent("", over_dimension(evidence[0], exponents[i], "gd", "recovered_count"),
                                    capacity_of_gd(exponents[i]), "");
    report.findings.push_back(judge::interval_above("exponent of muon's count above 1, by" + of, muon[i], 1));
    report.findings.push_back(
        judge::intervals_apart("exponent of muon's count above that of gd's, by" + of, muon[i], gd));
  }
  judge_fact_count(evidence[1], report);
  report.findings.push_back(possible_states(evidence));
  report.note = capacity_note;
  undecide_where_unmet(report);
}

}  // namespace

CheckRow kim2026_one_step_muon() {
  return {
      .id = "kim2026/one-step-muon",
      .title = "one step of Muon stores more facts than dimensions",
      .statement =
          "With Gaussian embeddings in d dimensions and p_i ∝ i^-a, a > 1, one step of Muon from W = 0 on "
          "the "
          "population recovers about d^{1+1/(2a)} facts.",
      .source = "kim2026, one step of Muon",
      .hypotheses = {"independent Gaussian embeddings", "the exact polar factor", "p_i ∝ i^-a, a > 1",
                     "many more facts than dimensions", "population gradient without label noise",
                     "d → ∞, up to powers of ln d"},
      .predicted = "recovered_count ≍ d^{1+1/(2a)} up to powers of ln d, whatever the number of facts",
      .measured =
          "facts whose right logit is the largest after one step with the exact polar factor, d = 32 to 256, "
          "N = 16 d facts, 8 seeds; and against N",
      .rule =
          "evidence only for the exponents: the mean of one slope a seed and its Student interval. At these "
          "d "
          "the interval has to lie above 1 and above that of gradient descent, and every state has to be one "
          "that some W has",
      .experiments =
          {{.file = "kim2026/one-step-muon.toml",
            .quick = {"sweep.embedding.dimension, classes.count=[[32, 512], [64, 1024], [128, 2048]]",
                      "sweep.classes.exponent=[1.5]"}},
           {.file = "kim2026/one-step-muon-facts.toml",
            .quick = {"sweep.classes.count=[1024, 1536, 2048]", "sweep.seed={range=[1, 4]}"}}},
      .no_precise_runs = no_precise_capacity,
      .judge = judge_one_step_muon};
}

}  // namespace rarefact::checks
