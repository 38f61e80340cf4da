#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

TEST_CASE(
    "what polynomials and smoothing lift out of rounding counts as no singular value, on every engine") {
  // The columns of every gradient sum to zero, so that no update has rank 37.
  const OptimizerRow& muon = optimizer_row("muon");
  for (const ParameterValues& given :
       {ParameterValues{{"polar", "polar_express"}},
        ParameterValues{{"polar", "newton_schulz"}, {"polar_steps", std::int64_t{12}}},
        ParameterValues{{"smoothing", 1e-14}}}) {
    Experiment e =
        experiment({"uniform", {{"count", 37.0}}}, embedding("identity"), embedding("identity"), 0, muon);
    e.optimizers[0].parameters = with_defaults(muon.parameters, given);
    e.spectral_metrics = "on";
    e.steps = 40;
    for (const Engine engine : {Engine::dense, Engine::symmetric}) {
      e.engine = engine;
      const Result result = simulate(e, {}, 1);
      const auto& series = only_trajectory(result).series;
      for (std::size_t t = 0; t < series.at("update_rank").size(); ++t) {
        CAPTURE(given.all().begin()->first, name_of(engine), t);
        CHECK(series.at("update_rank")[t] == 36);
        CHECK(series.at("update_condition_ratio")[t] > 0.5);
        CHECK(series.at("update_orthogonality_residual")[t] < 0.6);
      }
    }
  }
}

TEST_CASE("columns of W sum to zero, whatever rounding adds: its rank is at most K-1") {
  for (const ParameterValues& given :
       {ParameterValues{{"polar", "polar_express"}}, ParameterValues{{"smoothing", 1e-9}},
        ParameterValues{{"polar", "newton_schulz"}}}) {
    Experiment e = experiment({"power_law", {{"count", 3.0}, {"exponent", 1.0}}}, embedding("identity"),
                              embedding("identity"), 0, optimizer_row("muon"));
    e.optimizers[0].parameters = with_defaults(optimizer_row("muon").parameters, given);
    e.optimizers[0].step_size = 0.3;
    e.spectral_metrics = "on";
    e.steps = 5;
    for (const Engine engine : {Engine::dense, Engine::symmetric}) {
      e.engine = engine;
      const Result result = simulate(e, {}, 1);
      const auto& series = only_trajectory(result).series;
      for (std::size_t t = 1; t < series.at("weight_rank").size(); ++t) {
        CAPTURE(given.all().begin()->first, name_of(engine), t);
        CHECK(series.at("weight_rank")[t] == 2);
        CHECK(series.at("weight_condition_ratio")[t] > 0.1);
        CHECK(series.at("weight_entropy")[t] > 0.8);
      }
    }
  }
}

TEST_CASE("with noise by frequency queries are the answers still, and have a deviation from the identity") {
  Experiment e = experiment({"power_law", {{"count", 6.0}, {"exponent", 1.0}}}, embedding("identity"),
                            embedding("identity"), 0.1, optimizer_row("muon"));
  e.noise_answers = NoiseAnswers::frequency;
  e.spectral_metrics = "on";
  for (const Engine engine : {Engine::dense, Engine::symmetric}) {
    e.engine = engine;
    const Result result = simulate(e, {}, 1);
    for (const double x : only_trajectory(result).series.at("update_identity_deviation")) CHECK(x < 2);
  }
}

TEST_CASE("directions whose gradient is 1e-162 long have a spectrum, and no push is subnormal") {
  Experiment e = experiment({"power_law", {{"count", 3.0}, {"exponent", 1.0}}}, embedding("identity"),
                            embedding("identity"), 0, optimizer_row("ngd"));
  e.optimizers[0].step_size = 710;
  e.spectral_metrics = "on";
  e.push = true;
  e.steps = 3;
  for (const Engine engine : {Engine::columns, Engine::symmetric}) {
    e.engine = engine;
    const Result result = simulate(e, {}, 1);
    const auto& series = only_trajectory(result).series;
    for (std::size_t t = 0; t < 4; ++t) {
      CAPTURE(name_of(engine), t);
      CHECK(series.at("update_frobenius_norm")[t] == Approx(1).epsilon(1e-14));
      CHECK(series.at("update_rank")[t] == 2);
    }
    for (const double x : series.at("push"))
      CHECK((x == 0 || std::abs(x) >= std::numeric_limits<double>::min()));
  }
}
