#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"
#include "theory/one_step.hpp"

using namespace laws;

namespace {

Experiment one_step(const Component& spectrum, const std::string& rule, const std::string& embeddings,
                    const std::string& engine) {
  Experiment e = experiment(spectrum, embedding(embeddings), embedding(embeddings), 0, optimizer_row(rule));
  e.optimizers[0].step_size = 0.7;
  e.steps = 3;
  e.rho_epsilon = 0.1;
  e.engine = engine_named(engine);
  return e;
}

const Component two_level = {"two_level", {{"count", 30.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};

double at(const Result& result, const std::string& name, std::size_t record) {
  return only_trajectory(result).series.at(name)[record];
}

}  // namespace

TEST_CASE("ϱ at step 1 is that of theory, on every engine, whatever the step size") {
  const double exact = rho_gd<double>(30, 1.0 / 16, 0.1).value;
  for (const char* engine : {"columns", "symmetric", "dense"}) {
    const Result gd = simulate(one_step(two_level, "gd", "identity", engine), {}, 1);
    CHECK(at(gd, "rho_at_threshold", 1) == Approx(exact).epsilon(1e-13));
    CHECK(at(gd, "rho", 1) == Approx(exact).epsilon(1e-13));
    CHECK(at(gd, "rho_deficit", 1) == Approx((1 - exact) / 0.1 - 1).epsilon(1e-13));
    CHECK(std::isnan(at(gd, "rho", 0)));
  }
  for (const char* engine : {"symmetric", "dense"}) {
    const Result muon = simulate(one_step(two_level, "muon", "orthogonal", engine), {}, 1);
    CHECK(at(muon, "rho_at_threshold", 1) == Approx(0.887109489).epsilon(1e-8));
    const Result coupled = simulate(one_step(two_level, "signgd", "block_rotation", engine), {}, 1);
    CHECK(at(coupled, "rho_at_threshold", 1) == Approx(0.319716516).epsilon(1e-8));
    CHECK(at(coupled, "rho", 1) == 0);
  }
}

TEST_CASE("at later steps ϱ belongs to the direction of W: engines agree") {
  for (const char* rule : {"muon", "gd", "adam"}) {
    const Result symmetric = simulate(one_step(two_level, rule, "identity", "symmetric"), {}, 1);
    const Result dense = simulate(one_step(two_level, rule, "identity", "dense"), {}, 1);
    for (std::size_t record = 1; record <= 3; ++record)
      CHECK(at(symmetric, "rho_at_threshold", record) ==
            Approx(at(dense, "rho_at_threshold", record)).epsilon(1e-12));
  }
}

TEST_CASE("a quadrature has ϱ of all classes, the first and the last included, and certifies it") {
  const Component law = {"power_law", {{"count", 300.0}, {"exponent", 1.2}}};
  for (const char* rule : {"gd", "ngd", "muon"}) {
    CAPTURE(rule);
    const Result exact = simulate(one_step(law, rule, "identity", "symmetric"), {}, 2);
    const Result nodes = simulate(one_step(law, rule, "identity", "quadrature"), {}, 2);
    CHECK(only_trajectory(nodes).quadrature_error < 1e-10);
    for (std::size_t record = 1; record <= 3; ++record) {
      CHECK(at(nodes, "rho", record) == Approx(at(exact, "rho", record)).epsilon(1e-9));
      CHECK(at(nodes, "rho_scale", record) == Approx(at(exact, "rho_scale", record)).epsilon(1e-9));
    }
  }
}

TEST_CASE("the deviation of Muon's step from the identity shrinks as 1/K, and W stays a multiple of it") {
  double previous = 1;
  for (const double count : {30.0, 300.0, 3000.0, 3e12}) {
    Experiment e = one_step({"two_level", {{"count", count}, {"head_fraction", 0.2}, {"head_mass", 0.8}}},
                            "muon", "identity", "symmetric");
    e.spectral_metrics = "on";
    e.classes = {};
    const Result result = simulate(e, {}, 1);
    const double update = at(result, "update_identity_deviation", 0),
                 weight = at(result, "weight_identity_deviation", 1);
    CHECK(update < previous / 5);
    CHECK(update * count == Approx(1.2325386).epsilon(count > 1e10 ? 1e-3 : 1e-6));
    CHECK(weight < 2 * update);
    CHECK(weight > update / 2);
    previous = update;
  }
}
