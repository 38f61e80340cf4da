#include "verify/check_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/transform.hpp"

namespace rarefact {

std::string verdict_text(Verdict verdict) {
  return std::string(std::ranges::find(verdict_rows, verdict, &VerdictRow::verdict)->text);
}

std::vector<double> keys(const Points& points) {
  return mapped(points, &Points::value_type::first);
}

std::vector<double> values(const Points& points) {
  return mapped(points, &Points::value_type::second);
}

Verdict FindingBasis::verdict() const {
  Verdict worst = refused ? Verdict::inconclusive : Verdict::sharp;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

bool CheckReport::all_met() const {
  return std::ranges::all_of(hypotheses, &Hypothesis::met);
}

Verdict CheckReport::verdict() const {
  Verdict weightiest = all_met() && !findings.empty() ? Verdict::sharp : Verdict::inconclusive;
  bool sharp = false, missed = vacuous;  // a constant is met; one is not, or not closely
  for (const Finding& finding : findings) {
    weightiest = std::max(weightiest, finding.verdict);
    // A finding that reads no run compares no measured number, so it makes no claim sharp.
    sharp = sharp || (finding.verdict == Verdict::sharp && finding.of_runs);
    missed =
        missed || finding.wide || (finding.headline && finding.sharp && finding.verdict == Verdict::holds);
  }
  if (weightiest > Verdict::holds) return weightiest;
  return sharp && !missed ? Verdict::sharp : Verdict::holds;
}

std::string CheckReport::verdict_words() const {
  const bool passes = verdict() < Verdict::against;
  return verdict_text(verdict()) + (passes && vacuous        ? ", but vacuous"
                                    : passes && reads_no_run ? ", but reads no run"
                                                             : "");
}

void CheckReport::confirm(const CheckReport& exact) {
  for (Finding& finding : findings) {
    const auto other = std::ranges::find(exact.findings, finding.id, &Finding::id);
    if (other == exact.findings.end()) continue;
    // `measured` is itself a relative difference, so its error is the absolute change.
    finding.right_digits = finding.agrees_to
                               ? rarefact::right_digits(1 + std::abs(finding.measured - other->measured), 1)
                               : rarefact::right_digits(finding.measured, other->measured);
  }
  if (exact.verdict() != verdict()) {
    hypotheses.push_back({"doubles are enough for the verdict", false,
                          "in 50 digits the verdict is: " + verdict_text(exact.verdict())});
  }
}

double right_digits(double measured, double exact) {
  constexpr double all = 17;  // digits of a double
  if (measured == exact || (std::isnan(measured) && std::isnan(exact))) return all;
  const double difference = std::abs(measured - exact) / std::abs(exact);
  if (!std::isfinite(difference)) return 0;
  return std::clamp(-std::log10(difference), 0.0, all);
}

}  // namespace rarefact
