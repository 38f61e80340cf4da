#include "tables/latex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

namespace rarefact {

namespace {

/// Signs of mathematics with their commands, which pdflatex does not know as characters.
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

/// What stands for a character that means something to LaTeX, or that pdflatex does not know.
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

/// Ranges of what pdflatex sets in its usual font encoding (first and last), tried one by one.
constexpr std::pair<std::uint32_t, std::uint32_t> known[] = {
    {0x0a, 0x0a},     {0x20, 0x7e},     {0xa0, 0xaa},     {0xac, 0xba},     {0xbc, 0xcf},
    {0xd1, 0xdd},     {0xdf, 0xef},     {0xf1, 0xfd},     {0xff, 0x103},    {0x106, 0x10f},
    {0x112, 0x117},   {0x128, 0x12d},   {0x130, 0x137},   {0x139, 0x13e},   {0x141, 0x148},
    {0x14c, 0x165},   {0x168, 0x171},   {0x174, 0x17e},   {0x2010, 0x2016}, {0x2018, 0x2019},
    {0x201c, 0x201d}, {0x2020, 0x2022}, {0x2026, 0x2026}, {0x2030, 0x2030}, {0x20ac, 0x20ac}};

bool is_known(const std::string& character) {
  const auto first = static_cast<unsigned char>(character[0]);
  std::uint32_t code = first < 0x80   ? first
                       : first < 0xe0 ? first & 0x1f
                       : first < 0xf0 ? first & 0x0f
                                      : first & 0x07;
  for (std::size_t i = 1; i < character.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3f);
  return std::any_of(std::begin(known), std::end(known),
                     [&](const auto& range) { return code >= range.first && code <= range.second; });
}

/// The characters of a text, each with the accents that are set upon it (U+0300 to U+036F).
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

}  // namespace

std::string latex_text(const std::string& text) {
  static const std::map<std::string, std::string> replacements = all_replacements();
  std::string out;
  for (const std::string& character : characters(text)) {
    const auto found = replacements.find(character);
    out += found == replacements.end() ? character : found->second;
  }
  return out;
}

std::vector<std::string> unknown_to_latex(const std::string& text) {
  std::vector<std::string> unknown;
  for (const std::string& character : characters(text)) {
    if (!is_known(character) && std::find(unknown.begin(), unknown.end(), character) == unknown.end())
      unknown.push_back(character);
  }
  return unknown;
}

std::string latex_number(const std::string& text) {
  static const std::regex power(R"(e\+?(-?)0*(?=\d)(\d+))"), plus_minus("±"), about("≈");
  std::string out = std::regex_replace(text, power, R"(\times10^{$1$2})");
  if (out.starts_with("1\\times")) out.erase(0, 7);  // 10^6 rather than 1 x 10^6
  out = std::regex_replace(out, plus_minus, "\\pm");
  return "$" + std::regex_replace(out, about, "\\approx ") + "$";
}

}  // namespace rarefact
