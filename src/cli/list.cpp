#include <fmt/format.h>

#include <ostream>

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/text_layout.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "metrics/metric.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/formula/formula.hpp"
#include "optim/update_rule.hpp"
#include "theory/prediction.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace {

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

/// The further line that only a kind of row has.
std::string more(const CatalogueRow&) {
  return "";
}

std::string more(const MetricRow& metric) {
  std::string text = "stored as ";
  text += metric.kind == MetricKind::spectral ? fmt::format("update_{0} and weight_{0}", metric.name)
                                              : metric.name;
  if (metric.predicted) text += fmt::format(", predicted as {}_predicted", metric.name);
  if (metric.along == Along::class_groups) text += ", for every class group";
  if (metric.along == Along::answer_groups) text += ", for every answer group";
  return text + (metric.units == "1" ? "" : fmt::format("; unit {}", metric.units));
}

std::string more(const AnswerLawRow& law) {
  return law.classes.empty() ? "no [classes]" : fmt::format("[classes] are {}", law.classes);
}

std::string more(const PredictionRow& prediction) {
  return prediction.validity;
}

/// What a list says of a row.
struct ListedRow : CatalogueRow {
  std::string more = {};
};

template <class Row>
std::vector<ListedRow> rows_of(const std::vector<Row>& catalogue) {
  return mapped(catalogue, [](const Row& row) { return ListedRow{row, more(row)}; });
}

std::string text_of(const ListedRow& row) {
  std::string text = row.summary;
  if (!row.formula.empty()) text += "\n" + row.formula;
  if (!row.parameters.empty()) text += "\nparameters: " + parameter_list(row.parameters);
  if (!row.more.empty()) text += "\n" + row.more;
  if (!row.source.empty()) text += "\nsource: " + row.source;
  return text;
}

Json row_json(const ListedRow& row) {
  Json json = {{"name", row.name}, {"summary", row.summary}};
  if (!row.formula.empty()) json["formula"] = row.formula;
  if (!row.more.empty()) json["more"] = row.more;
  if (!row.source.empty()) json["source"] = row.source;
  for (const Parameter& parameter : row.parameters) json["parameters"].push_back(json_of(parameter));
  return json;
}

/// The published statements; how each is judged is what rarefact verify ID says.
std::vector<ListedRow> theorem_rows() {
  std::vector<ListedRow> rows;
  for (const CheckRow& check : check_catalogue())
    rows.push_back({{.name = check.id, .summary = check.statement, .formula = {}, .source = check.source},
                    "checked by rarefact verify " + check.id});
  return rows;
}

struct Listing {
  std::string name;  ///< as typed
  std::string summary;
  std::vector<ListedRow> (*rows)();
};

const std::vector<Listing> listings = {
    {"optimizers", "update rules, W ← W - η D", [] { return rows_of(optimizer_catalogue()); }},
    {"functions", "functions of the formulas of a rule of your own",
     [] { return rows_of(formula_functions()); }},
    {"embeddings", "embeddings of queries and answers", [] { return rows_of(embedding_catalogue()); }},
    {"spectra", "class spectra: how often each fact occurs", [] { return rows_of(spectrum_catalogue()); }},
    {"laws", "laws of answers: which answers every query has",
     [] { return rows_of(answer_law_catalogue()); }},
    {"metrics", "what a result file holds for every recorded step",
     [] { return rows_of(metric_catalogue()); }},
    {"theorems", "published statements that rarefact verify checks", theorem_rows},
    {"predictions", "closed forms put beside the measured trajectories",
     [] { return rows_of(prediction_catalogue()); }},
};

ExitCode run_list(const Arguments& arguments, const Streams& streams) {
  std::vector<ListedRow> rows;
  if (arguments.operands.empty()) {
    for (const Listing& listing : listings) rows.push_back({{listing.name, listing.summary, "", ""}});
  } else if (const Listing* listing = find_row(listings, arguments.operands.front())) {
    rows = listing->rows();
  } else {
    const std::string& typed = arguments.operands.front();
    throw InputError(fmt::format("there is no list \"{}\"{} (the lists: {})", typed,
                                 did_you_mean(nearest_name(typed, names_of(listings))),
                                 joined(names_of(listings))));
  }
  Json json = Json::array();
  TextRows text;
  for (const ListedRow& row : rows) json.push_back(row_json(row)), text.emplace_back(row.name, text_of(row));
  if (arguments.has("json")) {
    print_json(streams.out, json);
  } else {
    streams.out << two_columns(text, 0);
  }
  return ExitCode::done;
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "optimizers, functions, embeddings, spectra, metrics and more",
          .description =
              "Lists what can be named in an experiment or found in a result: for each row what it is, its "
              "formula, its parameters with their defaults, and the source.",
          .operands = {.name = joined(names_of(listings), "|"),
                       .meaning = "which list; without it, what each of them is",
                       .required = false},
          .options = {json_option},
          .examples = {"rarefact list optimizers", "rarefact list spectra"},
          .run = run_list};
}

}  // namespace rarefact
