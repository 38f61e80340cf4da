#include "rarefact/io/latex_text.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

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
};

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
