// Predictions beside runs: of laws of answers, margins in closed form against all entries of a dense run; of random experiments.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"

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
      for (const std::string rule : {"gd", "signgd", "tra_signgd", "newton"}) {
        if (rule == "newton" && noise > 0) continue;
        Experiment e = with(spectrum, law, rule, noise);
        if (rule == "gd") e.optimizers[0].step_size = 20;
        CAPTURE(law.kind, rule, noise);
        CHECK(difference(e) < 1e-11);
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

TEST_CASE("the first step under any embeddings, of any rule that has one, is what dense runs do") {
  for (const std::string rule : {"gd", "ngd", "momentum", "muon"}) {
    for (const char* decay : {"decoupled", "coupled"}) {
      Experiment e = with(power, {"identity", {}}, rule);
      e.query_embedding = embedding("equicorrelated", {{"rho", 0.6}});
      e.answer_embedding = embedding("gaussian", {{"dimension", 20.0}});
      e.sampling_exponent = 0.4;
      e.optimizers[0].schedule = "cosine";
      e.optimizers[0].warmup = 5;
      e.optimizers[0].weight_decay = 0.02;
      e.optimizers[0].weight_decay_kind = decay;
      CAPTURE(rule, decay);
      const Result result = simulate(e, {}, 1);
      const auto &error = series(result, "error"), &predicted = series(result, "error_predicted");
      for (std::size_t i = 0; i < error.size(); ++i)
        CHECK((i < 20 ? predicted[i] == Approx(error[i]).epsilon(1e-11) : std::isnan(predicted[i])));
    }
  }
}
