#pragma once

/// What the tests of the checks of kim2026 ask of a report.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

namespace tampered {

/// Evidence: findings that are evidence, beside sanity bounds that hold, and none that is a sharp number; those
/// against the claim are of the id given.
inline void require_evidence_only(const CheckReport& report, const std::string& against = "") {
  CHECK(report.verdict() == (against.empty() ? Verdict::evidence : Verdict::against));
  CHECK(!report.note.empty());
  for (const Finding& finding : report.findings) {
    CAPTURE(finding.quantity, finding.rule, finding.measured);
    const Verdict evidence = finding.id == against ? Verdict::against : Verdict::evidence;
    CHECK((finding.verdict == evidence || finding.verdict == Verdict::holds));
    // What stands beside a claim of the paper is never a pass.
    CHECK((finding.published.empty() || finding.verdict == evidence));
  }
}

inline const Finding& finding_of(const CheckReport& report, const std::string& id) {
  const std::vector<const Finding*> found = report.of(id);
  REQUIRE(found.size() == 1);
  return *found.front();
}

/// A variable that is changed as `f` says makes the check fail, through the states that no W has.
inline bool notices(const std::string& id, const Evidence& right, const std::string& variable,
                    const std::function<double(double)>& f) {
  Evidence wrong = right;
  change(wrong, 0, variable, [&](double value, const EvidencePoint&, std::int64_t) { return f(value); });
  const CheckReport report = judged(id, wrong);
  return report.verdict() == Verdict::fails && verdict_of(report, "possible-states") == Verdict::fails;
}

}  // namespace tampered
