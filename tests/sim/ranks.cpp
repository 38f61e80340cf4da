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
