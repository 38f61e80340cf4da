#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

void judge(const Evidence& evidence, CheckReport& report) {
  for (const auto& [a, gd] : judge_capacity(evidence.of(0), "gd", capacity_of_gd, "derived", report)) {
    report.add("below-1", fmt::format("a = {:g}", a),
               judge::interval_below("exponent of gd's count below 1, by", gd, 1));
  }
  judge_states(evidence, report);
  report.note = capacity_note;
}

}  // namespace

CheckRow one_step_sgd() {
  return {.id = "kim2026/one-step-sgd",
          .hypotheses = capacity_hypotheses({hypothesis::population_without_noise()}),
          .no_precise_runs = no_precise_capacity,
          .judge = judge};
}

}  // namespace rarefact::checks::kim2026
