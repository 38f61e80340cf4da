#pragma once

/// Texts, numbers and tables for LaTeX, for pdflatex without further packages.

#include <string>

#include "tables/table.hpp"

namespace rarefact {

/// Escapes characters that are special in LaTeX or unknown to pdflatex.
std::string latex_text(const std::string& text);

/// "(1.2 ± 0.3)e-05", "1e6", "≈ 3" as mathematics: $(1.2 \pm 0.3)\times10^{-5}$.
std::string latex_number(const std::string& text);

/// A tabular with the rules of booktabs. Numbers are plain mathematics, texts are escaped; repeated outer
/// heads are omitted. With a caption or label it is in a table environment.
std::string latex_table(const Table& table, int digits, const LatexFloat& around);

}  // namespace rarefact
