#pragma once

// A table as LaTeX, and the plain text of a cell that it starts from.

#include <string>

#include "tables/table.hpp"

namespace rarefact {

/// "1.23", "1.23 ± 0.04", ">10^6", ">2000", "diverged", "-".
std::string cell_text(const TableCell& cell, int digits);

/// A tabular with the rules of booktabs. Numbers are plain mathematics, texts are escaped.
std::string latex_table(const Table& table, int digits);

}  // namespace rarefact
