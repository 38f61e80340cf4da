#pragma once

/// Experiments the laws loop over: every rule, the spectra and embeddings small enough for the dense engine.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "experiment/read.hpp"
#include "model/answer_law.hpp"
#include "optim/update_rule.hpp"
#include "rarefact/error.hpp"
#include "reference/complete_rules.hpp"
#include "reference/with_defaults.hpp"
#include "sim/simulate.hpp"

namespace laws {

using namespace rarefact;

/// K = 12 to 30, group sizes multiples of 3 where block_rotation needs them.
inline std::vector<ChosenRow> spectra() {
  return {{"two_level", {{"count", 30.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}},
          {"dyadic", {{"levels", std::int64_t{4}}}},
          {"power_law", {{"count", 12.0}, {"exponent", 1.2}}},
          {"uniform", {{"count", 12.0}}},
          {"grouped_power_law", {{"groups", 4.0}, {"group_size", 6.0}, {"exponent", 1.5}}}};
}

inline ChosenRow embedding(const std::string& kind, ParameterValues given = {}) {
  return {kind, with_defaults(embedding_row(kind).parameters, std::move(given))};
}

inline Matrix matrix_of(const StoredMatrix& x) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(x.entries.data(), static_cast<Index>(x.rows),
                                    static_cast<Index>(x.columns));
}

inline ChosenRow power_law(double count, double exponent = 1) {
  return {"power_law", {{"count", count}, {"exponent", exponent}}};
}

inline ChosenRow law_of(const std::string& law, ParameterValues given) {
  return {law, with_defaults(answer_law_row(law).parameters, std::move(given))};
}

/// A step size at which 24 steps learn something. Muon with correlated embeddings stops short of the 2-cycle
/// of label noise: there every cycle multiplies the difference between classes that should be equal by η over
/// the distance to the minimum (80 was seen), whichever engine, and rounding is a difference.
inline double lively_step_size(const std::string& rule, bool correlated) {
  if (rule == "gd" || rule == "momentum") return 3.1;
  if (rule == "newton") return 0.02;  // a whole step would take every margin to K
  return rule == "muon" && correlated ? 0.2 : 0.405;
}

inline Experiment experiment(const ChosenRow& spectrum, const ChosenRow& query, const ChosenRow& answer,
                             double noise, const OptimizerRow& rule) {
  Experiment e;
  e.name = "law";
  e.spectrum = spectrum;
  e.query_embedding = query;
  e.answer_embedding = answer;
  e.label_noise = noise;
  e.steps = 24;
  e.classes.kind = ClassRule::Kind::all;
  e.spectral_metrics = e.digits = "off";
  const bool correlated =
      embedding_row(query.kind).equicorrelated || embedding_row(answer.kind).equicorrelated;
  e.optimizers = {
      {rule.name, rule.name, lively_step_size(rule.name, correlated), with_defaults(rule.parameters, {})}};
  return e;
}

inline Experiment identity_run(const ChosenRow& spectrum, const OptimizerRow& rule, double noise = 0) {
  return experiment(spectrum, embedding("identity"), embedding("identity"), noise, rule);
}
inline Experiment identity_run(const ChosenRow& spectrum, const std::string& rule, double noise = 0) {
  return identity_run(spectrum, optimizer_row(rule), noise);
}

inline Spectrum classes_of(const Experiment& e) {
  return spectrum_of(e.spectrum.kind, e.spectrum.parameters, {});
}

/// The embeddings of so many classes.
inline Matrix array_of(const ChosenRow& side, Index classes, const std::string& stream,
                       std::uint64_t seed = 1) {
  return embedding_row(side.kind).make(side.parameters, {.classes = classes, .seed = seed, .stream = stream});
}

/// The dense run with these embeddings as files: no symmetry is known.
inline Result of_arrays(Experiment e, const Matrix& query, const Matrix& answer) {
  e.engine = "dense";
  e.query_embedding = {"file", {{"path", std::string("query")}}};
  e.answer_embedding = {"file", {{"path", std::string("answer")}}};
  return simulate(e, {{}, [&](const std::string& path) { return path == "query" ? query : answer; }}, 1);
}

/// The same run with its embeddings written out, dense in the coordinates of W.
inline Result written_out(const Experiment& e) {
  const auto classes = static_cast<Index>(classes_of(e).classes);
  return of_arrays(e, array_of(e.query_embedding, classes, "query"),
                   array_of(e.answer_embedding, classes, "answer"));
}

/// Whether an engine claims to hold the run.
inline bool takes(const Experiment& e, const std::string& engine) {
  const Spectrum spectrum = classes_of(e);
  return std::ranges::any_of(row_named(engine_catalogue(), engine, "engine").ways, [&](Way way) {
    return first_refusal({e, spectrum, e.optimizers.front()}, way).requirement == nullptr;
  });
}

/// The engines of the optimizers. InputError where none takes them, in so much memory.
inline std::vector<EngineChoice> chosen_engines(const Experiment& e, double memory_limit_bytes = 1e10) {
  const Setup setup = resolve(e, {});
  raise(memory_problems(e, setup, memory_limit_bytes, 1));
  return setup.engines;
}

/// The run on an engine; "50 digits" are those of the engine symmetric.
inline Result on_engine(Experiment e, const std::string& engine, const FileReaders& readers = {}) {
  const bool precise = engine == "50 digits";
  if (precise) e.precision = 50;
  e.engine = precise ? "symmetric" : engine;
  return simulate(e, readers, 1);
}

/// The run that a file describes, without its name.
inline Result run_of_text(const std::string& text, const FileReaders& readers = {}) {
  return simulate(parse_experiment("name = 'it'\n" + text, "it.toml"), readers, 1);
}

/// Why no engine takes an experiment; empty where one does.
inline std::string refusal(const Experiment& e, double memory_limit_bytes = 1e10) {
  try {
    chosen_engines(e, memory_limit_bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A rule with its defaults, and with each other choice that changes what it computes.
inline std::vector<ParameterValues> variants(const OptimizerRow& rule) {
  std::vector<ParameterValues> all = {with_defaults(rule.parameters, {})};
  for (const Parameter& parameter : rule.parameters) {
    for (const std::string& choice : parameter.choices) {
      if (parameter.default_value != Value(choice))
        all.push_back(with_defaults(rule.parameters, {{parameter.name, choice}}));
    }
    if (parameter.name == "momentum_order")
      all.push_back(with_defaults(rule.parameters, {{"momentum_order", "after"}, {"momentum", 0.5}}));
    if (parameter.name == "smoothing" || parameter.name == "damping")
      all.push_back(with_defaults(rule.parameters, {{parameter.name, 0.002}}));
    if (parameter.name == "epsilon") all.push_back(with_defaults(rule.parameters, {{"epsilon", 0.0}}));
  }
  return all;
}

inline const Trajectory& only_trajectory(const Result& result) {
  return result.runs.at(0).trajectories.at(0);
}

inline const std::vector<double>& series(const Result& result, const std::string& name) {
  return only_trajectory(result).series.at(name);
}

/// Every number of x beside that of y; those below 1e-300 alike.
inline void check_close(const std::vector<double>& x, const std::vector<double>& y, double tolerance) {
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    CHECK(x[i] == Approx(y[i]).epsilon(tolerance).margin(1e-300));
  }
}

/// What is predicted beside what is measured.
inline void check_predicted(const Result& result, const std::vector<std::string>& names, double tolerance) {
  for (const std::string& name : names) {
    CAPTURE(name);
    check_close(series(result, name + "_predicted"), series(result, name), tolerance);
  }
}

/// Largest difference of the measured error, class loss, loss and excess loss, relative to the value or,
/// below it, to `floor`: where a trajectory has come down to 1e-7 its logits still carry the rounding of
/// numbers of order 1.
inline double distance(const Result& a, const Result& b, double floor = 1e-3) {
  double worst = 0;
  for (const char* name : {"error", "class_loss", "loss", "excess_loss"}) {
    const auto& x = only_trajectory(a).series.at(name);
    const auto& y = only_trajectory(b).series.at(name);
    if (x.size() != y.size()) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double difference = std::abs(x[i] - y[i]) / std::max(std::abs(x[i]), floor);
      if (!(difference <= worst))
        worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
  }
  return worst;
}

/// True if rounding decides which singular values of the update, or of W, are 0.
inline bool rank_is_unclear(const Result& result, const std::string& measure, std::size_t step) {
  const auto& all = only_trajectory(result).series;
  const auto least = all.find(measure.substr(0, measure.find('_')) + "_condition_ratio");
  return least != all.end() && least->second.at(step) < 1e-6;  // Newton-Schulz lifts them
}

/// The largest difference of any number beside the largest of its series. A series that is off is named beside failures.
inline double largest_difference(const Result& x, const Result& y) {
  if (only_trajectory(x).status != only_trajectory(y).status) return INFINITY;
  double worst = 0;
  for (const auto& [name, values] : only_trajectory(x).series) {
    const auto& others = only_trajectory(y).series;
    if (others.count(name) == 0) continue;
    // Of arrays nobody knows that they are orthonormal, and dense runs do not merge identical classes.
    const bool known_to_one = name == "twin_gain" || name == "nds_effective";
    // Arrays that happen to be orthonormal have the prediction of any embeddings.
    const auto source = [&](const Result& result) { return find_row(result.variables, name)->source; };
    if (name.find("_predicted") != std::string::npos && source(x) != source(y)) continue;
    const std::vector<double>& other = others.at(name);
    if (values.size() != other.size()) return INFINITY;
    double size = name == "rho_deficit" ? 1 : 0.05;  // differences of classes may be rounding alone
    for (const double v : values) size = std::max(size, std::isfinite(v) ? std::abs(v) : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int unknown = std::isnan(values[i]) + std::isnan(other[i]);
      if (values[i] == other[i] || unknown == 2 || (known_to_one && unknown == 1)) continue;
      if (rank_is_unclear(x, name, i) || rank_is_unclear(y, name, i)) continue;
      const double off = std::abs(values[i] - other[i]) / size;
      if (off <= worst) continue;
      worst = std::isnan(off) ? INFINITY : off;
      if (worst > 1e-11) UNSCOPED_INFO(name << "[" << i << "]: " << values[i] << " and " << other[i]);
    }
  }
  return worst;
}

}  // namespace laws
