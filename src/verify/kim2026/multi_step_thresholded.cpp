#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

CheckRow multi_step_thresholded() {
  return {.id = "kim2026/multi-step-thresholded",
          .hypotheses = multi_step_hypotheses(true),
          .thresholded = true,
          .no_precise_runs = no_precise_capacity,
          .judge = [](const Evidence& evidence, CheckReport& report) { judge_steps(evidence, "", report); }};
}

}  // namespace rarefact::checks::kim2026
