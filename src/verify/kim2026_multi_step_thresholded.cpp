#include "verify/multi_step_capacity.hpp"

namespace rarefact::checks {

namespace {

void judge_thresholded(const Evidence& evidence, CheckReport& report) {
  judge_multi_step_capacity(evidence, true, "", report);
}

}  // namespace

CheckRow kim2026_multi_step_thresholded() {
  return {.id = "kim2026/multi-step-thresholded",
          .title = "several steps of Muon, thresholded gradient",
          .statement =
              "If recovered facts drop out of the gradient, t steps of Muon with η ≍ √d recover the facts up "
              "to rank "
              "about d_t = d^{2-(1-1/(2a))^t}, and the loss is at most of the order d_t^{1-a}, up to powers "
              "of ln d.",
          .source = "kim2026, multiple steps of Muon",
          .hypotheses = multi_step_hypotheses("recovered facts give no gradient"),
          .predicted = "recovered_count ≍ d^{2-(1-1/(2a))^t}, L ≲ d_t^{1-a}",
          .measured =
              "three steps with the exact polar factor and η = √d, a = 1.5, d = 32 to 256, N = 32 d facts, 4 "
              "seeds",
          .rule =
              "evidence only for the exponents: the mean of one slope a seed and its Student interval. At "
              "these d the "
              "interval of the first step has to lie above 1, at the largest d the last step has to recover "
              "more than the first, and every state has to be one that some W has",
          .experiments =
              {{.file = "kim2026/multi-step-thresholded.toml",
                .quick = {"sweep.embedding.dimension, classes.count, optimizer.muon.step_size="
                          "[[32, 512, 5.656854249492381], [64, 1024, 8], [128, 2048, 11.313708498984761]]",
                          "run.steps=2", "run.record=[1, 2]"}}},
          .thresholded = true,
          .no_precise_runs = no_precise_capacity,
          .judge = judge_thresholded};
}

}  // namespace rarefact::checks
