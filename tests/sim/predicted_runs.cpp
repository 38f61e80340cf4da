// Predictions beside dense runs of random experiments.

#include <catch2/catch.hpp>
#include <map>

#include "sim/random_run.hpp"

using namespace laws;

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
