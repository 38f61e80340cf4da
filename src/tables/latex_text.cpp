#include <fmt/format.h>

#include <boost/algorithm/string/erase.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <regex>
#include <sstream>

#include "core/transform.hpp"
#include "tables/table.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

/// Mathematical characters that pdflatex does not know, with commands; it reports unlisted ones itself.
constexpr const char* mathematics = R"(
  α \alpha  β \beta  γ \gamma  δ \delta  ε \varepsilon  ζ \zeta  η \eta  θ \theta  ι \iota  κ \kappa  λ \lambda  μ \mu
  ν \nu  ξ \xi  π \pi  ρ \rho  ς \varsigma  σ \sigma  τ \tau  υ \upsilon  φ \varphi  χ \chi  ψ \psi  ω \omega
  Γ \Gamma  Δ \Delta  Θ \Theta  Λ \Lambda  Ξ \Xi  Π \Pi  Σ \Sigma  Φ \Phi  Ψ \Psi  Ω \Omega
  ϵ \epsilon  ϑ \vartheta  ϕ \phi  ϱ \varrho  ℓ \ell  Ẽ \tilde{E}  p̂ \hat{p}  P̂ \hat{P}
  ₀ _0  ₁ _1  ₂ _2  ₃ _3  ₄ _4  ₅ _5  ₆ _6  ₇ _7  ₈ _8  ₉ _9
  ⁰ ^0  ¹ ^1  ² ^2  ³ ^3  ⁴ ^4  ⁵ ^5  ⁶ ^6  ⁷ ^7  ⁸ ^8  ⁹ ^9  ⁻ ^-  ᵀ ^\top  ½ \frac12
  < <  > >  ≤ \leq  ≥ \geq  ≠ \neq  ≡ \equiv  ≈ \approx  ∼ \sim  ≍ \asymp  ≪ \ll  ≫ \gg
  ≲ \stackrel{<}{{}_\sim}  ≳ \stackrel{>}{{}_\sim}  ± \pm  × \times  · \cdot  − -  ∗ {}*  ∘ \circ  ⊗ \otimes  ⊙ \odot
  √ \surd  ∞ \infty  ∝ \propto  ∑ \sum  ∏ \prod  ∫ \int  ∂ \partial  ∇ \nabla  ′ {}'  ⊥ \perp  ⊤ \top
  ‖ \|  ∥ \|  ⟨ \langle  ⟩ \rangle  ⌈ \lceil  ⌉ \rceil  ⌊ \lfloor  ⌋ \rfloor
  → \to  ← \leftarrow  ↔ \leftrightarrow  ⇒ \Rightarrow  ∀ \forall  ∃ \exists  ∈ \in  ∅ \emptyset  ∪ \cup  ∩ \cap
)";

/// Replacements of characters that are special in LaTeX or unknown to pdflatex.
std::map<std::string, std::string> all_replacements() {
  std::map<std::string, std::string> all = {{"\\", "\\textbackslash{}"},
                                            {"~", "\\textasciitilde{}"},
                                            {"^", "\\textasciicircum{}"},
                                            {"|", "\\textbar{}"},
                                            {"…", "\\ldots{}"},
                                            {"\n", " "},
                                            {"\r", " "},
                                            {"\t", " "}};
  for (const char c : std::string("&%$#_{}")) all[{c}] = {'\\', c};
  std::istringstream entries(mathematics);
  for (std::string sign, command; entries >> sign >> command;) all[sign] = "$" + command + "$";
  return all;
}

/// The characters of a text, each with its combining accents (U+0300 to U+036F).
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> all;
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  for (std::size_t at = 0, length = 1; at < text.size(); at += length) {
    for (length = 1; (byte(at + length) & 0xc0) == 0x80;) ++length;
    const int next = byte(at + length);
    if (next == 0xcc || (next == 0xcd && byte(at + length + 1) < 0xb0)) length += 2;
    all.push_back(text.substr(at, length));
  }
  return all;
}

/// Escapes characters that are special in LaTeX or unknown to pdflatex.
std::string latex_text(const std::string& text) {
  static const std::map<std::string, std::string> replacements = all_replacements();
  std::string out;
  for (const std::string& character : characters(text)) {
    const auto found = replacements.find(character);
    out += found == replacements.end() ? character : found->second;
  }
  return out;
}

/// "(1.2 ± 0.3)e-05", "1e6", "≈ 3" as mathematics: $(1.2 \pm 0.3)\times10^{-5}$.
std::string latex_number(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex(R"(e\+?(-?)0*(?=\d)(\d+))"), R"(\times10^{$1$2})");
  if (out.starts_with("1\\times")) out.erase(0, 7);  // 10^6 and not 1 x 10^6
  const std::pair<const char*, const char*> signs[] = {
      {"<=", "\\leq"}, {">=", "\\geq"}, {"±", "\\pm"}, {"inf", "\\infty"}, {"≈", "\\approx "}};
  for (const auto& [sign, command] : signs) boost::replace_all(out, sign, command);
  return "$" + out + "$";
}

