#include "tables/latex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace rarefact {

namespace {

/// Characters that mean something to LaTeX, and those that labels of optimizers like to have and pdflatex
/// does not know.
const std::map<std::string, std::string> replacements = {
    {"\\", "\\textbackslash{}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "\\textbar{}"},
    {"\n", " "},
    {"\r", " "},
    {"\t", " "},
    {"α", "$\\alpha$"},
    {"β", "$\\beta$"},
    {"γ", "$\\gamma$"},
    {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"},
    {"ζ", "$\\zeta$"},
    {"η", "$\\eta$"},
    {"θ", "$\\theta$"},
    {"κ", "$\\kappa$"},
    {"λ", "$\\lambda$"},
    {"μ", "$\\mu$"},
    {"ν", "$\\nu$"},
    {"ξ", "$\\xi$"},
    {"π", "$\\pi$"},
    {"ρ", "$\\rho$"},
    {"σ", "$\\sigma$"},
    {"τ", "$\\tau$"},
    {"φ", "$\\varphi$"},
    {"χ", "$\\chi$"},
    {"ψ", "$\\psi$"},
    {"ω", "$\\omega$"},
    {"Δ", "$\\Delta$"},
    {"Σ", "$\\Sigma$"},
    {"Ω", "$\\Omega$"},
    {"₀", "$_0$"},
    {"₁", "$_1$"},
    {"₂", "$_2$"},
    {"²", "$^2$"},
    {"³", "$^3$"},
    {"∞", "$\\infty$"},
    {"≤", "$\\leq$"},
    {"≥", "$\\geq$"},
    {"±", "$\\pm$"},
    {"×", "$\\times$"},
    {"·", "$\\cdot$"},
    {"→", "$\\to$"},
    {"−", "$-$"},
    {"ϱ", "$\\varrho$"},
    {"‖", "$\\|$"},
    {"Θ", "$\\Theta$"},
    {"≍", "$\\asymp$"},
    {"≲", "$\\stackrel{<}{{}_\\sim}$"},
    {"≳", "$\\stackrel{>}{{}_\\sim}$"},
    {"≈", "$\\approx$"},
    {"√", "$\\surd$"},
    {"ᵀ", "$^\\top$"},
    {"Ẽ", "$\\tilde{E}$"},
    {"p̂", "$\\hat{p}$"},
    {"P̂", "$\\hat{P}$"},
    {"⌈", "$\\lceil$"},
    {"⌉", "$\\rceil$"},
    {"Γ", "$\\Gamma$"},
    {"⁻", "$^-$"},
    {"½", "$\\frac12$"},
    {"…", "\\ldots{}"},
    {"Λ", "$\\Lambda$"},
    {"Φ", "$\\Phi$"},
    {"Ψ", "$\\Psi$"},
    {"Π", "$\\Pi$"},
    {"Ξ", "$\\Xi$"},
    {"ι", "$\\iota$"},
    {"υ", "$\\upsilon$"},
    {"ς", "$\\varsigma$"},
    {"ϵ", "$\\epsilon$"},
    {"ϕ", "$\\phi$"},
    {"ϑ", "$\\vartheta$"},
    {"∇", "$\\nabla$"},
    {"∂", "$\\partial$"},
    {"∈", "$\\in$"},
    {"∝", "$\\propto$"},
    {"∑", "$\\sum$"},
    {"∏", "$\\prod$"},
    {"ℓ", "$\\ell$"},
    {"′", "${}'$"},
    {"⊗", "$\\otimes$"},
    {"⊙", "$\\odot$"},
    {"⊥", "$\\perp$"},
    {"⊤", "$\\top$"},
    {"∘", "$\\circ$"},
    {"∗", "${}*$"},
    {"∥", "$\\|$"},
    {"⟨", "$\\langle$"},
    {"⟩", "$\\rangle$"},
    {"⌊", "$\\lfloor$"},
    {"⌋", "$\\rfloor$"},
    {"←", "$\\leftarrow$"},
    {"↔", "$\\leftrightarrow$"},
    {"⇒", "$\\Rightarrow$"},
    {"≠", "$\\neq$"},
    {"≡", "$\\equiv$"},
    {"∼", "$\\sim$"},
    {"≪", "$\\ll$"},
    {"≫", "$\\gg$"},
    {"∀", "$\\forall$"},
    {"∃", "$\\exists$"},
    {"∅", "$\\emptyset$"},
    {"∪", "$\\cup$"},
    {"∩", "$\\cap$"},
    {"∫", "$\\int$"},
    {"⁰", "$^0$"},
    {"¹", "$^1$"},
    {"⁴", "$^4$"},
    {"⁵", "$^5$"},
    {"⁶", "$^6$"},
    {"⁷", "$^7$"},
    {"⁸", "$^8$"},
    {"⁹", "$^9$"},
    {"₃", "$_3$"},
    {"₄", "$_4$"},
    {"₅", "$_5$"},
    {"₆", "$_6$"},
    {"₇", "$_7$"},
    {"₈", "$_8$"},
    {"₉", "$_9$"},
};

/// Ranges of what pdflatex sets in its usual font encoding (first and last), tried one by one.
constexpr std::pair<std::uint32_t, std::uint32_t> known[] = {
    {0x20, 0x7e},     {0xa0, 0xaa},     {0xac, 0xba},     {0xbc, 0xcf},     {0xd1, 0xdd},
    {0xdf, 0xef},     {0xf1, 0xfd},     {0xff, 0x103},    {0x106, 0x10f},   {0x112, 0x117},
    {0x128, 0x12d},   {0x130, 0x137},   {0x139, 0x13e},   {0x141, 0x148},   {0x14c, 0x165},
    {0x168, 0x171},   {0x174, 0x17e},   {0x2010, 0x2016}, {0x2018, 0x2019}, {0x201c, 0x201d},
    {0x2020, 0x2022}, {0x2026, 0x2026}, {0x2030, 0x2030}, {0x20ac, 0x20ac}};

std::uint32_t code_point(const std::string& character) {
  const auto first = static_cast<unsigned char>(character[0]);
  std::uint32_t code = first < 0x80   ? first
                       : first < 0xe0 ? first & 0x1f
                       : first < 0xf0 ? first & 0x0f
                                      : first & 0x07;
  for (std::size_t i = 1; i < character.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3f);
  return code;
}

/// Bytes of the character that starts at `at`, with the accents that are set upon it (U+0300 to U+036F).
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  std::size_t length = 1;
  while ((byte(at + length) & 0xc0) == 0x80) ++length;
  const bool accent =
      byte(at + length) == 0xcc || (byte(at + length) == 0xcd && byte(at + length + 1) < 0xb0);
  return accent ? length + 2 : length;
}

}  // namespace

std::string latex_text(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const std::string character = text.substr(at, length);
    const auto found = replacements.find(character);
    out += found == replacements.end() ? character : found->second;
    at += length;
  }
  return out;
}

