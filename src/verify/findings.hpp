#pragma once

/// Small tools of checks whose runs may be anything: a wrong rule has no predictions.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "verify/evidence.hpp"
#include "verify/finding.hpp"

namespace rarefact::checks {

/// The series of a prediction, or not-a-number throughout where none applied to the run: it passes nowhere.
inline std::vector<double> predicted_series(const EvidencePoint& point, const std::string& optimizer,
                                            const std::string& variable, std::size_t row = 0) {
  if (point.trajectory(optimizer).series.contains(variable)) return point.series(optimizer, variable, row);
  return std::vector<double>(point.result.steps.size(), std::numeric_limits<double>::quiet_NaN());
}

inline std::vector<double> predicted_classes(const EvidencePoint& point, const std::string& optimizer,
                                             const std::string& variable, std::int64_t step) {
  if (point.trajectory(optimizer).series.contains(variable)) return point.classes(optimizer, variable, step);
  return std::vector<double>(point.run().class_count.size(), std::numeric_limits<double>::quiet_NaN());
}

/// Met where the runs allowed a finding whose name starts like this: a fit that too few runs leave out
/// decides nothing.
inline Hypothesis fitted(const CheckReport& report, const std::string& quantity) {
  const auto fits = std::count_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& one) { return one.quantity.rfind(quantity, 0) == 0; });
  return {"the runs are enough for the " + quantity, fits > 0, "fits: " + std::to_string(fits)};
}

/// Outside of its hypotheses a statement claims nothing: what fails there decides nothing.
inline void undecide_where_unmet(CheckReport& report) {
  const bool met = std::all_of(report.hypotheses.begin(), report.hypotheses.end(),
                               [](const Hypothesis& one) { return one.met; });
  if (met) return;
  for (Finding& finding : report.findings) {
    if (finding.verdict == Verdict::fails) finding.verdict = Verdict::inconclusive;
  }
}

}  // namespace rarefact::checks
