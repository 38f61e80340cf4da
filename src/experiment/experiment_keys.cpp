#include "experiment/experiment_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/experiment.hpp"
#include "model/embedding.hpp"
#include "model/sampler.hpp"
#include "model/spectrum.hpp"
#include "optim/optimizer_catalogue.hpp"
#include "optim/schedule.hpp"

namespace rarefact {

namespace {

/// Above this a 64-bit step count is not exact as the double an Interval speaks of.
constexpr double most_steps = 1e15;

bool same_use(const Parameter& a, const Parameter& b) {
  return a.kind == b.kind && a.meaning == b.meaning && a.default_value == b.default_value &&
         a.legal.low == b.legal.low && a.legal.high == b.legal.high && a.legal.low_open == b.legal.low_open &&
         a.legal.high_open == b.legal.high_open && a.unit == b.unit && a.choices == b.choices &&
         a.optional == b.optional;
}

void add_use(ExperimentKey& key, const std::string& owner, const Parameter& parameter) {
  for (KeyUse& use : key.uses) {
    if (same_use(use.parameter, parameter)) {
      use.owners.push_back(owner);
      return;
    }
  }
  key.uses.push_back({{owner}, parameter});
}

/// The keys of a table whose rows have parameters: the selecting key, keys of every row, then the rows' own.
template <class Row>
std::vector<ExperimentKey> keys_from(const std::string& table, Parameter selector,
                                     std::vector<ExperimentKey> common, const std::vector<Row>& rows) {
  for (const Row& row : rows) selector.choices.push_back(row.name);
  std::vector<ExperimentKey> keys = {{.table = table, .uses = {{{}, selector}}, .selects = true}};
  for (ExperimentKey& key : common) keys.push_back(std::move(key));
  const auto own = static_cast<std::ptrdiff_t>(keys.size());
  for (const Row& row : rows) {
    for (const Parameter& parameter : row.parameters) {
      const auto found = std::find_if(keys.begin() + own, keys.end(), [&](const ExperimentKey& key) {
        return key.last_name() == parameter.name;
      });
      if (found == keys.end()) {
        keys.push_back({.table = table, .uses = {{{row.name}, parameter}}});
      } else {
        add_use(*found, row.name, parameter);
      }
    }
  }
  return keys;
}

ExperimentKey plain(const std::string& table, Parameter parameter, std::string other_forms = {}) {
  return {.table = table, .uses = {{{}, std::move(parameter)}}, .other_forms = std::move(other_forms)};
}

std::vector<ExperimentKey> top_level_keys() {
  return {plain("", {.name = "name",
                     .kind = Kind::text,
                     .meaning = "name of the experiment; without -o the result is results/NAME.h5"}),
          plain("", {.name = "seed",
                     .kind = Kind::integer,
                     .meaning = "seed of every random number",
                     .default_value = std::int64_t{1},
                     .legal = {.low = 0}})};
}

std::vector<ExperimentKey> run_keys() {
  return {
      plain("run", {.name = "steps",
                    .kind = Kind::integer,
                    .meaning = "how many updates; step t is the state after t of them",
                    .default_value = std::int64_t{100},
                    .legal = {.low = 1, .high = most_steps}}),
      plain(
          "run",
          {.name = "engine",
           .kind = Kind::text,
           .meaning = "how the state is held; auto takes the cheapest one that is exact, or quadrature where "
                      "an exact run of distinct classes would take more than a second; one that would not be "
                      "exact is refused",
           .default_value = "auto",
           .choices = {"auto", "symmetric", "quadrature", "columns", "dense"}}),
      plain("run",
            {.name = "nodes",
             .kind = Kind::text,
             .meaning = "nodes that stand for all distinct classes in a quadrature; auto doubles them until "
                        "quadrature_tolerance is met",
             .default_value = "auto",
             .choices = {"auto"}},
            fmt::format("a whole number from {} to {}", least_nodes, most_nodes)),
      plain("run", {.name = "quadrature_tolerance",
                    .kind = Kind::number,
                    .meaning = "largest certified relative error at which a quadrature counts as done",
                    .default_value = 1e-10,
                    .legal = {0, largest_certificate, true, false}}),
      plain("run",
            {.name = "record",
             .kind = Kind::text,
             .meaning =
                 "which steps are recorded; log: about 16 for every factor of ten. Step 0 and the last step "
                 "always are",
             .default_value = "all",
             .choices = {"all", "log"}},
            "{every = 10}, or a list of steps such as [0, 1, 5, 200]"),
      plain("run",
            {.name = "classes",
             .kind = Kind::text,
             .meaning =
                 "rows of the per-class results: a group of equally likely classes each (in a quadrature "
                 "a node each), all classes, or those of a list: ranks, 1 the most frequent, \"last\", and "
                 "\"99%\", the class at that percentile of the probability mass",
             .default_value = "groups",
             .choices = {"groups", "all"}},
            "a list of classes such as [1, 1000, \"99%\", \"last\"]"),
      plain("run",
            {.name = "spectral_metrics",
             .kind = Kind::text,
             .meaning = "measure the singular values of update and weight at recorded steps; auto: where the "
                        "singular value problem has at most 128 rows (with 50 digits: 32)",
             .default_value = "auto",
             .choices = {"auto", "on", "off"}}),
      plain("run",
            {.name = "precision",
             .kind = Kind::integer,
             .meaning =
                 "significant digits of the computation: 16 are those of a double, 50 are for the engine "
                 "symmetric alone and some 200 times slower (muon with 64 groups: 3000 times); results "
                 "are doubles, rounded at the end",
             .default_value = std::int64_t{16},
             .choices = {"16", "50"}}),
      plain("run",
            {.name = "rho_epsilon",
             .kind = Kind::number,
             .meaning = "ε of ϱ: at recorded steps the least p̂ of any class is measured once a multiple of W "
                        "retrieves the best class with probability 1-ε; 0: not measured",
             .default_value = 0.0,
             .legal = {.low = 0, .high = 0.5, .high_open = true}}),
      plain("run", {.name = "push",
                    .kind = Kind::boolean,
                    .meaning = "measure at recorded steps how much the next update raises the right logit of "
                               "each class, per unit of step size",
                    .default_value = false}),
  };
}

/// "constant: η_t = η; ..."
std::string schedule_formulas() {
  std::vector<std::string> formulas;
  for (const ScheduleRow& row : schedule_catalogue())
    formulas.push_back(fmt::format("{}: {}", row.name, row.formula));
  return joined(formulas, "; ");
}

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const ScheduleRow& row : schedule_catalogue()) names.push_back(row.name);
  return names;
}

