#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "tables/latex_text.hpp"
#include "verify/report.hpp"

namespace rarefact {

namespace {

/// A text with the formulas that quantities are made of: σ_min, e^-t, <=, a minus between blanks.
std::string formula_text(const std::string& text) {
  std::string out = latex_text(text);
  out = std::regex_replace(out, std::regex(R"(\\_([A-Za-z0-9]+))"), R"($$_{\mathrm{$1}}$$)");
  out = std::regex_replace(out, std::regex(R"(\\textasciicircum\{\}(-?[A-Za-z0-9]+))"), R"($$^{$1}$$)");
  out = std::regex_replace(out, std::regex(R"(\$<\$=)"), R"($$\leq$$)");
  out = std::regex_replace(out, std::regex(R"(\$>\$=)"), R"($$\geq$$)");
  return std::regex_replace(out, std::regex(" - "), " $$-$$ ");
}

std::string num(double x) {
  return std::isfinite(x) ? fmt::format("\\num{{{}}}", short_number(x)) : latex_text(short_number(x));
}

std::string measured(const Finding& finding) {
  if (finding.agrees_to && finding.measured <= *finding.agrees_to)
    return fmt::format("equal to \\num{{{:.2g}}}", *finding.agrees_to);
  if (!finding.low || !finding.high) return num(finding.measured);
  return fmt::format("{} $\\pm$ \\num{{{}}}", num(finding.measured), half_interval_text(finding));
}

/// "<= -0.3" with its number as a \num; other texts as they are.
std::string published(const std::string& text) {
  const std::size_t digits = text.find_first_of("-0123456789");
  const std::string sign = text.substr(0, digits == std::string::npos ? 0 : digits);
  if (digits == std::string::npos || text.find_first_not_of("+-.e0123456789", digits) != std::string::npos)
    return formula_text(text);
  const std::string number = fmt::format("\\num{{{}}}", text.substr(digits));
  if (sign.empty()) return number;
  return (sign == "<= " ? "$\\leq$ " : sign == ">= " ? "$\\geq$ " : latex_text(sign)) + number;
}

}  // namespace

std::string latex_report(const std::vector<CheckReport>& reports, const std::string& command) {
  std::string text = fmt::format(
      "% {}, by: {}\n% \\usepackage{{booktabs,siunitx}}\n\\begin{{tabular}}{{lllrrrl}}\n\\toprule\n"
      "Statement & Source & Quantity & Measured & Published & Exact or sharp & Verdict \\\\\n\\midrule\n",
      report_mark, command);
  for (const ReportLine& line : report_lines(reports)) {
    if (line.first && line.row->id != reports.front().id) text += "\\addlinespace\n";
    const Finding none;
    const Finding& finding = line.finding ? *line.finding : none;
    text +=
        fmt::format("{} & {} & {} & {} & {} & {} & {} \\\\\n", line.first ? latex_text(line.row->title) : "",
                    line.first ? latex_text(line.row->source) : "", formula_text(finding.quantity),
                    line.finding ? measured(finding) : "", published(finding.published),
                    finding.agrees_to ? "exact"
                    : finding.sharp   ? num(*finding.sharp)
                                      : "",
                    line.first ? verdict_text(line.verdict) : "");
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace rarefact
