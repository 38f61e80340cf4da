#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/report.hpp"

namespace rarefact {

std::vector<ReportLine> report_lines(const std::vector<CheckReport>& reports) {
  std::vector<ReportLine> lines;
  for (const CheckReport& report : reports) {
    const CheckRow* row = &check_row(report.id);
    const Verdict verdict = report.verdict();
    std::vector<const Finding*> shown;
    for (const Finding& finding : report.findings) {
      // What decides against the check is shown whether or not it is a headline.
      if (finding.headline || finding.verdict == Verdict::fails) shown.push_back(&finding);
    }
    if (shown.empty()) shown.push_back(report.findings.empty() ? nullptr : &report.findings.front());
    for (const Finding* finding : shown) lines.push_back({row, verdict, finding, finding == shown.front()});
  }
  return lines;
}

std::string short_number(double x) {
  if (x != 0 && std::abs(x) >= 1e-3 && std::abs(x) < 1e6) return fmt::format("{:.4g}", x + 0.0);
  return fmt::format("{:.3g}", x + 0.0);
}

std::string measured_text(const Finding& finding) {
  // What is left of such a difference is rounding, and no number for a table.
  if (finding.agrees_to && finding.measured <= *finding.agrees_to)
    return fmt::format("equal to {:.2g}", *finding.agrees_to);
  if (!finding.low || !finding.high) return short_number(finding.measured);
  return short_number(finding.measured) + " ± " + half_interval_text(finding);
}

std::string half_interval_text(const Finding& finding) {
  const double half = (*finding.high - *finding.low) / 2;
  // On curves without noise an interval this narrow is made of rounding.
  return half < 1e-6 ? "1e-06" : fmt::format("{:.1g}", half);
}

std::string sharp_text(const Finding& finding) {
  if (finding.agrees_to) return "exact";
  return finding.sharp ? short_number(*finding.sharp) : "";
}

}  // namespace rarefact
