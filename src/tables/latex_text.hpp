#pragma once

/// Texts, numbers and tables for LaTeX, for pdflatex without further packages.

#include <string>
#include <vector>

#include "tables/table.hpp"

namespace rarefact {

/// A text with the characters that mean something to LaTeX, or that pdflatex does not know, replaced.
std::string latex_text(const std::string& text);

/// The characters of a text for LaTeX that pdflatex without further packages cannot set, each once.
std::vector<std::string> unknown_to_latex(const std::string& text);

/// "(1.2 ± 0.3)e-05", "1e6", "≈ 3" as mathematics: $(1.2 \pm 0.3)\times10^{-5}$.
std::string latex_number(const std::string& text);

/// A tabular with the rules of booktabs. Numbers are plain mathematics, texts are escaped; outer heads that a
/// row shares with the one above are said once. Within a table environment where it has a caption or label.
std::string latex_table(const Table& table, int digits, const LatexFloat& around);

}  // namespace rarefact
