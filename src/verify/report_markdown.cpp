#include <fmt/format.h>

#include "verify/report.hpp"

namespace rarefact {

namespace {

/// A "|" would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text.empty() ? "-" : text;
}

}  // namespace

std::string markdown_report(const std::vector<CheckReport>& reports, const std::string& command) {
  std::string text = fmt::format("<!-- {}, by: {} -->\n\n", report_mark, command);
  text += "| check | source | verdict | quantity | measured | published | exact or sharp |\n";
  text += "| ----- | ------ | ------- | -------- | -------: | --------: | ----: |\n";
  for (const ReportLine& line : report_lines(reports)) {
    const Finding none;
    const Finding& finding = line.finding ? *line.finding : none;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n",
                        line.first ? fmt::format("`{}`: {}", line.row->id, cell(line.row->title)) : "",
                        line.first ? line.row->source : "", line.first ? verdict_text(line.verdict) : "",
                        cell(finding.quantity), line.finding ? measured_text(finding) : "-",
                        cell(finding.published), cell(sharp_text(finding)));
  }
  return text;
}

}  // namespace rarefact
