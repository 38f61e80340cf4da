#include "verify/report.hpp"

namespace rarefact {

namespace {

/// x rounded to the digits that its half width determines: two of the half width's own.
double to_digits_of(double half, double x) {
  if (!(half > 0) || !std::isfinite(half)) return x;
  const double unit = std::pow(10, std::floor(std::log10(half)) - 1), digits = std::round(x / unit);
  return std::abs(digits) < 9999 ? digits * unit : x;  // short_number has no more
}

TableCell cell(const std::string& text) {
  if (text.empty()) return {};
  return {.kind = TableCell::Kind::words, .words = text};
}

}  // namespace

Table report_table(const std::vector<CheckReport>& reports) {
  Table table{.description = "verdicts on published statements",
              .row_keys = {"check", "statement", "source", "verdict", "quantity"},
              .column_keys = {"number"},
              .column_heads = {{"measured"}, {"published"}, {"exact or sharp"}, {"right digits"}}};
  bool confirmed = false;
  for (const CheckReport& report : reports) {
    const CheckRow& row = check_row(report.id);
    std::vector<AxisValue> head = {row.id, row.word("title"), row.word("source"), report.verdict_words()};
    const auto show = [&](const Finding& finding, const std::string& measured) {
      const auto& digits = finding.right_digits;
      confirmed = confirmed || digits;
      table.row_heads.push_back(head);
      table.row_heads.back().emplace_back(finding.quantity);
      table.cells.push_back({cell(measured), cell(finding.published), cell(sharp_text(finding)),
                             cell(digits ? fmt::format("{:.1f}", *digits) : "")});
      head.assign(head.size(), "");
    };
    for (const Finding& finding : report.findings) {
      if (finding.headline || finding.verdict == Verdict::fails || finding.verdict == Verdict::against)
        show(finding, measured_text(finding));
    }
    if (report.findings.empty()) show({}, "");
    if (head[0] == AxisValue(row.id)) show(report.findings[0], measured_text(report.findings[0]));
  }
  if (!confirmed) {
    table.column_heads.pop_back();
    for (auto& cells : table.cells) cells.pop_back();
  }
  return table;
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
  // Of a number that is not small, an interval this narrow is only rounding, without noise.
  const bool rounding = half < 1e-6 && std::abs(finding.measured) > 0.01;
  const auto number = [&](double x) { return short_number(to_digits_of(half, x)); };
  // The interval of a geometric mean is not symmetric.
  if (!rounding && std::abs(*finding.high + *finding.low - 2 * finding.measured) > 0.1 * half)
    return fmt::format("{} [{}, {}]", number(finding.measured), number(*finding.low), number(*finding.high));
  return fmt::format("{} ± {}", number(finding.measured), rounding ? "1e-06" : fmt::format("{:.1g}", half));
}

std::string sharp_text(const Finding& finding) {
  if (finding.agrees_to) return "exact";
  return finding.sharp ? short_number(*finding.sharp) : "";
}

}  // namespace rarefact
