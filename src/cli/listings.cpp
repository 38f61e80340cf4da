#include "cli/listings.hpp"

#include "experiment/requirements.hpp"
#include "metrics/metric.hpp"
#include "model/sampler.hpp"
#include "optim/formula/formula.hpp"
#include "results/result_fields.hpp"
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

/// The rows of a catalogue, with further lines.
template <class Rows, class More>
std::vector<ListedRow> rows_of(const Rows& catalogue, const More& more) {
  return mapped(catalogue, [&](const auto& row) { return ListedRow{row, std::invoke(more, row)}; });
}
template <class Rows>
std::vector<ListedRow> rows_of(const Rows& catalogue) {
  return rows_of(catalogue, [](const CatalogueRow&) { return std::string(); });
}

std::string refusals(const EngineRow& engine) {
  std::string text;
  for (const Requirement& requirement : requirements()) {
    const auto rules_out = [&](Way way) { return requirement.rules_out.has(way); };
    if (std::ranges::all_of(engine.ways, rules_out))
      text += fmt::format("{}- {}", text.empty() ? "reasons for a refusal:\n" : "\n", requirement.shown());
  }
  return text;
}

ListedRow metric_row(const MetricRow& metric) {
  ListedRow row = {metric};
  if (metric.of_matrices) row.other_names = {"update_" + metric.name, "weight_" + metric.name};
  if (metric.of_tops) row.other_names = {metric.name + "_K"};
  row.more = "stored as " + (row.other_names.empty() ? metric.name : joined(row.other_names, " and "));
  if (metric.predicted) {
    row.other_names.push_back(metric.name + "_predicted");
    row.more += ", predicted as " + row.other_names.back();
  }
  if (metric.along == Along::class_groups) row.more += ", for every class group";
  if (metric.along == Along::answer_groups) row.more += ", for every answer group";
  if (metric.along == Along::bands) row.more += ", for every band";
  row.more += unit_text(metric.units);
  return row;
}

ListedRow field_row(const ResultField& field) {
  return {{field.name, field.long_name + (field.more.empty() ? "" : ": " + field.more)},
          fmt::format("({}){}", joined(dimensions_of(field)), unit_text(field.units))};
}

/// A published statement; rarefact verify ID explains how it is judged.
ListedRow claim_row(const CheckRow& check) {
  return {{check.id, check.word("statement"), "", check.word("source")},
          "checked by rarefact verify " + check.id};
}

/// Terms of the field and of the program, each a line "name, aliases, meaning" with tabs.
std::vector<ListedRow> term_rows() {
  std::vector<ListedRow> rows;
  for (const std::string_view line : split_text(words("terms.tsv"), '\n')) {
    const auto parts = split_text(line, '\t');
    if (parts.size() < 3) continue;
    ListedRow& row = rows.emplace_back();
    row.name = parts[0], row.summary = parts[2];
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
      {"laws", "answer laws: which answers every query has",
       [] {
         return rows_of(answer_law_catalogue(), [](const AnswerLawRow& law) {
           return law.classes.empty() ? "no [classes]" : "[classes] are " + law.classes;
         });
       }},
      {"modes", "data modes: exact gradients or samples", [] { return rows_of(data_mode_catalogue()); }},
      {"engines", "how the state of a run is stored, and the requirements of each engine",
       [] { return rows_of(engine_catalogue(), refusals); }},
      {"metrics", "variables of a result file for every recorded step",
       [] { return mapped(metric_catalogue(), metric_row); }},
      {"fields", "other variables of a result file, about runs, classes and optimizers",
       [] { return mapped(result_fields(), field_row); }},
      {"theorems", "published statements that rarefact verify checks",
       [] { return mapped(check_catalogue(), claim_row); }},
      {"assumptions", "what claims may take for granted, tested on their runs",
       [] {
         return mapped(assumptions(), [](const AssumptionRow& row) {
           return ListedRow{{row.name, row.words}};
         });
       }},
      {"closed-forms", "functions of numbers that claims may call",
       [] {
         return rows_of(closed_forms(), [](const ClosedForm& form) {
           return "of " + (form.arguments.empty() ? "the classes of a point" : joined(form.arguments));
         });
       }},
      {"predictions", "closed forms compared with measured trajectories",
       [] { return rows_of(prediction_catalogue(), &PredictionRow::validity); }},
      {"terms", "terms of the field and of this program", term_rows},
  };
  return all;
}

std::vector<ListedRow> listed_rows() {
  std::vector<ListedRow> all;
  for (const Listing& listing : listings())
    for (ListedRow& row : listing.rows()) all.emplace_back(std::move(row)).list = listing.name;
  return all;
}

std::string text_of(const ListedRow& row) {
  std::vector<std::string> lines = {row.summary, row.formula, row.more};
  if (!row.parameters.empty()) lines.insert(lines.end() - 1, "parameters: " + parameter_list(row.parameters));
  if (!row.source.empty()) lines.push_back("source: " + row.source);
  std::erase(lines, "");
  return joined(lines, "\n");
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
