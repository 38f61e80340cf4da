#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

void judge(const Evidence& evidence, CheckReport& report) {
  judge_steps(evidence, "open", report);
  report.note =
      "Open: the paper conjectures this and does not prove it; the numbers here are evidence and decide "
      "nothing. " +
      report.note;
}

}  // namespace

CheckRow multi_step_exact() {
  return {.id = "kim2026/multi-step-exact",
          .hypotheses = multi_step_hypotheses(false),
          .no_precise_runs = no_precise_capacity,
          .judge = judge};
}

}  // namespace rarefact::checks::kim2026
