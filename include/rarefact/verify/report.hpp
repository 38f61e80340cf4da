#pragma once

/// What checks come to, as text for a terminal, a page and a paper, and as an HDF5 file.

#include <filesystem>
#include <string>
#include <vector>

#include "rarefact/verify/check_row.hpp"

namespace rarefact {

/// The table of all checks for a terminal: verdict, measured and claimed numbers of the headline findings.
std::string terminal_table(const std::vector<CheckReport>& reports);

/// The same as a Markdown table.
std::string markdown_table(const std::vector<CheckReport>& reports, const std::string& command);

/// The same as a LaTeX tabular of booktabs that needs no other package; numbers are written so that siunitx's
/// \num takes them as well.
std::string latex_table(const std::vector<CheckReport>& reports, const std::string& command);

/// One check in full: statement, source, hypotheses, what was run, every finding with its rule, the curves,
/// the verdict.
std::string explanation(const CheckRow& row, const CheckReport& report);

/// All rows and curves as HDF5: a group for each check with attributes for its row, a table of findings, one
/// of hypotheses, and a group for each curve. Same reports, same bytes. FileError if it cannot be written.
void write_report(const std::filesystem::path& path, const std::vector<CheckReport>& reports,
                  const std::string& command);

/// "0.3557", "6.51e-12", "1 to 3": a number of `digits` significant digits.
std::string short_number(double x, int digits = 4);

}  // namespace rarefact
