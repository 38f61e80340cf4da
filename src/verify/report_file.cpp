#include "core/transform.hpp"
#include "io/data_tree.hpp"
#include "verify/report.hpp"

namespace rarefact {

namespace {

DataGroup findings_group(const std::vector<Finding>& rows) {
  using Row = Finding;
  const auto number = [&](std::optional<double> Row::*member) {
    return mapped(rows, [&](const Row& row) { return (row.*member).value_or(NAN); });
  };
  return {
      .name = "findings",
      .arrays = {{"id", "name of the finding in its check", mapped(rows, &Row::id)},
                 {"quantity", "what was measured", mapped(rows, &Row::quantity)},
                 {"measured", "the number", mapped(rows, &Row::measured)},
                 {"low", "lower end of the 95 % confidence interval", number(&Row::low)},
                 {"high", "upper end of it", number(&Row::high)},
                 {"published", "what is claimed", mapped(rows, &Row::published)},
                 {"sharp", "the exact or sharp number", number(&Row::sharp)},
                 {"verdict", "of this finding",
                  mapped(rows, [](const Row& row) { return verdict_text(row.verdict); })},
                 {"rule", "what decided", mapped(rows, &Row::rule)},
                 {"right_digits", "digits that 50-digit arithmetic confirms", number(&Row::right_digits)}}};
}

DataGroup hypotheses_group(const std::vector<Hypothesis>& rows) {
  using Row = Hypothesis;
  return {.name = "hypotheses",
          .arrays = {{"text", "what is assumed", mapped(rows, &Row::text)},
                     {"met", "1 where the runs meet it",
                      mapped(rows, [](const Row& row) -> std::int64_t { return row.met ? 1 : 0; })},
                     {"detail", "the numbers that say so", mapped(rows, &Row::detail)}}};
}

DataGroup curve_group(const Curve& curve, std::size_t number) {
  DataGroup group{.name = fmt::format("curve_{}", number), .attributes = {{"title", curve.title}}};
  group.arrays.push_back({"x", curve.x_label, keys(curve.series.front().second)});
  for (const auto& [label, points] : curve.series)
    group.arrays.push_back({fmt::format("y_{}", group.arrays.size()), label, values(points)});
  return group;
}

DataGroup check_group(const CheckReport& report) {
  const CheckRow& row = check_row(report.id);
  DataGroup group{
      .name = row.id.substr(row.id.find('/') + 1),
      .attributes = {{"title", row.word("title")},
                     {"statement", row.word("statement")},
                     {"source", row.word("source")},
                     {"hypotheses", joined(mapped(row.assumptions, &Assumption::text), "\n")},
                     {"predicted", row.word("predicted")},
                     {"measured", row.word("method")},
                     {"rule", row.word("rule")},
                     {"verdict", verdict_text(report.verdict())},
                     {"note", report.note},
                     {"unfinished", joined(report.unfinished, "\n")},
                     {"unseen", joined(report.unseen, "\n")},
                     {"options", report.options},
                     {"experiments", joined(mapped(row.experiments, &CheckExperiment::file), "\n")}}};
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
