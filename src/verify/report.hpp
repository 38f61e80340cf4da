#pragma once

/// Reports of checks: tables for a terminal, a page and a paper, and an HDF5 file.

#include "tables/table.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

/// The table of checks: a row for each headline finding, or the first finding of a check without headlines,
/// and for failures and evidence against, headline or not. Only the first row of a check names it.
Table report_table(const std::vector<CheckReport>& reports);

/// "-0.3557", "6.51e-12": four significant digits.
std::string short_number(double x);
/// A finding's number, ± half of its interval (at least 1e-6, unless it is small), or the ends of an asymmetric one; "equal to 1e-12" of
/// agreements.
std::string measured_text(const Finding& finding);
/// The sharp number, "exact" for an agreement, or "" if none is known.
std::string sharp_text(const Finding& finding);

/// All rows, findings, hypotheses and curves as HDF5: groups wang2025, li2026 and kim2026, with a group for
/// each check (docs/trust.md has the layout). Equal reports give equal bytes. Errors as write_data.
void write_report(const std::vector<CheckReport>& reports, const std::filesystem::path& path);

}  // namespace rarefact
