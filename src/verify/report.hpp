#pragma once

/// Reports of checks: tables for a terminal, a page and a paper, and an HDF5 file.

#include <filesystem>
#include <string>
#include <vector>

#include "verify/check_row.hpp"

namespace rarefact {

/// A line of the table of checks: a headline finding, or the first finding of a check without headlines.
struct ReportLine {
  std::string id = {}, title = {}, source = {}, verdict = {};  ///< of the check; only on its first line
  Finding finding = {};                   ///< without a quantity if the check has no finding
  std::string measured = {}, sharp = {};  ///< measured_text ("-" without a finding) and sharp_text of it
};

/// Failures and evidence against always have a line, headline or not.
std::vector<ReportLine> report_lines(const std::vector<CheckReport>& reports);

/// "-0.3557", "6.51e-12": four significant digits.
std::string short_number(double x);
/// A finding's number, with ± half of its confidence interval (rounded up to 1e-6), or the ends of an
/// asymmetric one; "equal to 1e-12" for an agreement.
std::string measured_text(const Finding& finding);
/// The sharp number, "exact" for an agreement, or "" if none is known.
std::string sharp_text(const Finding& finding);

/// A Markdown table. The first line is a comment that starts with `report_mark`.
std::string markdown_report(const std::vector<CheckReport>& reports, const std::string& command);

/// A LaTeX tabular that needs booktabs and siunitx: every number is a \num. The first line is a comment that
/// starts with `report_mark`.
std::string latex_report(const std::vector<CheckReport>& reports, const std::string& command);

inline constexpr const char* report_mark = "rarefact verify";

/// All rows, findings, hypotheses and curves as HDF5: groups wang2025, li2026 and kim2026, with a group for
/// each check (docs/trust.md has the layout). Equal reports give equal bytes. Errors as write_data.
void write_report(const std::vector<CheckReport>& reports, const std::filesystem::path& path);

}  // namespace rarefact
