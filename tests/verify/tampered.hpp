#pragma once

/// Evidence of a check as its experiments give it, and what tests do to it to see a check fail.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verify/check_row.hpp"

namespace tampered {

using namespace rarefact;

/// As the experiments give it: computed once, for all tests of a check.
inline const Evidence& quick_evidence(const std::string& id) {
  static std::map<std::string, Evidence> computed;
  if (!computed.contains(id)) computed[id] = gather_evidence(check_row(id), {.quick = true, .threads = 2});
  return computed.at(id);
}

inline Evidence quick_evidence(const std::string& id, std::vector<std::string> overrides) {
  return gather_evidence(check_row(id), {.quick = true, .threads = 2, .overrides = std::move(overrides)});
}

/// Quick evidence whose experiment number `which` alone is run with overrides.
inline Evidence quick_evidence_with(const std::string& id, std::size_t which,
                                    std::vector<std::string> overrides) {
  Evidence evidence = quick_evidence(id);
  CheckRow one = check_row(id);
  one.experiments = {one.experiments[which]};
  evidence.experiments[which] =
      gather_evidence(one, {.quick = true, .threads = 2, .overrides = std::move(overrides)})[0];
  return evidence;
}

inline CheckReport judged(const std::string& id, const Evidence& evidence) {
  return judge_check(check_row(id), evidence);
}

/// Untampered evidence holds sharply, and there is nothing that fails or is left open.
inline CheckReport require_sharp(const std::string& id) {
  CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  for (const Finding& finding : report.findings) {
    CAPTURE(finding.quantity, finding.rule, finding.measured);
    CHECK(finding.verdict <= Verdict::holds);
  }
  return report;
}

/// Puts f(value, point, step) in place of every value of a variable in an experiment.
inline void change(Evidence& evidence, std::size_t experiment, const std::string& variable,
                   const std::function<double(double, const EvidencePoint&, std::int64_t)>& f) {
  for (EvidencePoint& point : evidence.experiments.at(experiment)) {
    for (Trajectory& trajectory : point.result.runs.front().trajectories) {
      std::vector<double>& values = trajectory.series.at(variable);
      const std::size_t width = values.size() / point.result.steps.size();
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = f(values[i], point, point.result.steps[i / width]);
    }
  }
}

/// The verdict of the findings of an id, as CheckReport::of: the worst of them. There is one at least.
inline Verdict verdict_of(const CheckReport& report, const std::string& id) {
  Verdict worst = Verdict::sharp;
  const std::vector<const Finding*> found = report.of(id);
  for (const Finding* finding : found) worst = std::max(worst, finding->verdict);
  return found.empty() ? Verdict::inconclusive : worst;
}

/// Another rule under the label of an optimizer fails, through a finding where one is named.
inline void require_failure(const std::string& id, const std::string& label, const std::string& rule,
                            const std::string& finding = "") {
  CAPTURE(rule);
  const CheckReport report = judged(id, quick_evidence(id, {"optimizer." + label + ".rule=" + rule}));
  CHECK(report.verdict() == Verdict::fails);
  if (!finding.empty()) CHECK(verdict_of(report, finding) == Verdict::fails);
}

}  // namespace tampered
