#pragma once

// A sweep made by hand, for tests of the language of claims.

#include <cmath>
#include <string>
#include <vector>

#include "verify/claim_finding.hpp"

namespace by_hand {

using namespace rarefact;
using namespace rarefact::claims;

/// s = 1, 2 by seed = 0, 1, 2; optimizers gd and muon; steps 0, 1, 10; two class rows with p = 0.6 and 0.4. The loss of gd is
/// s (1 + seed)/(1 + step), that of muon half of it. The error of the second row is twice that of the first, a tenth of the loss.
/// The mean over seeds of the loss of gd is predicted. That is of the first experiment; of the second they are twice that, and no number at step 1 of seed 1.
inline EvidencePoints sweep(int number = 1) {
  const ExperimentPlan plan = parse_plan(
      "name = \"e\"\n[classes]\nspectrum = \"power_law\"\ncount = 2\n[run]\nsteps = 10\n[[optimizer]]\nrule = \"gd\"\n"
      "step_size = 0.5\n[[optimizer]]\nrule = \"muon\"\nstep_size = 2\n[sweep]\n\"classes.exponent\" = [1.0, 2.0]\n"
      "seed = [0, 1, 2]\n",
      "e.toml");
  EvidencePoints points;
  points.axes = plan.axes();
  for (const double s : {1.0, 2.0}) {
    for (const double seed : {0.0, 1.0, 2.0}) {
      EvidencePoint& point = points.emplace_back(EvidencePoint{plan.point(points.size()).experiment, {}});
      point.result.steps = {0, 1, 10};
      point.result.variables = {
          {.name = "loss", .long_name = "loss", .units = "nat"},
          {.name = "answered", .long_name = "answered", .units = "1", .along = Along::answer_groups},
          {.name = "banded", .long_name = "banded", .units = "1", .along = Along::bands},
          {.name = "error", .long_name = "error", .units = "1", .along = Along::class_groups},
          {.name = "loss_predicted_mean", .long_name = "predicted", .units = "nat", .source = "gd"}};
      Run& run = point.result.runs.emplace_back();
      run.class_count = {1, 1};
      run.class_probability = {0.6, 0.4};
      run.class_log_rank = {0, std::log(2)};
      for (const char* label : {"gd", "muon"}) {
        Trajectory& trajectory = run.trajectories.emplace_back();
        trajectory.optimizer = label;
        trajectory.status = "complete";
        trajectory.step_size = label[0] == 'g' ? 0.5 : 2;
        for (const double step : {0.0, 1.0, 10.0}) {
          const double loss = number * s * (1 + seed) / (1 + step) * (label[0] == 'g' ? 1 : 0.5);
          trajectory.series["loss"].push_back(number == 2 && seed == 1 && step == 1 ? NAN : loss);
          trajectory.series["loss_predicted_mean"].push_back(number * 2 * s / (1 + step));
          for (const double row : {0.1, 0.2}) trajectory.series["error"].push_back(row * loss);
        }
      }
    }
  }
  return points;
}

inline std::vector<double> values(const std::string& text, const Definitions& defines = {}) {
  const EvidencePoints points = sweep();
  const ExperimentData data(points);
  return numbers(Evaluator(data, defines, false)(parsed_condition(text)));
}

inline CheckRow row_of(const std::string& findings) {
  CheckRow row = read_claim("x/e", "x/e.toml", [&](const auto&) { return "[claim]\n" + findings; });
  row.experiments.push_back({"x/f.toml"});
  return row;
}

/// Both sweeps, as a file gives them.
inline Evidence two_sweeps(bool full = true) {
  return {.experiments = {sweep(1), sweep(2)}, .full = full, .as_written = true};
}

inline CheckReport report_of(const std::string& findings, const Evidence& evidence) {
  CheckReport report;
  judge_claim(row_of(findings), evidence, report);
  return report;
}

inline CheckReport judged(const std::string& findings, bool full = false) {
  return report_of(findings, two_sweeps(full));
}

}  // namespace by_hand

using namespace by_hand;
