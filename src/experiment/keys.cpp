#include "experiment/keys.hpp"

#include "core/transform.hpp"
#include "experiment/step_sizes.hpp"
#include "model/answer_law.hpp"
#include "model/sampler.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

// In special_keys.cpp: keys with forms of their own.
Codec::Read read_nodes, read_record, read_classes, read_top, read_bands, read_step_size, read_schedule,
    read_weight_decay;
Codec::Write write_nodes, write_record, write_classes, write_top, write_bands, write_step_size,
    write_schedule, write_weight_decay;

namespace {

/// The catalogue rows that own keys of a table; empty if there are none.
std::vector<CatalogueRow> rows_of_table(const std::string& table) {
  const auto plain = [](const auto& rows) { return std::vector<CatalogueRow>(rows.begin(), rows.end()); };
  if (table == "classes") return plain(spectrum_catalogue());
  if (table == "answers") return plain(answer_law_catalogue());
  if (table == "embedding") return plain(embedding_catalogue());
  if (table == "init") return plain(start_catalogue());
  if (table == "data") return plain(data_mode_catalogue());
  if (table == "optimizer") return plain(optimizer_catalogue());
  return {};
}

constexpr double max_test_draws = 1e7;

/// Close to the largest 64-bit integer.
constexpr double max_steps = 9e18;

bool same_meaning(const Parameter& a, const Parameter& b) {
  const auto parts = [](const Parameter& p) {
    return std::tie(p.kind, p.meaning, p.default_value, p.legal.low, p.legal.high, p.legal.low_open,
                    p.legal.high_open, p.unit, p.choices, p.optional, p.family);
  };
  return parts(a) == parts(b);
}

/// "constant: η_t = η; ..."
std::string schedule_formulas() {
  const auto formula = [](const ScheduleRow& row) { return fmt::format("{}: {}", row.name, row.formula); };
  return joined(mapped(schedule_catalogue(), formula), "; ");
}

/// "NAME (meaning), ..."
template <class Rows>
std::string with_meanings(const Rows& rows) {
  return joined(mapped(rows, [](const auto& row) { return fmt::format("{} ({})", row.name, row.meaning); }));
}

std::string step_size_meaning() {
  return fmt::format(
      "η in W ← W - η D: a number, or an expression of {}; or a search: n step sizes from low to high (0 < low < high, "
      "n from 2 to {:g}) in equal ratios are all run, and the result shows the one that minimises {}. A run that diverges "
      "counts as infinite; among equal ones the smaller step size wins",
      with_meanings(problem_numbers()), max_searched, with_meanings(search_criteria()));
}

using P = const Section&;

/// The legal values of a plain key, apart from its type.
struct Legal {
  Interval interval = {};
  std::vector<std::string> choices = {};
  std::string other_forms = {};
  std::string symbol = {};
  bool (*written)(P) = nullptr;  ///< true if the canonical text has the key; null: always
  bool optional = false;         ///< without a default
  bool if_changed = false;       ///< the canonical text has the key if it differs from its default
};

template <class T>
constexpr Kind kind_of = std::is_same_v<T, bool>           ? Kind::boolean
                         : std::is_same_v<T, std::int64_t> ? Kind::integer
                         : std::is_same_v<T, double>       ? Kind::number
                                                           : Kind::text;

ExperimentKey row(const std::string& table, const std::string& name, Kind kind, Codec codec,
                  const std::string& meaning, const Legal& legal) {
  const Parameter parameter{
      .name = name,
      .kind = kind,
      .meaning = meaning,
      .legal = legal.interval,
      .choices = legal.choices,
      .optional = legal.optional || (table == "optimizer" && (name == "name" || name == "include")),
      .symbol = legal.symbol};
  if (legal.written) codec.written = legal.written;
  return {table, {{{}, parameter}}, std::move(codec), legal.other_forms};
}

template <class T, class Place>
std::function<Codec::Read> read_into(Place place) {
  return [place](const ConfigNode& setting, const ExperimentKey& key, Section& section,
                 ProblemList& problems) {
    const auto value =
        read_value(setting, section.key_in_messages(key.last_name()), key.uses.front().parameter, problems);
    if (value) place(section) = std::get<T>(*value);
  };
}

template <class T, class Place>
Codec value_in(Place place) {
  return {read_into<T>(place), [place](P section) { return ConfigNode{place(section)}; }};
}

template <class Owner, class T>
ExperimentKey plain(const std::string& table, const std::string& name, T Owner::*field,
                    const std::string& meaning, const Legal& legal = {}) {
  const auto place = [field](const Section& section) -> T& {
    if constexpr (std::is_same_v<Owner, Experiment>) {
      return section.experiment->*field;
    } else if constexpr (std::is_same_v<Owner, LeastSquares>) {
      return section.experiment->squares.*field;
    } else {
      return section.optimizer->*field;
    }
  };
  ExperimentKey key = row(table, name, kind_of<T>, value_in<T>(place), meaning, legal);
  key.of_squares = std::is_same_v<Owner, LeastSquares>;
  if (legal.if_changed)
    key.codec.written = [place, usual = Owner().*field](P section) { return place(section) != usual; };
  else if (key.of_squares)
    key.codec.written = [](P section) { return section.experiment->loss->of_outputs; };
  return key;
}

void read_loss(const ConfigNode& setting, const ExperimentKey& key, Section& section, ProblemList& problems) {
  const auto name = read_value(setting, key.name(), key.uses.front().parameter, problems);
  if (name) section.experiment->loss = &loss_row(std::get<std::string>(*name));
}

ConfigNode write_loss(const Section& section) {
  return {section.experiment->loss->name};
}

std::string loss_formulas() {
  return joined(mapped(loss_catalogue(), [](const LossRow& row) { return row.name + ": " + row.formula; }),
                ". ");
}

/// The codec of a number that is in the canonical text only if it is given.
template <class Place>
Codec if_given(Place place) {
  return {read_into<std::int64_t>(place),
          [place](P section) { return ConfigNode{place(section).value_or(0)}; },
          [place](P section) { return place(section).has_value(); }};
}

ExperimentKey seed_key(const std::string& table, const std::string& drawn) {
  return row(table, "seed", Kind::integer, if_given([](P section) -> OwnSeed& { return *section.seed; }),
             fmt::format("seed of {}; without it that of the run", drawn),
             {.interval = {.low = 0}, .optional = true});
}

/// `include` has been processed before keys are read.
void refuse_include(const ConfigNode& setting, const ExperimentKey&, Section&, ProblemList& problems) {
  problems.add(setting.place, "optimizer.include: expected a string in the experiment file itself");
}

/// The key that chooses among the rows of a catalogue.
ExperimentKey selector(const std::string& table, const std::string& name, const std::string& meaning) {
  const auto place = [](P section) -> std::string& { return *section.row; };
  ExperimentKey key = row(table, name, Kind::text, value_in<std::string>(place), meaning,
                          {{}, names_of(rows_of_table(table))});
  key.selects = true;
  return key;
}

/// The keys with a member in Experiment. Their default is the initial value of the member, if that is legal.
std::vector<ExperimentKey> plain_keys() {
  using E = Experiment;
  using O = OptimizerChoice;
  using S = LeastSquares;
  const Interval positive{.low = 0, .low_open = true};
  return {
      plain(
          "", "name", &E::name,
          "name of the experiment, at most 200 bytes without / and no dot first; without -o the result is results/NAME.h5"),
      plain(
          "", "seed", &E::seed,
          "seed of every random number without a seed of its own, at most 2^63 - 1. Runs that differ only in seeds share a cell of tables",
          {{.low = 0}}),

      row("model", "loss", Kind::text, {read_loss, write_loss},
          "the loss that training minimises. " + loss_formulas(), {{}, names_of(loss_catalogue())}),
      plain("model", "measurement", &S::measurement,
            "the measurement of an answer. vector: all of y. bilinear: uᵀy + σ_y ξ with a new standard "
            "normal u for every sample; only with Gaussian queries",
            {{}, {"vector", "bilinear"}}),

      plain(
          "model", "factors", &E::factors,
          "W is one matrix, or the product U V of two (2), each moved by the rule with a state of its own: their "
          "gradients are ∇L Vᵀ and Uᵀ∇L. Needs a start other than zero (init.kind)",
          {.interval = {.low = 1, .high = 2}, .if_changed = true}),
      row("model", "inner", Kind::integer,
          if_given([](P section) -> auto& { return section.experiment->inner; }),
          "the columns of U and rows of V; default: the number of answers K",
          {.interval = {.low = 1, .high = 1e6}, .symbol = "r", .optional = true}),
      plain(
          "model", "train_gains", &E::train_gains,
          "train the gains of queries that are sums of attributes, one for every value of an attribute: by gradient "
          "descent under gd, by normalised gradient descent under muon",
          {.if_changed = true}),

      selector("classes", "spectrum", "how often each class occurs"),

      selector("answers", "law",
               "which answers every query has; classes are queries, or answers under fan_in; counts has no "
               "[classes]"),

      seed_key("answers", "drawn answers"),

      selector("embedding", "kind",
               "embeddings of queries and answers; [embedding.query] and [embedding.answer] set them "
               "separately"),

      seed_key("embedding", "drawn embeddings"),
      plain(
          "embedding", "tied", &E::tied,
          "queries and answers share one drawn matrix, Ẽ = E; both must have the same kind and parameters. Otherwise "
          "orthogonal, equicorrelated, toeplitz, noisy, gaussian and sphere draw two independent matrices, and "
          "block_rotation has other default angles for answers",
          {.written =
               [](P section) { return section.experiment->tied && section.name != "embedding.answer"; }}),

      selector("init", "kind", "where training starts: W(0)"),
      seed_key("init", "a drawn start"),

      selector("data", "mode", "data for the gradient; losses and errors are always exact population values"),
      plain("data", "label_noise", &E::label_noise,
            "α: this fraction of the answers is drawn uniformly from all K answers",
            {.interval = {.low = 0, .high = 1, .high_open = true}, .symbol = "α"}),
      seed_key("data", "samples"),
      plain(
          "data", "sampling_exponent", &E::sampling_exponent,
          "τ: training draws query l with probability p_l^τ/Σ_j p_j^τ, and what is measured stays a mean by p. 0: all queries "
          "alike (class-balanced); ½: square-root sampling",
          {.interval = {.low = -10, .high = 10}, .symbol = "τ", .if_changed = true}),
      plain("data", "noise_answers", &E::noise_answers,
            "the distribution of noisy answers (softmax, label_noise > 0). uniform: all K equally likely. "
            "frequency: as often as queries have them",
            {.choices = {"uniform", "frequency"}, .if_changed = true}),
      plain(
          "data", "recovered", &E::recovered,
          "gradient of recovered facts, which have a right logit above every wrong one. kept: like that of all "
          "facts. removed: zero, the thresholded gradient of kim2026",
          {{}, {"kept", "removed"}}),
      plain("data", "queries", &S::queries,
            "for least squares, the input x of W. facts: μE_l + σz with probability p_l, the answer y = Ẽ_k "
            "with probability π(k|l). gaussian: normal with covariance Σ_l p_l E_l E_lᵀ + σ²I, the answer y "
            "= W*x + σ_y ξ, W* as [target] says. z, ξ standard normal",
            {{}, {"facts", "gaussian"}}),
      plain("data", "query_scale", &S::query_scale,
            "μ: length of the part of x that identifies the fact, of the queries facts",
            {.interval = positive, .symbol = "μ"}),
      plain("data", "query_noise", &S::query_noise, "σ: normal noise in every coordinate of x",
            {.interval = {.low = 0}, .symbol = "σ"}),
      plain("data", "answer_noise", &S::answer_noise, "σ_y: normal noise in the answers of Gaussian queries",
            {.interval = {.low = 0}, .symbol = "σ_y"}),

      plain(
          "target", "directions", &S::directions,
          "W*. aligned: Ẽ diag(c (l + q)^-β) Eᵀ. random: W*E_l has length c (l + q)^-β and a uniformly random direction; l "
          "is the rank of a class",
          {{}, {"aligned", "random"}}),
      plain("target", "exponent", &S::exponent, "β; if negative, rare classes have longer columns",
            {.symbol = "β"}),
      plain("target", "shift", &S::shift, "q in the lengths c (l + q)^-β of the target",
            {.interval = {.low = -1, .low_open = true}, .symbol = "q", .if_changed = true}),
      plain("target", "scale", &S::scale, "c in the lengths c (l + q)^-β of the target",
            {.interval = positive, .symbol = "c", .if_changed = true}),

      plain("run", "steps", &E::steps, "number of updates; step t is the state after t updates",
            {.interval = {.low = 1, .high = max_steps}, .symbol = "T"}),
      plain("run", "fast_forward", &E::fast_forward,
            "auto: in runs of more than 1e6 steps many updates are made at once while they hardly change "
            "anything (rules gd, momentum and ngd, engines columns and quadrature, exact gradients); off: "
            "one by one",
            {.choices = {"auto", "off"},
             .written =
                 [](P section) {
                   return section.experiment->many_steps() || section.experiment->fast_forward != "auto";
                 }}),
      plain("run", "engine", &E::engine,
            "how the state is stored; auto takes the cheapest exact engine, or quadrature if an exact run of "
            "distinct classes would take more than five seconds; engines that would not be exact are refused",
            {{}, {"auto", "symmetric", "quadrature", "columns", "modes", "dense"}}),
      row("run", "nodes", Kind::text, {read_nodes, write_nodes},
          "nodes that represent all distinct classes in a quadrature; if stored as columns, half as many for every "
          "doubling of the rank; auto doubles them until quadrature_tolerance is met",
          {{}, {"auto"}, fmt::format("an integer from {} to {}", min_nodes, max_nodes)}),
      plain("run", "quadrature_tolerance", &E::quadrature_tolerance,
            "largest acceptable estimated relative error of a quadrature",
            {{0, largest_certificate, true, false}}),
      row("run", "record", Kind::text, {read_record, write_record},
          "which steps are recorded; log: about 16 for every factor of ten. Step 0 and the last step always are",
          {{}, {"all", "log"}, "{every = 10}, {log = 50}, or a list of steps such as [0, 1, 5, 200]"}),
      row("run", "classes", Kind::text, {read_classes, write_classes},
          "rows of the per-class results: one for each group of equally likely classes, or the nodes of a quadrature if "
          "a smooth spectrum has more than 4,096 groups; all classes; or a list of ranks, 1 the most frequent, ties as in "
          "the spectrum (for counts from a file, except under the law fan_in, rows of the table, 1 the first), \"last\", the least frequent, and "
          "\"99%\", the class at that percentile of the probability mass",
          {{}, {"groups", "all"}, "a list of classes such as [1, 1000, \"99%\", \"last\"]"}),
      row("run", "top", Kind::numbers, {read_top, write_top},
          "measure at recorded steps how often the right answer is not among those with the k largest logits, for each k of "
          "a list: top_error_k of every class row, and total_top_error_k",
          {.interval = {.low = 1},
           .written = [](P section) { return !section.experiment->top.empty(); },
           .optional = true}),
      row("run", "bands", Kind::text, {read_bands, write_bands},
          "measure at recorded steps the plain mean of error, class loss and top-k errors over bands of classes, and over "
          "medium, all others. A condition is made of comparisons with rank (1 the most frequent) or occurrences (counts "
          "of a file, else data.size times the probability), joined by and; K is the number of classes",
          {.other_forms = "conditions by name, such as {many = \"rank <= 100\", few = \"occurrences < 20\"}",
           .written = [](P section) { return !section.experiment->bands.empty(); },
           .optional = true}),
      plain(
          "run", "spectral_metrics", &E::spectral_metrics,
          "measure the singular values of update and weight at recorded steps; cheap: if the singular value problem "
          "has at most 128 rows (with 50 digits: 32), and they should take at most as long as the rest, or 2 ms; auto: "
          "the same, or less than half a second, but in a sweep of more than 16 points cheap",
          {{}, {"auto", "cheap", "on", "off"}}),
      plain(
          "run", "digits", &E::digits,
          "measure how many digits rounding leaves of loss, excess loss and error, by a repetition of each run "
          "with random rounding, or three where it leaves fewer than 10 or W has a side of at most 4; auto: if three should take less than 0.3 "
          "seconds of processor time, or update_rank grows beyond its first value; noted: the same, for runs "
          "that show a sign of lost digits. In a sweep of more than 16 points auto acts as noted at seven of eight points",
          {{}, {"auto", "noted", "on", "off"}}),
      plain("run", "precision", &E::precision,
            "significant digits of the computation: 16 are those of a double, 50 are for the engine "
            "symmetric only and some 200 times slower (muon with 64 groups: 3000 times); results are "
            "doubles, rounded at the end",
            {{},
             mapped(std::span(precisions),
                    [](const Precision& precision) { return std::to_string(precision.digits); })}),
      plain("run", "arithmetic", &E::arithmetic,
            "single: products with embeddings, and exponentials, in single precision, for runs dominated by "
            "them; sums, W and its updates remain doubles, and six digits are left (see run.digits). Only "
            "for the engine dense",
            {.choices = {"double", "single"}, .if_changed = true}),
      plain(
          "run", "rho_epsilon", &E::rho_epsilon,
          "ε of ϱ: at recorded steps the least p̂ of any class is measured once a multiple of W retrieves the best "
          "class with probability 1-ε; 0: not measured",
          {.interval = {.low = 0, .high = 0.5, .high_open = true}, .symbol = "ε"}),
      plain(
          "run", "test_noise", &E::test_noise,
          "σ: measure at recorded steps how often the right answer has the largest logit for noisy test queries E_l + σz, z "
          "standard normal, as robust_top1 of every class row and total_robust_top1; 0: not measured. An integral for "
          "orthonormal embeddings where a column of logits has two numbers, else by run.test_draws on the engine dense",
          {.interval = {.low = 0}, .symbol = "σ", .if_changed = true}),
      plain(
          "run", "test_draws", &E::test_draws,
          "draws of the noise of test queries, at least 2, the same at every step, only on the engine dense; robust_top1 then has "
          "a standard error. 0: the integral",
          {.interval = {.low = 0, .high = max_test_draws}, .if_changed = true}),
      plain(
          "run", "push", &E::push,
          "measure at recorded steps how much the next update raises the right logit of each class, per unit of step size"),
      plain(
          "run", "curvature", &E::curvature,
          "measure at recorded steps the loss along the next update: first-order gain, curvature penalty, remainder, and "
          "the normalised directional sharpness",
          {.if_changed = true}),
      plain("run", "alignment", &E::alignment,
            "measure at recorded steps how much of the next update is along the polar factor of the "
            "population's gradient, which costs a polar factor; not on the engines columns and quadrature, "
            "nor with samples on symmetric"),

      plain(
          "run", "weights", &E::weights,
          "store W of the last step as the dataset weights, so that another run can start there (init.path); "
          "only the engine dense has all entries",
          {.if_changed = true}),

      selector("optimizer", "rule", "the update rule D"),
      plain("optimizer", "name", &O::name,
            "label in the results, without a part such as param between dots; default: the rule"),
      row("optimizer", "include", Kind::text, {refuse_include, [](P) { return ConfigNode{std::string()}; }},
          "an experiment file with one optimizer, relative to this file, whose keys are used unless given "
          "here; only in the experiment file, once for each optimizer",
          {.written = [](P) { return false; }}),
      row("optimizer", "step_size", Kind::number, {read_step_size, write_step_size}, step_size_meaning(),
          {positive,
           {},
           "\"2/p_max\", or {search = [low, high, n], minimise = \"loss\"} of numbers or expressions",
           "η"}),
      row("optimizer", "schedule", Kind::text, {read_schedule, write_schedule},
          fmt::format(
              "the step size η_t of update t: {}. The first update has t = 0, T is run.steps. Or η_t/η as an "
              "expression of step (t), steps (T) and pi, with + - * / **, where(step < 100, a, b), min, max, "
              "sqrt, exp, log, abs, cos, sin",
              schedule_formulas()),
          {{}, names_of(schedule_catalogue()), "an expression such as \"(1 - step/steps)**2\""}),
      plain("optimizer", "schedule_offset", &O::schedule_offset,
            "t0 of the schedule inverse_sqrt; the others have none",
            {.interval = positive,
             .symbol = "t₀",
             .written = [](P section) { return section.optimizer->schedule == "inverse_sqrt"; }}),
      plain(
          "optimizer", "warmup", &O::warmup,
          "n updates before the schedule, fewer than run.steps: η_t = η (t+1)/n for t < n. In the schedule t and T "
          "are then t - n and T - n",
          {.interval = {.low = 0, .high = max_steps}, .if_changed = true}),
      row("optimizer", "weight_decay", Kind::number, {read_weight_decay, write_weight_decay},
          "λ in W ← (1 - η_t λ) W - η_t D: a number, or an expression like step_size. Not multiplied by lr_scale",
          {{.low = 0}, {}, "\"1/steps\"", "λ", [](P section) { return section.optimizer->decays(); }}),
      plain(
          "optimizer", "weight_decay_kind", &O::weight_decay_kind,
          "decoupled: as weight_decay says. coupled: W ← W - η_t D, and the rule sees the gradient ∇L + λW, that of "
          "L2 regularisation; not for newton",
          {.choices = {"decoupled", "coupled"}, .if_changed = true}),
  };
}

void fill_defaults(std::vector<ExperimentKey>& keys) {
  Experiment fresh;
  fresh.optimizers.resize(1);
  for (const Section& section : sections_of(fresh)) {
    for (ExperimentKey& key : keys) {
      Parameter& parameter = key.uses.front().parameter;
      if (key.table == section.table && !parameter.optional)
        parameter.default_value = legal_value(key.codec.write(section), parameter);
    }
  }
}

std::vector<ExperimentKey> parameter_keys(const std::string& table) {
  std::vector<ExperimentKey> keys;
  for (const CatalogueRow& row : rows_of_table(table)) {
    for (const Parameter& parameter : row.parameters) {
      auto key = std::ranges::find(keys, parameter.name, &ExperimentKey::last_name);
      if (key == keys.end()) key = keys.insert(key, {table, {}});
      auto use = std::ranges::find_if(
          key->uses, [&](const KeyUse& known) { return same_meaning(known.parameter, parameter); });
      if (use == key->uses.end()) use = key->uses.insert(use, {{}, parameter});
      use->owners.push_back(row.name);
    }
  }
  return keys;
}

std::vector<ExperimentKey> all_keys() {
  std::vector<ExperimentKey> plain = plain_keys(), keys;
  fill_defaults(plain);
  for (const ExperimentTable& table : experiment_tables()) {
    std::ranges::copy_if(plain, std::back_inserter(keys),
                         [&](const ExperimentKey& key) { return key.table == table.name; });
    const std::vector<ExperimentKey> owned = parameter_keys(table.name);
    keys.insert(keys.end(), owned.begin(), owned.end());
  }
  return keys;
}

}  // namespace

const std::vector<ExperimentKey>& experiment_keys() {
  static const std::vector<ExperimentKey> keys = all_keys();
  return keys;
}

}  // namespace rarefact
