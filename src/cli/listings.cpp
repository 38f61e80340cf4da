#include "cli/listings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/requirements.hpp"
#include "metrics/metric.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/sampler.hpp"
#include "model/spectrum.hpp"
#include "optim/formula/formula.hpp"
#include "optim/update_rule.hpp"
#include "results/result_fields.hpp"
#include "theory/closed_form.hpp"
#include "theory/prediction.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace {

std::string unit_text(const std::string& unit) {
  return unit == "1" ? "" : "; unit " + unit;
}

std::string parameter_list(const std::vector<Parameter>& parameters) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : parameters) {
    const std::string value = parameter.default_value ? " = " + default_text(parameter)
                              : parameter.optional    ? " (optional)"
                                                      : "";
    parts.push_back(parameter.shown() + value);
  }
  return joined(parts);
}

ListedRow listed(const CatalogueRow& row) {
  return {row};
}

ListedRow listed(const std::string& name, const std::string& summary, const std::string& more,
                 const std::string& source = {}) {
  return {{.name = name, .summary = summary, .formula = {}, .source = source}, more};
}

ListedRow listed(const MetricRow& metric) {
  ListedRow row = {metric};
  if (metric.of_matrices) row.other_names = {"update_" + metric.name, "weight_" + metric.name};
  row.more = "stored as " + (row.other_names.empty() ? metric.name : joined(row.other_names, " and "));
  if (metric.predicted) {
    row.other_names.push_back(metric.name + "_predicted");
    row.more += ", predicted as " + row.other_names.back();
  }
  if (metric.along == Along::class_groups) row.more += ", for every class group";
  if (metric.along == Along::answer_groups) row.more += ", for every answer group";
  row.more += unit_text(metric.units);
  return row;
}

ListedRow listed(const AnswerLawRow& law) {
  return {law, law.classes.empty() ? "no [classes]" : fmt::format("[classes] are {}", law.classes)};
}

ListedRow listed(const PredictionRow& prediction) {
  return {prediction, prediction.validity};
}

ListedRow listed(const ClosedForm& form) {
  return {form, fmt::format("of {}", joined(form.arguments))};
}

ListedRow listed(const ResultField& field) {
  return listed(field.name, field.long_name + (field.more.empty() ? "" : ": " + field.more),
                fmt::format("({}){}", joined(dimensions_of(field)), unit_text(field.units)));
}

/// The published statements; rarefact verify ID explains how each is judged.
ListedRow listed(const CheckRow& check) {
  return listed(check.id, check.word("statement"), "checked by rarefact verify " + check.id,
                check.word("source"));
}

ListedRow listed(const AssumptionRow& entry) {
  return listed(entry.name, entry.words, "");
}

template <class Row>
std::vector<ListedRow> rows_of(const std::vector<Row>& catalogue) {
  return mapped(catalogue, [](const Row& row) { return listed(row); });
}

/// The engines: what each stores, and its requirements.
std::vector<ListedRow> engine_rows() {
  std::vector<ListedRow> rows;
  for (const EngineRow& engine : engine_catalogue()) {
    ListedRow& row = rows.emplace_back(listed(engine));
    for (const Requirement& requirement : requirements()) {
      const auto rules_out = [&](Way way) { return requirement.rules_out.has(way); };
      if (std::ranges::all_of(engine.ways, rules_out))
        row.more +=
            fmt::format("{}- {}", row.more.empty() ? "reasons for a refusal:\n" : "\n", requirement.shown());
    }
  }
  return rows;
}

/// Terms of the field and of the program, each a line "name, aliases, meaning" with tabs.
std::vector<ListedRow> term_rows() {
  std::vector<ListedRow> rows;
  for (const std::string_view line : split_text(words("terms.tsv"), '\n')) {
    const auto parts = split_text(line, '\t');
    if (parts.size() < 3) continue;
    ListedRow& row = rows.emplace_back(listed(std::string(parts[0]), std::string(parts[2]), ""));
    for (const std::string_view alias : split_text(parts[1], ','))
      if (!alias.empty()) row.other_names.emplace_back(alias.substr(alias.starts_with(' ')));
  }
  return rows;
}

}  // namespace

bool ListedRow::has(const std::string& typed) const {
  return name == typed || std::ranges::count(other_names, typed) > 0;
}

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {
      {"optimizers", "update rules, W ← W - η D", [] { return rows_of(optimizer_catalogue()); }, "rules"},
      {"functions", "functions of the formulas of a rule of your own",
       [] { return rows_of(formula_functions()); }},
      {"embeddings", "embeddings of queries and answers", [] { return rows_of(embedding_catalogue()); }},
      {"spectra", "class spectra: how often each fact occurs", [] { return rows_of(spectrum_catalogue()); }},
      {"laws", "answer laws: which answers every query has", [] { return rows_of(answer_law_catalogue()); }},
      {"modes", "data modes: exact gradients or samples", [] { return rows_of(data_mode_catalogue()); }},
      {"engines", "how the state of a run is stored, and the requirements of each engine", engine_rows},
      {"metrics", "variables of a result file for every recorded step",
       [] { return rows_of(metric_catalogue()); }},
      {"fields", "other variables of a result file, about runs, classes and optimizers",
       [] { return rows_of(result_fields()); }},
      {"theorems", "published statements that rarefact verify checks",
       [] { return rows_of(check_catalogue()); }},
      {"assumptions", "what claims may take for granted, tested on their runs",
       [] { return rows_of(assumptions()); }},
      {"closed-forms", "functions of numbers that claims may call", [] { return rows_of(closed_forms()); }},
      {"predictions", "closed forms compared with measured trajectories",
       [] { return rows_of(prediction_catalogue()); }},
      {"terms", "terms of the field and of this program", term_rows},
  };
  return all;
}

std::vector<ListedRow> listed_rows() {
  std::vector<ListedRow> all;
  for (const Listing& listing : listings()) {
    for (ListedRow& row : listing.rows()) all.emplace_back(std::move(row)).list = listing.name;
  }
  return all;
}

std::string text_of(const ListedRow& row) {
  std::string text = row.summary;
  if (!row.formula.empty()) text += "\n" + row.formula;
  if (!row.parameters.empty()) text += "\nparameters: " + parameter_list(row.parameters);
  if (!row.more.empty()) text += "\n" + row.more;
  if (!row.source.empty()) text += "\nsource: " + row.source;
  return text;
}

Json json_of(const ListedRow& row) {
  Json json = {{"name", row.name}, {"summary", row.summary}};
  if (!row.formula.empty()) json["formula"] = row.formula;
  if (!row.more.empty()) json["more"] = row.more;
  if (!row.source.empty()) json["source"] = row.source;
  for (const Parameter& parameter : row.parameters) json["parameters"].push_back(json_of(parameter));
  return json;
}

}  // namespace rarefact
