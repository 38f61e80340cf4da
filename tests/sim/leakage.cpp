#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

const ChosenRow two_level = {"two_level", {{"count", 30.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};

Experiment run_of(const OptimizerChoice& optimizer, const char* kind, const char* engine) {
  const bool correlated = embedding_row(kind).equicorrelated;
  const ChosenRow side = correlated ? embedding(kind, {{"rho", 0.3}}) : embedding(kind);
  Experiment e = experiment(two_level, side, side, 0, optimizer_row(optimizer.rule));
  e.optimizers = {optimizer};
  e.steps = 3;
  e.spectral_metrics = "on";
  e.engine = engine;
  return e;
}

OptimizerChoice muon(ParameterValues given) {
  return {"muon", "muon", 0.5, with_defaults(optimizer_row("muon").parameters, std::move(given))};
}

}  // namespace

TEST_CASE(
    "orthogonality and leakage: rounding for the exact factor, and in the size that lr_scale gives it") {
  for (const char* kind : {"identity", "orthogonal", "block_rotation", "equicorrelated"}) {
    for (const char* engine : {"symmetric", "dense"}) {
      const auto measured = [&](const OptimizerChoice& optimizer, const std::string& name) {
        return series(simulate(run_of(optimizer, kind, engine), {}, 1), "update_" + name)[1];
      };
      CAPTURE(kind, engine);
      const OptimizerChoice exact = muon({{"lr_scale", "match_rms_adamw"}});
      CHECK(measured(exact, "orthogonality_residual") < 1e-13);
      CHECK(measured(exact, "null_space_leakage") < 1e-14);
      // An average of the first two polar factors, which are nearly the same one.
      const OptimizerChoice average =
          muon({{"lr_scale", "match_rms_adamw"}, {"momentum", 0.8}, {"momentum_order", "after"}});
      CHECK(measured(average, "orthogonality_residual") == Approx(1 - 0.36 * 0.36).epsilon(0.01));
      const OptimizerChoice practical = muon({{"polar", "newton_schulz"}});
      CHECK(measured(practical, "orthogonality_residual") > 0.2);
      CHECK(measured(practical, "null_space_leakage") < 1e-12);
      // Rounding noise of 1e-17 times 3.4445^40: where a polynomial is iterated "to convergence".
      const OptimizerChoice long_run = muon({{"polar", "newton_schulz"}, {"polar_steps", std::int64_t{45}}});
      CHECK(measured(long_run, "null_space_leakage") > 0.01);
    }
  }
}

TEST_CASE(
    "leakage of correlated embeddings is along their own null direction, and unknown where there is none") {
  const auto leakage = [](double dimension) {
    Experiment e = run_of(muon({}), "identity", "dense");
    e.query_embedding = embedding("gaussian", {{"dimension", dimension}});
    e.answer_embedding = e.query_embedding;
    return series(simulate(e, {}, 1), "update_null_space_leakage")[1];
  };
  CHECK(leakage(40) < 1e-13);
  CHECK(std::isnan(leakage(20)));
}
