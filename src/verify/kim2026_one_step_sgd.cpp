#include <fmt/format.h>

#include "verify/capacity_evidence.hpp"

namespace rarefact::checks {

namespace {

void judge_one_step_sgd(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = capacity_hypotheses(evidence);
  const std::vector<Finding> gd = judge_capacity(evidence[0], "gd", capacity_of_gd, "derived", report);
  const std::vector<double> exponents = exponents_of(evidence[0]);
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    report.findings.push_back(judge::interval_below(
        fmt::format("exponent of gd's count below 1, by, a = {:g}", exponents[i]), gd[i], 1));
  }
  report.findings.push_back(possible_states(evidence));
  report.note = capacity_note;
  undecide_where_unmet(report);
}

}  // namespace

CheckRow kim2026_one_step_sgd() {
  return {
      .id = "kim2026/one-step-sgd",
      .title = "one step of SGD stores far fewer facts than dimensions",
      .statement =
          "With Gaussian embeddings in d dimensions and p_i ∝ i^-a, a > 1, one step of gradient descent from "
          "W = 0 recovers far fewer facts than one of Muon: about d^{1/(2a)} on the population (the exponent "
          "is "
          "derived here, not quoted).",
      .source = "kim2026, one step of SGD",
      .hypotheses = {"independent Gaussian embeddings", "p_i ∝ i^-a, a > 1",
                     "many more facts than dimensions", "population gradient without label noise",
                     "d → ∞, up to powers of ln d"},
      .predicted =
          "recovered_count ≍ d^{1/(2a)} up to powers of ln d: signal p_i against noise "
          "(Σ p_j²/d)^{1/2}",
      .measured =
          "facts whose right logit is the largest after one step, d = 32 to 256, N = 16 d facts, 8 seeds",
      .rule =
          "evidence only for the exponents: the mean of one slope a seed and its Student interval. At these "
          "d "
          "the interval has to lie below 1, and every state has to be one that some W has",
      .experiments =
          {{.file = "kim2026/one-step-sgd.toml",
            .quick = {"sweep.embedding.dimension, classes.count=[[32, 512], [64, 1024], [128, 2048]]",
                      "sweep.classes.exponent=[1.5]"}}},
      .no_precise_runs = no_precise_capacity,
      .judge = judge_one_step_sgd};
}

}  // namespace rarefact::checks
