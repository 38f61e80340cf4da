#include <fmt/format.h>

#include <functional>
#include <ostream>

#include "cli/command.hpp"
#include "cli/reference.hpp"
#include "cli/text_layout.hpp"
#include "metrics/metric.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/optimizer_catalogue.hpp"
#include "theory/prediction.hpp"
#include "verify/check_row.hpp"

namespace rarefact::commands {

namespace {

/// One of the lists: its name as typed, what it is, and its rows with the lines that only this kind of row
/// has.
struct Listing {
  std::string name;
  std::string summary;
  std::function<std::vector<std::pair<CatalogueRow, std::string>>()> rows;
};

/// The rows of a catalogue; `more` gives the further lines of one.
template <class Row>
auto rows_of(const std::vector<Row>& catalogue, std::string (*more)(const Row&)) {
  return [&catalogue, more] {
    std::vector<std::pair<CatalogueRow, std::string>> rows;
    for (const Row& row : catalogue) rows.emplace_back(row, more(row));
    return rows;
  };
}

template <class Row>
std::string nothing_more(const Row&) {
  return "";
}

std::string stored_as(const MetricRow& metric) {
  const bool spectral = metric.kind == MetricKind::spectral;
  std::string text = spectral ? fmt::format("stored as update_{0} and weight_{0}", metric.name)
                              : fmt::format("stored as {}", metric.name);
  if (metric.predicted) text += fmt::format(", predicted as {}_predicted", metric.name);
  if (metric.per_class) text += ", for every class group";
  return text + (metric.units == "1" ? "" : fmt::format("; unit {}", metric.units)) + "\n";
}

std::string when_it_holds(const PredictionRow& prediction) {
  return prediction.validity + "\n";
}

/// The published statements; how each is judged is what rarefact verify ID says.
std::vector<std::pair<CatalogueRow, std::string>> theorem_rows() {
  std::vector<std::pair<CatalogueRow, std::string>> rows;
  for (const CheckRow& check : check_catalogue()) {
    CatalogueRow row;
    row.name = check.id;
    row.summary = check.statement;
    row.source = check.source;
    rows.emplace_back(row, fmt::format("checked by rarefact verify {}\n", check.id));
  }
  return rows;
}

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {
      {"optimizers", "update rules, W ← W - η D", rows_of(optimizer_catalogue(), nothing_more<OptimizerRow>)},
      {"embeddings", "embeddings of queries and answers",
       rows_of(embedding_catalogue(), nothing_more<EmbeddingRow>)},
      {"spectra", "class spectra: how often each fact occurs",
       rows_of(spectrum_catalogue(), nothing_more<SpectrumRow>)},
      {"metrics", "what a result file holds for every recorded step", rows_of(metric_catalogue(), stored_as)},
      {"theorems", "published statements that rarefact verify checks", theorem_rows},
      {"predictions", "closed forms put beside the measured trajectories",
       rows_of(prediction_catalogue(), when_it_holds)},
  };
  return all;
}

std::string parameter_list(const std::vector<Parameter>& parameters) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : parameters) {
    const std::string value = parameter.default_value ? " = " + default_text(parameter)
                              : parameter.optional    ? " (optional)"
                                                      : "";
    parts.push_back(parameter.name + value);
  }
  return joined(parts);
}

std::string described(const CatalogueRow& row, const std::string& more) {
  std::string text = row.summary + "\n";
  if (!row.formula.empty()) text += row.formula + "\n";
  if (!row.parameters.empty()) text += "parameters: " + parameter_list(row.parameters) + "\n";
  text += more;
  if (!row.source.empty()) text += "source: " + row.source + "\n";
  text.pop_back();
  return text;
}

std::vector<std::string> listing_names() {
  std::vector<std::string> names;
  for (const Listing& listing : listings()) names.push_back(listing.name);
  return names;
}

ExitCode run_list(const Arguments& arguments, const Streams& streams) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (arguments.operands().empty()) {
    for (const Listing& listing : listings()) rows.emplace_back(listing.name, listing.summary);
    streams.out << two_columns(rows, 0);
    return ExitCode::done;
  }
  const std::string& typed = arguments.operands().front();
  for (const Listing& listing : listings()) {
    if (listing.name != typed) continue;
    for (const auto& [row, more] : listing.rows()) rows.emplace_back(row.name, described(row, more));
    streams.out << two_columns(rows, 0);
    return ExitCode::done;
  }
  throw InputError(fmt::format("there is no list \"{}\"{} (the lists: {})", typed,
                               did_you_mean(nearest_name(typed, listing_names())), joined(listing_names())));
}

}  // namespace

Command list() {
  return {.name = "list",
          .summary = "the optimizers, embeddings, spectra, metrics, theorems and predictions there are",
          .description =
              "Lists what can be named in an experiment or found in a result: for each row what it is, its "
              "formula, its parameters with their defaults, and the source.",
          .operands = {.name = joined(listing_names(), "|"),
                       .meaning = "which list; without it, what each of them is",
                       .required = false},
          .examples = {"rarefact list optimizers", "rarefact list spectra"},
          .run = run_list};
}

}  // namespace rarefact::commands
