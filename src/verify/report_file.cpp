#include <fmt/format.h>

#include <limits>

#include "io/data_tree.hpp"
#include "verify/report.hpp"

namespace rarefact {

namespace {

/// f of every row.
template <class Row, class Function>
auto column(const std::vector<Row>& rows, const Function& f) {
  std::vector<decltype(f(rows.front()))> all;
  for (const Row& row : rows) all.push_back(f(row));
  return all;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

DataGroup findings_group(const std::vector<Finding>& rows) {
  const auto text = [&](std::string Finding::*member) {
    return column(rows, [&](const Finding& row) { return row.*member; });
  };
  const auto number = [&](std::optional<double> Finding::*member) {
    return column(rows, [&](const Finding& row) {
      return (row.*member).value_or(std::numeric_limits<double>::quiet_NaN());
    });
  };
  return {.name = "findings",
          .arrays = {
              {"id", "name of the finding in its check", text(&Finding::id)},
              {"quantity", "what was measured", text(&Finding::quantity)},
              {"measured", "the number", column(rows, [](const Finding& row) { return row.measured; })},
              {"low", "lower end of the 95 % confidence interval", number(&Finding::low)},
              {"high", "upper end of it", number(&Finding::high)},
              {"published", "what is claimed", text(&Finding::published)},
              {"sharp", "the exact or sharp number", number(&Finding::sharp)},
              {"verdict", "of this finding",
               column(rows, [](const Finding& row) { return verdict_text(row.verdict); })},
              {"rule", "what decided", text(&Finding::rule)},
              {"right_digits", "digits that 50-digit arithmetic confirms", number(&Finding::right_digits)}}};
}

DataGroup hypotheses_group(const std::vector<Hypothesis>& rows) {
  using Row = Hypothesis;
  return {.name = "hypotheses",
          .arrays = {{"text", "what is assumed", column(rows, [](const Row& row) { return row.text; })},
                     {"met", "1 where the runs meet it",
                      column(rows, [](const Row& row) -> std::int64_t { return row.met ? 1 : 0; })},
                     {"detail", "the numbers that say so",
                      column(rows, [](const Row& row) { return row.detail; })}}};
}

DataGroup curve_group(const Curve& curve, std::size_t number) {
  DataGroup group{.name = fmt::format("curve_{}", number), .attributes = {{"title", curve.title}}};
  group.arrays.push_back({"x", curve.x_label, curve.x});
  for (std::size_t s = 0; s < curve.series.size(); ++s)
    group.arrays.push_back({fmt::format("y_{}", s + 1), curve.series[s].label, curve.series[s].y});
  return group;
}

DataGroup check_group(const CheckReport& report) {
  const CheckRow& row = check_row(report.id);
  DataGroup group{
      .name = row.id.substr(row.id.find('/') + 1),
      .attributes = {
          {"title", row.title},
          {"statement", row.statement},
          {"source", row.source},
          {"hypotheses", joined_lines(column(row.hypotheses, [](const auto& one) { return one.words; }))},
          {"predicted", row.predicted},
          {"measured", row.measured},
          {"rule", row.rule},
          {"verdict", verdict_text(report.verdict())},
          {"note", report.note},
          {"options", report.options},
          {"experiments", joined_lines(column(row.experiments,
                                              [](const auto& one) { return "experiments/" + one.file; }))}}};
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
