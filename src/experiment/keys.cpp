#include "experiment/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "experiment/codecs.hpp"
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

template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

/// "constant: η_t = η; ..."
std::string schedule_formulas() {
  std::vector<std::string> formulas;
  for (const ScheduleRow& row : schedule_catalogue())
    formulas.push_back(fmt::format("{}: {}", row.name, row.formula));
  return joined(formulas, "; ");
}

/// What is legal for a plain key besides its type.
struct Legal {
  Interval interval = {};
  std::vector<std::string> choices = {};
  std::string other_forms = {};
};

/// Of members that hold numbers, texts, true or false.
template <class T>
constexpr Kind kind_of = std::is_same_v<T, bool>           ? Kind::boolean
                         : std::is_same_v<T, std::int64_t> ? Kind::integer
                         : std::is_same_v<T, double>       ? Kind::number
                                                           : Kind::text;

ExperimentKey row(const std::string& table, const std::string& name, Kind kind, Codec codec,
                  const std::string& meaning, const Legal& legal) {
  const Parameter parameter{
      .name = name, .kind = kind, .meaning = meaning, .legal = legal.interval, .choices = legal.choices};
  return {table, {{{}, parameter}}, std::move(codec), legal.other_forms};
}

template <class Owner, class T>
ExperimentKey plain(const std::string& table, const std::string& name, T Owner::*field,
                    const std::string& meaning, const Legal& legal = {}) {
  return row(table, name, kind_of<T>, member(field), meaning, legal);
}

ExperimentKey with_words(const std::string& table, const std::string& name, Codec codec,
                         const std::string& meaning, std::vector<std::string> words,
                         std::string other_forms = {}) {
  return row(table, name, Kind::text, std::move(codec), meaning,
             {{}, std::move(words), std::move(other_forms)});
}

/// The key that chooses among the rows of a catalogue.
template <class Row>
ExperimentKey selector(const std::string& table, const std::string& name, const std::vector<Row>& rows,
                       const std::string& meaning) {
  ExperimentKey key = with_words(
      table, name, value_in<std::string>([](const Part& part) -> std::string& { return *part.row; }), meaning,
      names_of(rows));
  key.selects = true;
  return key;
}

/// The keys with a place of their own in an Experiment. None says its default: it is what a fresh Experiment has,
/// where that is legal.
std::vector<ExperimentKey> plain_keys() {
  using E = Experiment;
  using O = OptimizerChoice;
  const Interval positive{.low = 0, .low_open = true};
  std::vector<ExperimentKey> keys = {
      plain("", "name", &E::name, "name of the experiment; without -o the result is results/NAME.h5"),
      plain("", "seed", &E::seed, "seed of every random number", {{.low = 0}}),

      selector("classes", "spectrum", spectrum_catalogue(), "how often each class occurs"),

      selector("embedding", "kind", embedding_catalogue(),
               "embeddings of queries and answers; [embedding.query] and [embedding.answer] set them apart"),

      selector("data", "mode", data_mode_catalogue(),
               "what the gradient is taken of; what is measured is always of the population"),
      plain("data", "label_noise", &E::label_noise,
            "α: this part of the answers is drawn uniformly from all K answers",
            {{.low = 0, .high = 1, .high_open = true}}),
      with_words(
          "data", "recovered", two_words(&E::removes_recovered, "kept", "removed"),
          "what facts whose right logit is strictly the largest add to the gradient. kept: what every fact adds. "
          "removed: nothing, the thresholded gradient of kim2026",
          {"kept", "removed"}),

      plain("run", "steps", &E::steps, "how many updates; step t is the state after t of them",
            {{.low = 1, .high = most_steps}}),
      with_words(
          "run", "engine", engine_codec(),
          "how the state is held; auto takes the cheapest one that is exact, or quadrature where an exact run of "
          "distinct classes would take more than a second; one that would not be exact is refused",
          {"auto", "symmetric", "quadrature", "columns", "dense"}),
      with_words(
          "run", "nodes", nodes_codec(),
          "nodes that stand for all distinct classes in a quadrature; auto doubles them until quadrature_tolerance is "
          "met",
          {"auto"}, fmt::format("a whole number from {} to {}", least_nodes, most_nodes)),
      plain("run", "quadrature_tolerance", &E::quadrature_tolerance,
            "largest certified relative error at which a quadrature counts as done",
            {{0, largest_certificate, true, false}}),
      with_words(
          "run", "record", record_codec(),
          "which steps are recorded; log: about 16 for every factor of ten. Step 0 and the last step always are",
          {"all", "log"}, "{every = 10}, or a list of steps such as [0, 1, 5, 200]"),
      with_words(
          "run", "classes", classes_codec(),
          "rows of the per-class results: a group of equally likely classes each (in a quadrature a node each), all "
          "classes, or those of a list: ranks, 1 the most frequent, \"last\", and \"99%\", the class at that "
          "percentile of the probability mass",
          {"groups", "all"}, "a list of classes such as [1, 1000, \"99%\", \"last\"]"),
      plain(
          "run", "spectral_metrics", &E::spectral_metrics,
          "measure the singular values of update and weight at recorded steps; auto: where the singular value problem "
          "has at most 128 rows (with 50 digits: 32)",
          {{}, {"auto", "on", "off"}}),
      plain(
          "run", "precision", &E::precision,
          "significant digits of the computation: 16 are those of a double, 50 are for the engine symmetric alone and "
          "some 200 times slower (muon with 64 groups: 3000 times); results are doubles, rounded at the end",
          {{}, {"16", "50"}}),
      plain(
          "run", "rho_epsilon", &E::rho_epsilon,
          "ε of ϱ: at recorded steps the least p̂ of any class is measured once a multiple of W retrieves the best "
          "class with probability 1-ε; 0: not measured",
          {{.low = 0, .high = 0.5, .high_open = true}}),
      plain(
          "run", "push", &E::push,
          "measure at recorded steps how much the next update raises the right logit of each class, per unit of step size"),

      selector("optimizer", "rule", optimizer_catalogue(), "the update rule D"),
      plain("optimizer", "name", &O::name, "label in the results; default: the rule"),
      row("optimizer", "step_size", Kind::number, step_size_codec(),
          "η in W ← W - η D; or a search: n step sizes from low to high in equal ratios are all run, and the result "
          "shows the one with the least value at the last step (a run that diverges counts as infinite, of equal ones "
          "the smaller step size wins)",
          {positive,
           {},
           fmt::format(
               "{{search = [low, high, n], minimise = \"loss\"}} with 0 < low < high, n from 2 to {:g}, minimise one of {}",
               most_searched, joined(searched_quantities()))}),
      plain("optimizer", "schedule", &O::schedule,
            fmt::format("the step size η_t of update t: {}. The first update has t = 0, T is run.steps",
                        schedule_formulas()),
            {{}, names_of(schedule_catalogue())}),
      row("optimizer", "schedule_offset", Kind::number, offset_codec(),
          "t0 of the schedule inverse_sqrt; the others have none", {positive}),
  };
  for (ExperimentKey& key : keys) key.uses.front().parameter.optional = key.name() == "optimizer.name";
  return keys;
}

