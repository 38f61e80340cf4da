#include <catch2/catch.hpp>
#include <numeric>

#include "laws/experiments.hpp"
#include "reference/decompositions.hpp"

using namespace laws;

namespace {

const Component power_law = {"power_law", {{"count", 12.0}, {"exponent", 1.0}}},
                uniform = {"uniform", {{"count", 12.0}}};

Experiment aligned(const Component& spectrum, const std::string& rule, double noise, const char* kind,
                   const char* engine) {
  Experiment e = experiment(spectrum, embedding(kind), embedding(kind), noise, optimizer_row(rule));
  e.optimizers[0].step_size = 0.3;
  e.steps = 4;
  e.alignment = true;
  e.engine = engine_named(engine);
  return e;
}

std::vector<double> alignments(const Experiment& e) {
  return only_trajectory(simulate(e, {}, 1)).series.at("alignment");
}

}  // namespace

TEST_CASE("alignment at W = 0 is that of the polar factor that Eigen finds of the gradient") {
  constexpr Index k = 12;
  Vector p = Vector::LinSpaced(k, 1, double(k)).cwiseInverse();
  p /= p.sum();
  for (const double noise : {0.0, 0.3}) {
    const Matrix pi = (1 - noise) * Matrix::Identity(k, k) + Matrix::Constant(k, k, noise / k);
    const Matrix g = (Matrix::Constant(k, k, 1.0 / k) - pi) * p.asDiagonal();
    const Matrix factor = reference::svd(g).polar(k - 1);
    const Matrix sign = g.unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; });
    for (const char* engine : {"dense", "symmetric"}) {
      CAPTURE(noise, engine);
      const auto seen = [&](const std::string& rule) {
        return alignments(aligned(power_law, rule, noise, "identity", engine));
      };
      CHECK(seen("gd").front() == Approx(g.cwiseProduct(factor).sum() / (k - 1)).epsilon(1e-12));
      CHECK(seen("signgd").front() == Approx(sign.cwiseProduct(factor).sum() / (k - 1)).epsilon(1e-12));
      // Muon's update is the polar factor itself, at every step.
      for (const double value : seen("muon")) CHECK(value == Approx(1).epsilon(1e-12));
    }
  }
}

TEST_CASE("of samples of equally likely classes alignment at W = 0 is the sum of pushes over K - 1") {
  // msgn of the population's gradient is -(I - 11ᵀ/K), and columns of a sample's gradient sum to zero.
  for (const char* kind : {"identity", "orthogonal"}) {
    Experiment e = aligned(uniform, "gd", 0.2, kind, "dense");
    e.data_mode = "minibatch";
    e.data_parameters = {{"batch", 20.0}};
    e.push = true;
    const Result result = simulate(e, {}, 1);
    const auto& push = only_trajectory(result).series.at("push");
    REQUIRE(push.size() == 5 * 12);
    const double sum = std::accumulate(push.begin(), push.begin() + 12, 0.0);
    CHECK(only_trajectory(result).series.at("alignment").front() == Approx(sum / 11).epsilon(1e-12));
  }
}
