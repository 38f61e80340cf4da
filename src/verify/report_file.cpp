#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

#include "io/data_tree.hpp"
#include "verify/report.hpp"

namespace rarefact {

namespace {

template <class Row>
std::vector<std::string> texts(const std::vector<Row>& rows,
                               const std::function<std::string(const Row&)>& of) {
  std::vector<std::string> all;
  for (const Row& row : rows) all.push_back(of(row));
  return all;
}

std::vector<double> numbers(const std::vector<Finding>& rows,
                            const std::function<std::optional<double>(const Finding&)>& of) {
  std::vector<double> all;
  for (const Finding& row : rows) all.push_back(of(row).value_or(std::numeric_limits<double>::quiet_NaN()));
  return all;
}

DataGroup findings_group(const std::vector<Finding>& rows) {
  using F = Finding;
  return {
      .name = "findings",
      .arrays = {
          {"quantity", "what was measured", texts<F>(rows, [](const F& f) { return f.quantity; })},
          {"measured", "the number", numbers(rows, [](const F& f) { return f.measured; })},
          {"low", "lower end of the 95 % confidence interval",
           numbers(rows, [](const F& f) { return f.low; })},
          {"high", "upper end of it", numbers(rows, [](const F& f) { return f.high; })},
          {"published", "what is claimed", texts<F>(rows, [](const F& f) { return f.published; })},
          {"sharp", "the exact or sharp number", numbers(rows, [](const F& f) { return f.sharp; })},
          {"verdict", "of this finding", texts<F>(rows, [](const F& f) { return verdict_text(f.verdict); })},
          {"rule", "what decided", texts<F>(rows, [](const F& f) { return f.rule; })},
          {"right_digits", "digits that 50-digit arithmetic confirms",
           numbers(rows, [](const F& f) { return f.right_digits; })},
      }};
}

DataGroup hypotheses_group(const std::vector<Hypothesis>& rows) {
  using H = Hypothesis;
  std::vector<std::int64_t> met;
  for (const H& one : rows) met.push_back(one.met ? 1 : 0);
  return {
      .name = "hypotheses",
      .arrays = {{"text", "what is assumed", texts<H>(rows, [](const H& h) { return h.text; })},
                 {"met", "1 where the runs meet it", met},
                 {"detail", "the numbers that say so", texts<H>(rows, [](const H& h) { return h.detail; })}}};
}

DataGroup curve_group(const Curve& curve, std::size_t number) {
  DataGroup group{.name = fmt::format("curve_{}", number), .attributes = {{"title", curve.title}}};
  group.arrays.push_back({"x", curve.x_label, curve.x});
  for (std::size_t s = 0; s < curve.series.size(); ++s)
    group.arrays.push_back({fmt::format("y_{}", s + 1), curve.series[s].label, curve.series[s].y});
  return group;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

DataGroup check_group(const CheckReport& report) {
  const CheckRow& row = check_row(report.id);
  DataGroup group{.name = row.id.substr(row.id.find('/') + 1),
                  .attributes = {{"title", row.title},
                                 {"statement", row.statement},
                                 {"source", row.source},
                                 {"hypotheses", joined_lines(row.hypotheses)},
                                 {"predicted", row.predicted},
                                 {"measured", row.measured},
                                 {"rule", row.rule},
                                 {"verdict", verdict_text(report.verdict())},
                                 {"note", report.note},
                                 {"options", report.options}}};
  std::vector<std::string> files;
  for (const CheckExperiment& experiment : row.experiments) files.push_back("experiments/" + experiment.file);
  group.attributes.emplace_back("experiments", joined_lines(files));
  group.groups = {findings_group(report.findings), hypotheses_group(report.hypotheses)};
  for (std::size_t c = 0; c < report.curves.size(); ++c)
    group.groups.push_back(curve_group(report.curves[c], c + 1));
  return group;
}

}  // namespace

void write_report(const std::vector<CheckReport>& reports, const std::filesystem::path& path) {
  DataGroup root{.attributes = {{"title", "published statements, checked"}}};
  for (const CheckReport& report : reports) {
    const std::string source = report.id.substr(0, report.id.find('/'));
    if (root.groups.empty() || root.groups.back().name != source) root.groups.push_back({.name = source});
    root.groups.back().groups.push_back(check_group(report));
  }
  write_data(root, path);
}

}  // namespace rarefact
