#pragma once

/// Tables for LaTeX, for pdflatex without further packages.

#include <string>

#include "tables/table.hpp"

namespace rarefact {

/// A tabular with the rules of booktabs. Numbers are plain mathematics, texts are escaped; repeated outer
/// heads are omitted. With a caption or label it is in a table environment.
std::string latex_table(const Table& table, int digits, const LatexFloat& around);

}  // namespace rarefact