std::vector<ExperimentKey> optimizer_keys() {
  return {
      plain("optimizer", {.name = "name",
                          .kind = Kind::text,
                          .meaning = "label in the results; default: the rule",
                          .optional = true}),
      plain(
          "optimizer",
          {.name = "step_size",
           .kind = Kind::number,
           .meaning = "η in W ← W - η D; or a search: n step sizes from low to high in equal ratios are all "
                      "run, and the result shows the one with the least value at the last step (a run that "
                      "diverges counts as infinite, of equal ones the smaller step size wins)",
           .legal = {.low = 0, .low_open = true}},
          fmt::format("{{search = [low, high, n], minimise = \"loss\"}} with 0 < low < high, n from 2 to "
                      "{:g}, minimise one of {}",
                      most_searched, joined(searched_quantities()))),
      plain("optimizer",
            {.name = "schedule",
             .kind = Kind::text,
             .meaning = fmt::format("the step size η_t of update t: {}. The first update has t = "
                                    "0, T is run.steps",
                                    schedule_formulas()),
             .default_value = "constant",
             .choices = schedule_names()}),
      plain("optimizer", {.name = "schedule_offset",
                          .kind = Kind::number,
                          .meaning = "t0 of the schedule inverse_sqrt; the others have none",
                          .default_value = 1.0,
                          .legal = {.low = 0, .low_open = true}}),
  };
}

std::vector<ExperimentKey> all_keys() {
  std::vector<ExperimentKey> keys;
  const auto add = [&](std::vector<ExperimentKey> more) {
    for (ExperimentKey& key : more) keys.push_back(std::move(key));
  };
  add(top_level_keys());
  add(keys_from("classes", {.name = "spectrum", .kind = Kind::text, .meaning = "how often each class occurs"},
                {}, spectrum_catalogue()));
  add(keys_from(
      "embedding",
      {.name = "kind",
       .kind = Kind::text,
       .meaning =
           "embeddings of queries and answers; [embedding.query] and [embedding.answer] set them apart",
       .default_value = "identity"},
      {}, embedding_catalogue()));
  add(keys_from(
      "data",
      {.name = "mode",
       .kind = Kind::text,
       .meaning = "what the gradient is taken of; what is measured is always of the population",
       .default_value = "population"},
      {plain("data", {.name = "label_noise",
                      .kind = Kind::number,
                      .meaning = "α: this part of the answers is drawn uniformly from all K answers",
                      .default_value = 0.0,
                      .legal = {.low = 0, .high = 1, .high_open = true}}),
       plain("data", {.name = "recovered",
                      .kind = Kind::text,
                      .meaning = "what facts whose right logit is strictly the largest add to the gradient. "
                                 "kept: what every fact adds. removed: nothing, the thresholded gradient of "
                                 "kim2026",
                      .default_value = "kept",
                      .choices = {"kept", "removed"}})},
      data_mode_catalogue()));
  add(run_keys());
  add(keys_from("optimizer", {.name = "rule", .kind = Kind::text, .meaning = "the update rule D"},
                optimizer_keys(), optimizer_catalogue()));
  return keys;
}

}  // namespace

const std::vector<ExperimentTable>& experiment_tables() {
  static const std::vector<ExperimentTable> tables = {
      {"", "", "", "top level, before the first [table]"},
      {"classes", "[classes]", "spectrum", "the classes (facts) and how often they occur"},
      {"embedding", "[embedding]", "embedding",
       "both sides alike; or [embedding.query] and [embedding.answer] with the same keys, each for one side"},
      {"data", "[data]", "mode", "what the gradient is taken of"},
      {"run", "[run]", "", "how long, on which engine, and what is recorded"},
      {"optimizer", "[[optimizer]]", "rule", "one such table for each optimizer, at least one"},
  };
  return tables;
}

const std::vector<ExperimentKey>& experiment_keys() {
  static const std::vector<ExperimentKey> keys = all_keys();
  return keys;
}

}  // namespace rarefact
