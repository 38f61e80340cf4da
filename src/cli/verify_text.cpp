#include "cli/verify_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "verify/report.hpp"

namespace rarefact {

namespace {

std::string section(const std::string& head, const std::string& body) {
  return body.empty() ? "" : fmt::format("{}\n  {}\n\n", head, wrapped(body, 2));
}

std::string digits_text(const std::optional<double>& digits) {
  return digits ? fmt::format("{:.1f} digits right", *digits) : "";
}

std::string findings_text(const CheckReport& report) {
  std::string text = "findings\n";
  for (const Finding& finding : report.findings) {
    std::string numbers = measured_text(finding);
    if (finding.agrees_to) numbers += ": largest difference " + short_number(finding.measured);
    if (!finding.published.empty()) numbers += ", published " + finding.published;
    if (finding.sharp && !finding.agrees_to) numbers += ", sharp " + sharp_text(finding);
    if (finding.right_digits) numbers += ", " + digits_text(finding.right_digits);
    text += fmt::format("  {}: {}\n      {}\n      {}\n", verdict_text(finding.verdict), finding.quantity,
                        numbers, wrapped(finding.rule, 6));
  }
  return text + "\n";
}

/// At most this many lines of a curve; the first and the last are among them.
constexpr std::size_t most_points = 12;

std::string curve_text(const Curve& curve) {
  std::vector<std::vector<std::string>> rows(1, {"  " + curve.x_label});
  for (const Curve::Series& series : curve.series) rows[0].push_back(series.label);
  const std::size_t points = curve.x.size(), shown = std::min(points, most_points);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = shown < 2 ? 0 : i * (points - 1) / (shown - 1);
    rows.push_back({"  " + short_number(curve.x[at])});
    for (const Curve::Series& series : curve.series) rows.back().push_back(short_number(series.y[at]));
  }
  const std::string more = shown < points ? fmt::format(" ({} of {} points)", shown, points) : "";
  const std::string digits = curve.right_digits ? ", at least " + digits_text(curve.right_digits) : "";
  return fmt::format("{}{}{}\n{}\n", curve.title, more, digits, aligned_table(rows, 1));
}

}  // namespace

std::string checks_table(const std::vector<CheckReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"check", "verdict", "quantity", "measured", "published", "exact or sharp"}};
  bool digits = false;
  for (const ReportLine& line : report_lines(reports)) {
    const Finding& finding = line.finding;
    rows.push_back({line.id, line.verdict, finding.quantity, line.measured, finding.published, line.sharp});
    if (finding.right_digits) {
      digits = true;
      rows.back().push_back(fmt::format("{:.1f}", *finding.right_digits));
    }
  }
  if (digits) rows[0].push_back("right digits");
  return aligned_table(rows, 3);
}

std::string explained_check(const CheckRow& row, const CheckReport& report) {
  std::string text = fmt::format("{}: {}\n{}\n\n", row.id, row.title, row.source);
  text += section("statement", row.statement);
  text += section("predicted", row.predicted);
  text += section("measured, on the full grid", row.measured);
  text += section("rule of the verdict", row.rule);
  std::string assumed;
  for (const HypothesisRow& one : row.hypotheses) {
    if (!one.test) assumed += (assumed.empty() ? "" : "; ") + one.words;
  }
  text += section("also assumed", assumed);
  std::string files;
  for (const CheckExperiment& experiment : row.experiments)
    files += (files.empty() ? "experiments/" : "\nexperiments/") + experiment.file;
  text += section(fmt::format("what was run ({} trajectories{}{})", report.runs,
                              report.options.empty() ? "" : "; ", report.options),
                  files);
  if (!report.hypotheses.empty()) {
    text += "hypotheses\n";
    for (const Hypothesis& one : report.hypotheses) {
      const std::string line = one.text + (one.detail.empty() ? "" : ": " + one.detail);
      text += fmt::format("  {}: {}\n", one.met ? "met" : "NOT MET", wrapped(line, 7));
    }
    text += "\n";
  }
  if (!report.findings.empty()) text += findings_text(report);
  for (const Curve& curve : report.curves) text += curve_text(curve);
  text += section("note", report.note);
  return text + fmt::format("verdict: {}\n", verdict_text(report.verdict()));
}

std::string checks_list() {
  std::string text;
  for (const CheckRow& row : check_catalogue()) {
    text += fmt::format("{}: {} ({})\n  {}\n", row.id, row.title, row.source, wrapped(row.statement, 2));
  }
  return text;
}

}  // namespace rarefact