std::vector<std::string> unknown_to_latex(const std::string& text) {
  std::vector<std::string> unknown;
  for (std::size_t at = 0; at < text.size();) {
    const std::string character = text.substr(at, character_length(text, at));
    at += character.size();
    const std::uint32_t code = code_point(character);
    const bool is_known =
        character == "\n" || std::any_of(std::begin(known), std::end(known), [&](const auto& range) {
          return code >= range.first && code <= range.second;
        });
    if (!is_known && std::find(unknown.begin(), unknown.end(), character) == unknown.end())
      unknown.push_back(character);
  }
  return unknown;
}

std::string latex_number(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != 'e') {
      out += text[at];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && std::string_view("+-0123456789").find(text[end]) != std::string_view::npos)
      ++end;
    const bool one = out == "1" && text[0] == '1';  // 10^6 rather than 1 x 10^6
    if (one) out.clear();
    out += fmt::format("{}10^{{{}}}", one ? "" : "\\times", std::stoi(text.substr(at + 1, end - at - 1)));
    at = end - 1;
  }
  for (const auto& [sign, word] : {std::pair<std::string, std::string>{"±", "\\pm"}, {"≈", "\\approx "}}) {
    if (const std::size_t at = out.find(sign); at != std::string::npos) out.replace(at, sign.size(), word);
  }
  return "$" + out + "$";
}

}  // namespace rarefact