std::string latex_place(const AxisValue& value) {
  return std::holds_alternative<double>(value) ? latex_number(axis_text(value))
                                               : latex_text(axis_text(value));
}

std::string latex_cell(const TableCell& cell, int digits) {
  const std::string text = cell_text(cell, digits);
  const bool number_in_words = cell.kind == TableCell::Kind::words &&
                               text.find_first_not_of("0123456789e.+-[](), <=>±") == std::string::npos;
  if (cell.kind == TableCell::Kind::number || number_in_words) return latex_number(text);
  if (cell.kind != TableCell::Kind::beyond) return latex_text(text);
  const std::size_t power = text.find('^');
  if (power == std::string::npos) return "$" + text + "$";
  return fmt::format("${}{{{}}}$", text.substr(0, power + 1), text.substr(power + 1));
}

/// A row. A star or bracket at its beginning is protected from the command before it (\\, \midrule, \addlinespace).
std::string latex_line(const Line& parts) {
  const bool taken = !parts.empty() && (parts[0].starts_with('[') || parts[0].starts_with('*'));
  return fmt::format("{}{} \\\\\n", taken ? "{}" : "", fmt::join(parts, " & "));
}

bool same_start(const std::vector<AxisValue>& a, const std::vector<AxisValue>& b, std::size_t length) {
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(length), b.begin());
}

/// A key, or its symbol as mathematics: "$\eta$ of gd".
std::string latex_key(const Table& table, const std::string& key) {
  if (!table.symbols.contains(key)) return latex_text(key);
  const std::size_t end = std::min(key.find(' '), key.size());
  const std::string symbol = boost::algorithm::erase_all_copy(latex_text(key.substr(0, end)), "$");
  return fmt::format("${}${}", symbol, latex_text(key.substr(end)));
}

/// "$s = 0.8$": one formula, but for a key in words, "classes.exponent $= 0.8$".
std::string latex_head(const Table& table, std::size_t column, std::size_t level) {
  const AxisValue& value = table.column_heads[column][level];
  const std::string place = latex_place(value);
  if (!std::holds_alternative<double>(value)) return place;
  const std::string& key = table.column_keys[level];
  const std::string shown = latex_key(table, key), equals = "= " + place.substr(1);
  const bool formula = table.symbols.contains(key) && key.find(' ') == std::string::npos;
  return formula ? shown.substr(0, shown.size() - 1) + " " + equals : shown + " $" + equals;
}

/// The heads of the columns, a line for each axis; outer heads span their columns, with a rule below.
std::string latex_heads(const Table& table) {
  Line keys = mapped(table.row_keys, [&](const std::string& key) { return latex_key(table, key); });
  const std::size_t levels = table.column_keys.size(), columns = table.column_heads.size();
  if (levels == 0) keys.push_back(latex_text(table.value));
  std::string text;
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    Line parts(keys.size());
    std::string rules;
    for (std::size_t c = 0, span = 1; c < columns; c += span) {
      const auto& head = table.column_heads[c];
      for (span = 1; c + span < columns && same_start(head, table.column_heads[c + span], level + 1);) ++span;
      parts.push_back(fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", span, latex_head(table, c, level)));
      rules += fmt::format("\\cmidrule(lr){{{}-{}}}", keys.size() + c + 1, keys.size() + c + span);
    }
    text += latex_line(parts) + rules + "\n";
  }
  for (std::size_t c = 0; levels > 0 && c < columns; ++c) keys.push_back(latex_head(table, c, levels - 1));
  return text + latex_line(keys);
}

}  // namespace

std::string latex_table(const Table& table, int digits, const LatexFloat& around) {
  const bool floats = !around.caption.empty() || !around.label.empty();
  std::string text = floats ? "\\begin{table}\n\\centering\n" : "";
  if (!around.caption.empty()) text += fmt::format("\\caption{{{}}}\n", around.caption);
  if (!around.label.empty()) text += fmt::format("\\label{{{}}}\n", around.label);
  text += fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n{}\\midrule\n",
                      std::string(table.row_keys.size(), 'l'), std::string(table.column_heads.size(), 'r'),
                      latex_heads(table));
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    const auto& head = table.row_heads[r];
    const bool grouped = r > 0 && head.size() > 1;
    if (grouped && head[0] != AxisValue("") && !same_start(head, table.row_heads[r - 1], 1))
      text += "\\addlinespace\n";
    Line line;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const bool repeated = grouped && i + 1 < head.size() && same_start(head, table.row_heads[r - 1], i + 1);
      line.push_back(repeated ? "" : latex_place(head[i]));
    }
    for (const TableCell& cell : table.cells[r]) line.push_back(latex_cell(cell, digits));
    text += latex_line(line);
  }
  return text + "\\bottomrule\n\\end{tabular}\n" + (floats ? "\\end{table}\n" : "");
}

}  // namespace rarefact
