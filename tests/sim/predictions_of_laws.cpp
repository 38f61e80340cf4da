// Predictions beside runs: of laws of answers, margins in closed form against all entries of a dense run; of random experiments.

#include <catch2/catch.hpp>
#include <map>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "sim/random_run.hpp"

using namespace laws;

namespace {

const ChosenRow grouped{"grouped_power_law", {{"groups", 3.0}, {"group_size", 4.0}, {"exponent", 1.0}}},
    power = power_law(10.0, 1.0), equal{"uniform", {{"count", 12.0}}};

ChosenRow fan_in(ParameterValues given) {
  return law_of("fan_in", std::move(given));
}

Experiment with(const ChosenRow& spectrum, const ChosenRow& law, const std::string& rule, double noise = 0,
                const ChosenRow& query = embedding("identity")) {
  Experiment e = experiment(spectrum, query, embedding("identity"), noise, optimizer_row(rule));
  e.answers = law;
  e.steps = 12;
  e.optimizers[0].step_size = rule == "newton" ? 0.1 : 0.4;
  e.engine = "dense";
  return e;
}

/// The largest relative difference of what is measured and predicted. Every variable has its prediction.
double difference(const Experiment& e, const std::string& suffix = "_predicted") {
  const Result result = simulate(e, {}, 1);
  const Trajectory& run = only_trajectory(result);
  REQUIRE(run.status == "complete");
  double worst = 0;
  for (const std::string name : {"error", "class_loss", "loss", "excess_loss"}) {
    const auto predicted = run.series.find(name + suffix);
    if (predicted == run.series.end()) return INFINITY;
    const std::vector<double>& measured = run.series.at(name);
    REQUIRE(predicted->second.size() == measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const double off = std::abs(predicted->second[i] / measured[i] - 1);
      worst = off <= worst ? worst : off;
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("of laws of answers the rows of GD and of signs are exact for every query type") {
  for (const auto& [spectrum, law] : {std::pair{grouped, fan_in({{"fan_in", 3.0}})},
                                      {grouped, fan_in({{"fan_in", 2.0}, {"within", 1.0}})},
                                      {grouped, fan_in({{"fan_in", std::vector<double>{1, 4}}})},
                                      {power, law_of("modulo", {{"count", 4.0}})},
                                      {power, law_of("hash", {{"count", 5.0}})},
                                      {grouped, law_of("right_set", {{"size", 3.0}})}}) {
    for (const double noise : {0.0, 0.2}) {
      for (const std::string rule : {"gd", "signgd", "tra_signgd"}) {
        Experiment e = with(spectrum, law, rule, noise);
        if (rule == "gd") e.optimizers[0].step_size = 20;
        CAPTURE(law.kind, rule, noise);
        CHECK(difference(e) < 1e-12);
      }
    }
  }
}

TEST_CASE("the flow of a law is the limit of small steps of GD") {
  Experiment e = with(grouped, law_of("right_set", {{"size", 3.0}}), "gd", 0.2);
  e.optimizers[0].step_size = 1;
  const double coarse = difference(e, "_predicted_flow");
  e.optimizers[0].step_size = 0.1;
  e.steps = 120;
  const double fine = difference(e, "_predicted_flow");
  CHECK(coarse < 0.05);
  CHECK(fine < coarse / 7);
}

TEST_CASE(
    "identical queries move together under GD, and Newton's margin depends on the right answers alone") {
  Experiment e = with(grouped, fan_in({{"fan_in", std::vector<double>{1, 4}}}), "gd", 0.1);
  e.optimizers[0].step_size = 10;
  CHECK(difference(e) < 1e-12);
  CHECK(difference(with(grouped, fan_in({{"fan_in", 3.0}}), "newton")) < 1e-11);
  CHECK(difference(with(grouped, law_of("right_set", {{"size", 3.0}}), "newton")) < 1e-11);
}

TEST_CASE("under Muon alike components are exact: η/√(rR) a step") {
  for (const double noise : {0.0, 0.3}) {
    CAPTURE(noise);
    CHECK(difference(with(equal, fan_in({{"fan_in", 3.0}}), "muon", noise)) < 1e-12);
    Experiment several = with(equal, law_of("right_set", {{"size", 3.0}}), "muon", noise);
    several.steps = 5;  // errors are above η/(η + 2√R): identical classes stay together
    CHECK(difference(several) < 1e-12);
    several.engine = "symmetric";
    several.steps = 60;
    CHECK(difference(several) < 1e-11);
  }
}

TEST_CASE("of n alike components Muon's margins are off by 1/n") {
  const auto off = [](double size) {
    Experiment e = with({"two_level", {{"count", 2 * size}, {"head_fraction", 0.5}, {"head_mass", 0.8}}},
                        fan_in({{"fan_in", std::string("proportional")}}), "muon");
    e.engine = "symmetric";
    e.classes = {};
    return difference(e);
  };
  for (const double size : {1e3, 1e5}) {
    CHECK(off(size) < 5 / size);
    CHECK(off(size) > 0.05 / size);
  }
}

TEST_CASE("where queries or answers of a component differ, or noise prefers some, nothing is predicted") {
  const auto nothing = [](const Experiment& e) { return difference(e) == INFINITY; };
  const ChosenRow three = fan_in({{"fan_in", 3.0}});
  CHECK(nothing(with(grouped, fan_in({{"fan_in", 2.0}, {"within", 1.0}}), "muon")));
  Experiment frequent = with(grouped, three, "gd", 0.1);
  frequent.noise_answers = "frequency";
  CHECK(nothing(frequent));
  frequent.label_noise = 0;
  CHECK_FALSE(nothing(frequent));
}

TEST_CASE(
    "dense runs go where the recursions of gd, NGD, momentum and Adam say, and under any embeddings for one step") {
  const std::vector<std::string> rules{"gd", "ngd", "momentum", "adam", "muon"};
  std::map<std::string, int> compared;
  for (std::uint64_t i = 0; i < 120; ++i) {
    Dice dice{.experiment = 1000 + i};
    const OptimizerRow& rule = optimizer_row(dice.among(rules));
    const bool adam = rule.name == "adam", first = !adam && (rule.name == "muon" || dice() < 0.3);
    const auto cosine = [&] { return embedding("equicorrelated", {{"rho", 0.1 + 0.7 * dice()}}); };
    const ChosenRow plain = embedding(adam ? "identity" : "orthogonal"), query = first ? cosine() : plain,
                    answer = adam           ? plain
                             : dice() < 0.6 ? cosine()
                             : first        ? embedding("gaussian", {{"dimension", 20.0}})
                                            : plain;
    const double noise = first || rule.name == "ngd" || dice() < 0.5 ? 0 : 0.1;
    Experiment e = experiment(spectra()[dice() < 0.5 ? 0 : 2], query, answer, noise, rule);
    e.engine = "dense";
    OptimizerChoice& choice = e.optimizers.front();
    choice.step_size = adam                                           ? 0.05
                       : rule.name == "gd" || rule.name == "momentum" ? 3.1 * dice()
                                                                      : 0.4 * dice();
    if (dice() < 0.5) choice.schedule = "cosine", choice.warmup = 5;
    if (dice() < 0.5) choice.weight_decay = 0.02;
    if (first && dice() < 0.5) choice.weight_decay_kind = "coupled";
    if (rule.name == "momentum") choice.parameters.set("nesterov", dice() < 0.5);
    if (rule.name == "muon") choice.parameters.set("momentum", 0.0);
    if (dice() < 0.3) e.sampling_exponent = 0.4;
    CAPTURE(i, rule.name, query.kind, answer.kind, noise);
    const Result result = simulate(e, {}, 1);
    const auto &error = series(result, "error"), &predicted = series(result, "error_predicted");
    const std::size_t width = error.size() / 25;
    for (std::size_t k = 0; k < error.size(); ++k) {
      CAPTURE(k / width);
      if (k >= 2 * width && first)
        CHECK(std::isnan(predicted[k]));
      else
        CHECK(predicted[k] == Approx(error[k]).epsilon(1e-11));
    }
    ++compared[rule.name + (first ? ", one step" : "")];
  }
  CHECK(compared.size() == 8);
  for (const auto& [name, number] : compared) {
    CAPTURE(name);
    CHECK(number >= 3);
  }
}

TEST_CASE(
    "equicorrelated answers, or equally likely queries, slow dense runs and predictions as smaller steps do") {
  for (const std::string rule : {"gd", "momentum", "ngd", "muon"}) {
    for (const auto& [spectrum, query] : {std::pair(spectra()[0], 0.0), std::pair(spectra()[3], 0.3)}) {
      for (const double noise : {0.0, 0.1}) {
        CAPTURE(rule, query, noise);
        const double cosines = (1 - query) * (1 - 0.4),
                     slower = rule == "ngd" || rule == "muon" ? std::sqrt(cosines) : cosines;
        const auto run = [&](const ChosenRow& queries, const ChosenRow& answers, double start, double by) {
          Experiment e = experiment(spectrum, queries, answers, noise, optimizer_row(rule));
          e.engine = "dense";
          e.init = {"aligned", {{"scale", start}}};
          OptimizerChoice& choice = e.optimizers.front();
          choice.step_size = (rule == "gd" || rule == "momentum" ? 3 : 0.2) * by;
          choice.weight_decay = 0.02 / by;
          choice.schedule = "cosine";
          if (rule == "muon") choice.parameters.set("momentum", 0.0);
          return simulate(e, {}, 1);
        };
        const ChosenRow plain = embedding("orthogonal"), answer = embedding("equicorrelated", {{"rho", 0.4}});
        const Result a = run(query > 0 ? embedding("equicorrelated", {{"rho", query}}) : plain, answer, 0.1,
                             1),
                     b = run(plain, plain, 0.1 * cosines, slower);
        for (const char* name : {"error", "error_predicted"}) {
          const auto &x = series(a, name), &y = series(b, name);
          REQUIRE(x.size() == y.size());
          for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == Approx(y[i]).epsilon(1e-11));
        }
      }
    }
  }
}
