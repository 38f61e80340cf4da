#include "verify/multi_step_capacity.hpp"

namespace rarefact::checks {

namespace {

void judge_exact(const Evidence& evidence, CheckReport& report) {
  judge_multi_step_capacity(evidence, false, "open", report);
  report.note =
      "Open: the paper conjectures this and does not prove it; the numbers here are evidence and decide "
      "nothing. " +
      report.note;
}

}  // namespace

CheckRow kim2026_multi_step_exact() {
  return {.id = "kim2026/multi-step-exact",
          .title = "open conjecture: several steps of Muon, exact gradient",
          .statement =
              "Open conjecture: what holds for Muon on the thresholded gradient holds with the exact one. "
              "Facts up to "
              "rank about d_t = d^{2-(1-1/(2a))^t} are recovered after t steps, and the loss is at most of "
              "the order "
              "d_t^{1-a}, up to powers of ln d.",
          .source = "kim2026, conjecture on multiple steps of Muon",
          .hypotheses = multi_step_hypotheses("the exact gradient"),
          .predicted = "recovered_count ≍ d^{2-(1-1/(2a))^t}, L ≲ d_t^{1-a}; conjectured, not proved",
          .measured =
              "three steps with the exact polar factor and η = √d, a = 1.5, d = 32 to 256, N = 32 d facts, 4 "
              "seeds",
          .rule =
              "evidence only, and open: the mean of one slope a seed and its Student interval. At these d "
              "the interval "
              "of the first step has to lie above 1, at the largest d the last step has to recover more than "
              "the first, and "
              "every state has to be one that some W has",
          .experiments =
              {{.file = "kim2026/multi-step-exact.toml",
                .quick = {"sweep.embedding.dimension, classes.count, optimizer.muon.step_size="
                          "[[32, 512, 5.656854249492381], [64, 1024, 8], [128, 2048, 11.313708498984761]]",
                          "run.steps=2", "run.record=[1, 2]"}}},
          .no_precise_runs = no_precise_capacity,
          .judge = judge_exact};
}

}  // namespace rarefact::checks
