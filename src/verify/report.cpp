#include "verify/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/pattern.hpp"
#include "tables/latex_text.hpp"

namespace rarefact {

namespace {

/// x rounded to the digits that its half width determines: two of the half width's own.
double to_digits_of(double half, double x) {
  if (!(half > 0) || !std::isfinite(half)) return x;
  const double unit = std::pow(10, std::floor(std::log10(half)) - 1), digits = std::round(x / unit);
  return std::abs(digits) < 9999 ? digits * unit : x;  // short_number has no more
}

/// Escapes "|", which would end the cell.
std::string cell(const std::string& text) {
  return text.empty() ? "-" : replace_pattern(text, R"(\|)", R"(\|)");
}

/// A text as LaTeX, with formulas as they occur in quantities: σ_min, e^-t, <=, a minus between blanks.
std::string formula_text(const std::string& text) {
  std::string out = latex_text(text);
  for (const auto& [pattern, replacement] :
       {std::pair{R"(\\_([A-Za-z0-9]+))", R"($$_{\mathrm{$1}}$$)"},
        std::pair{R"(\\textasciicircum\{\}(-?[A-Za-z0-9]+))", R"($$^{$1}$$)"},
        std::pair{R"(\$<\$=)", R"($$\leq$$)"}, std::pair{R"(\$>\$=)", R"($$\geq$$)"},
        std::pair{" - ", " $$-$$ "}})
    out = replace_pattern(out, pattern, replacement);
  return out;
}

/// formula_text with every number as a \num.
std::string with_nums(const std::string& text) {
  return replace_pattern(formula_text(text), R"((^|[ \[])(-?[0-9][-+.e0-9]*)(?=[ ,\]]|$))", R"($1\num{$2})");
}

}  // namespace

std::vector<ReportLine> report_lines(const std::vector<CheckReport>& reports) {
  std::vector<ReportLine> lines;
  for (const CheckReport& report : reports) {
    const CheckRow& row = check_row(report.id);
    const std::size_t begin = lines.size();
    const auto show = [&](const Finding& finding) {
      lines.push_back({.finding = finding, .measured = measured_text(finding), .sharp = sharp_text(finding)});
    };
    for (const Finding& finding : report.findings) {
      if (finding.headline || finding.verdict == Verdict::fails || finding.verdict == Verdict::against)
        show(finding);
    }
    if (report.findings.empty()) lines.push_back({.measured = "-"});
    if (lines.size() == begin) show(report.findings.front());
    ReportLine& first = lines[begin];
    first.id = row.id;
    first.title = row.word("title");
    first.source = row.word("source");
    first.verdict = verdict_text(report.verdict());
  }
  return lines;
}

std::string short_number(double x) {
  if (std::isnan(x)) return "nan";  // whatever its sign
  if (x != 0 && std::abs(x) >= 1e-3 && std::abs(x) < 1e6) return fmt::format("{:.4g}", x + 0.0);
  return fmt::format("{:.3g}", x + 0.0);
}

std::string measured_text(const Finding& finding) {
  // Below the tolerance such a difference is rounding, not a number for a table.
  if (finding.agrees_to && finding.measured <= *finding.agrees_to)
    return fmt::format("equal to {:.2g}", *finding.agrees_to);
  if (!finding.low || !finding.high) return short_number(finding.measured);
  const double half = (*finding.high - *finding.low) / 2;
  const auto number = [&](double x) { return short_number(to_digits_of(half, x)); };
  // The interval of a geometric mean is not symmetric.
  if (half >= 1e-6 && std::abs(*finding.high + *finding.low - 2 * finding.measured) > 0.1 * half)
    return fmt::format("{} [{}, {}]", number(finding.measured), number(*finding.low), number(*finding.high));
  // Without noise an interval this narrow is only rounding.
  return fmt::format("{} ± {}", number(finding.measured),
                     half < 1e-6 ? "1e-06" : fmt::format("{:.1g}", half));
}

std::string sharp_text(const Finding& finding) {
  if (finding.agrees_to) return "exact";
  return finding.sharp ? short_number(*finding.sharp) : "";
}

std::string markdown_report(const std::vector<CheckReport>& reports, const std::string& command) {
  std::string text = fmt::format("<!-- {}, by: {} -->\n\n", report_mark, command);
  text += "| check | source | verdict | quantity | measured | published | exact or sharp |\n";
  text += "| ----- | ------ | ------- | -------- | -------: | --------: | ----: |\n";
  for (const ReportLine& line : report_lines(reports)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n",
                        line.id.empty() ? "" : fmt::format("`{}`: {}", line.id, cell(line.title)),
                        line.source, line.verdict, cell(line.finding.quantity), line.measured,
                        cell(line.finding.published), cell(line.sharp));
  }
  return text;
}

std::string latex_report(const std::vector<CheckReport>& reports, const std::string& command) {
  std::string text = fmt::format(
      "% {}, by: {}\n% \\usepackage{{booktabs,siunitx}}\n\\begin{{tabular}}{{lllrrrl}}\n\\toprule\n"
      "Statement & Source & Quantity & Measured & Published & Exact or sharp & Verdict \\\\\n\\midrule\n",
      report_mark, command);
  for (const ReportLine& line : report_lines(reports)) {
    const Finding& finding = line.finding;
    if (!line.id.empty() && line.id != reports.front().id) text += "\\addlinespace\n";
    text += fmt::format("{} & {} & {} & {} & {} & {} & {} \\\\\n", latex_text(line.title),
                        latex_text(line.source), formula_text(finding.quantity),
                        finding.quantity.empty() ? "" : with_nums(line.measured),
                        with_nums(finding.published), with_nums(line.sharp), line.verdict);
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace rarefact
