#include <catch2/catch.hpp>
#include <cmath>

#include "algebra/polar_variants.hpp"
#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

Experiment pushed(const Component& spectrum, const OptimizerChoice& optimizer, const char* kind,
                  const char* engine) {
  const bool correlated = embedding_row(kind).equicorrelated;
  const Component side = correlated ? embedding(kind, {{"rho", 0.3}}) : embedding(kind);
  Experiment e = experiment(spectrum, side, side, 0, optimizer_row(optimizer.rule));
  e.optimizers = {optimizer};
  e.steps = 3;
  e.push = true;
  e.engine = engine_named(engine);
  return e;
}

OptimizerChoice muon(ParameterValues given) {
  return {"muon", "muon", 0.5, with_defaults(optimizer_row("muon").parameters, std::move(given))};
}

const Component heavy_tail = power_law(1000.0, 1.5);
const Component two_level = {"two_level", {{"count", 30.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};

}  // namespace

TEST_CASE("on a heavy tail the exact factor pushes every class by 1, five Newton-Schulz steps do not") {
  const auto first_push = [](ParameterValues given) {
    Experiment e = pushed(heavy_tail, muon(std::move(given)), "identity", "quadrature");
    e.steps = 1;
    e.classes.kind = ClassRule::Kind::list;
    e.classes.list = {{ClassAt::Kind::rank, 1}, {ClassAt::Kind::rank, 10}, {ClassAt::Kind::last, 0}};
    const auto all = series(simulate(e, {}, 1), "push");
    return std::vector<double>(all.begin(), all.begin() + 3);
  };
  const auto exact = first_push({});
  for (const double push : exact) CHECK(push == Approx(1).epsilon(0.005));
  const auto newton_schulz = first_push({{"polar", "newton_schulz"}});
  CHECK(newton_schulz[0] == Approx(0.69).epsilon(0.01));
  CHECK(newton_schulz[2] == Approx(0.014).epsilon(0.01));
  // The residual is diag(p) but for terms of order 1/K, so a push is the scalar map of p_l/(Σp²)^½.
  double squares = 0;
  for (int k = 1; k <= 1000; ++k) squares += std::pow(k, -3.0);
  for (const auto& [at, rank] : {std::pair{0, 1}, std::pair{1, 10}, std::pair{2, 1000}}) {
    double value = std::pow(rank, -1.5) / std::sqrt(squares);
    for (int step = 0; step < 5; ++step) value = value_at(newton_schulz_step(), value);
    CHECK(newton_schulz[at] == Approx(value).epsilon(0.01));
  }
  // Beside the norm the tail's singular value is p_K/(Σp²)^½ = 2.9e-5: six more factors of 3.4445 lift it
  // to 1.
  CHECK(first_push({{"polar", "newton_schulz"}, {"polar_steps", std::int64_t{11}}})[2] > 0.6);
  const auto polar_express = first_push({{"polar", "polar_express"}});
  CHECK(polar_express[1] == Approx(1).epsilon(0.01));
  CHECK(polar_express[2] < 0.8);
}

TEST_CASE(
    "orthogonality and leakage: rounding for the exact factor, and in the size that lr_scale gives it") {
  for (const char* kind : {"identity", "orthogonal", "block_rotation", "equicorrelated"}) {
    for (const char* engine : {"symmetric", "dense"}) {
      const auto measured = [&](const OptimizerChoice& optimizer, const std::string& name) {
        Experiment e = pushed(two_level, optimizer, kind, engine);
        e.spectral_metrics = "on";
        return series(simulate(e, {}, 1), "update_" + name)[1];
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
    Experiment e = pushed(two_level, muon({}), "identity", "dense");
    e.query_embedding = embedding("gaussian", {{"dimension", dimension}});
    e.answer_embedding = e.query_embedding;
    e.spectral_metrics = "on";
    return series(simulate(e, {}, 1), "update_null_space_leakage")[1];
  };
  CHECK(leakage(40) < 1e-13);
  CHECK(std::isnan(leakage(20)));
}