void fill_defaults(std::vector<ExperimentKey>& keys) {
  Experiment fresh;
  fresh.optimizers.resize(1);
  for (const Part& part : parts_of(fresh)) {
    for (ExperimentKey& key : keys) {
      Parameter& parameter = key.uses.front().parameter;
      if (key.table == part.table) parameter.default_value = legal_value(key.codec.write(part), parameter);
    }
  }
}

/// The parameters of a catalogue's rows as keys of a table.
template <class Row>
void add_parameters(const std::string& table, const std::vector<Row>& rows,
                    std::vector<ExperimentKey>& keys) {
  const auto begin = static_cast<std::ptrdiff_t>(keys.size());
  for (const Row& row : rows) {
    for (const Parameter& parameter : row.parameters) {
      const auto key = std::find_if(keys.begin() + begin, keys.end(), [&](const ExperimentKey& one) {
        return one.last_name() == parameter.name;
      });
      if (key == keys.end()) {
        keys.push_back({table, {{{row.name}, parameter}}});
        continue;
      }
      const auto use = std::find_if(key->uses.begin(), key->uses.end(),
                                    [&](const KeyUse& one) { return same_use(one.parameter, parameter); });
      if (use == key->uses.end()) {
        key->uses.push_back({{row.name}, parameter});
      } else {
        use->owners.push_back(row.name);
      }
    }
  }
}

std::vector<ExperimentKey> all_keys() {
  std::vector<ExperimentKey> plain = plain_keys(), keys;
  fill_defaults(plain);
  for (const ExperimentTable& table : experiment_tables()) {
    std::copy_if(plain.begin(), plain.end(), std::back_inserter(keys),
                 [&](const ExperimentKey& key) { return key.table == table.name; });
    if (table.name == "classes") add_parameters(table.name, spectrum_catalogue(), keys);
    if (table.name == "embedding") add_parameters(table.name, embedding_catalogue(), keys);
    if (table.name == "data") add_parameters(table.name, data_mode_catalogue(), keys);
    if (table.name == "optimizer") add_parameters(table.name, optimizer_catalogue(), keys);
  }
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

std::vector<Part> parts_of(Experiment& e, bool both_sides) {
  const auto side = [&](const std::string& name, Component& component) {
    return Part{name, name.substr(0, name.find('.')), &e, &component.kind, &component.parameters};
  };
  std::vector<Part> parts = {{"", "", &e}, side("classes", e.spectrum)};
  if (both_sides) {
    parts.push_back(side("embedding", e.query_embedding));
  } else {
    parts.push_back(side("embedding.query", e.query_embedding));
    parts.push_back(side("embedding.answer", e.answer_embedding));
  }
  parts.push_back({"data", "data", &e, &e.data_mode, &e.data_parameters});
  parts.push_back({"run", "run", &e});
  for (OptimizerChoice& one : e.optimizers)
    parts.push_back({"optimizer." + one.name, "optimizer", &e, &one.rule, &one.parameters, &one});
  return parts;
}

}  // namespace rarefact
