#include "theory/modes.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;

namespace {

PredictionInput input(std::vector<double> p, double mu, double sigma, const std::string& rule,
                      double step_size) {
  PredictionInput made;
  made.class_count.assign(p.size(), 1);
  made.class_total = static_cast<double>(p.size());
  made.class_probability = std::move(p);
  made.orthonormal = made.identity = true;
  made.rule = rule;
  made.step_size = step_size;
  made.squares = LeastSquares{.query_scale = mu, .query_noise = sigma};
  return made;
}

const PredictionRow& row(const std::string& name) {
  return row_named(prediction_catalogue(), name, "prediction");
}

}  // namespace

TEST_CASE("coefficients of three classes are the known ones") {
  const std::vector<std::int64_t> thirty = {30}, ninety = {90};
  const PredictionInput gd = input({.5, .3, .2}, 1, .5, "gd", .1);
  REQUIRE(!row("mode-gd").objection(gd));
  const Margins w = row("mode-gd").margins.in16(gd, thirty);
  CHECK(w[0] == Approx(.602374).epsilon(1e-6));
  CHECK(w[1] == Approx(.445521).epsilon(1e-6));
  CHECK(w[2] == Approx(.332779).epsilon(1e-6));
  const Margins sign = row("mode-sign").margins.in16(input({.5, .3, .2}, 1, .5, "tra_signgd", .01), ninety);
  CHECK(sign[0] == Approx(.66).margin(1e-12));
  CHECK(sign[1] == Approx(.54).margin(1e-12));
  CHECK(sign[2] == Approx(.44).margin(1e-12));
  const Margins flow = row("mode-gd-flow").margins.in16(input({.5, .3, .2}, 1, .5, "gd", .01), thirty);
  CHECK(flow[0] == Approx(.134323).epsilon(1e-5));
  CHECK(flow[1] == Approx(.082967).epsilon(1e-5));
  CHECK(flow[2] == Approx(.056126).epsilon(1e-5));
}

TEST_CASE("the flow of normalised gradients of one mode moves by η a step and then stands") {
  const SquareModes one{{0.3}, {2.0}};
  const std::vector<double> found = times_of_normalised_flow(one, {1}, {0, 0.5, 1.9, 1.999999, 3});
  const auto w = [](double tau) { return -2 * std::expm1(-0.3 * tau); };
  CHECK(w(found[0]) == 0);
  CHECK(w(found[1]) == Approx(0.5).epsilon(1e-13));
  CHECK(w(found[2]) == Approx(1.9).epsilon(1e-13));
  CHECK(w(found[3]) == Approx(1.999999).epsilon(1e-13));
  CHECK(w(found[4]) == 2);
}

TEST_CASE("smoothed residuals obey their differential equation and have both limits") {
  const double h = 0.7, start = 1.4, lambda = 0.3;
  for (const double t : {0.1, 1.0, 3.0, 10.0}) {
    const double step = 1e-4, g = smoothed_residual(h, start, lambda, t);
    const double slope =
        (smoothed_residual(h, start, lambda, t + step) - smoothed_residual(h, start, lambda, t - step)) /
        (2 * step);
    CHECK(slope == Approx(-h * g / std::hypot(g, lambda)).epsilon(1e-6));
  }
  CHECK(smoothed_residual(h, start, lambda, 0) == start);
  CHECK(smoothed_residual(h, start, 0, 1) == Approx(0.7));
  CHECK(smoothed_residual(h, start, 0, 5) == 0);
  // λ far above the gradients: gradient descent in the time t/λ.
  CHECK(smoothed_residual(h, start, 1e6, 1e6) == Approx(start * std::exp(-h)).epsilon(1e-6));
  CHECK(smoothed_residual(h, start, 1e-3, 1e6) == 0);
}

TEST_CASE("where a step reaches the minimum exactly it stays, else it goes to and fro") {
  PredictionInput made = input({.5, .25}, 1, .5, "muon", .125);  // a = 2/3 and ½
  made.parameters = {{"momentum", 0.0},
                     {"polar", std::string("exact")},
                     {"smoothing", 0.0},
                     {"lr_scale", std::string("none")}};
  REQUIRE(!row("mode-sign").objection(made));
  const std::vector<std::int64_t> steps = {4, 5, 6, 7};
  const Margins w = row("mode-sign").margins.in16(made, steps);
  CHECK(w == Margins{.5, .5, .625, .5, .75, .5, .625, .5});
}

TEST_CASE("closed forms of modes refuse what they do not hold for") {
  const auto refused = [](const char* name, auto change) {
    PredictionInput of = input({.6, .4}, 1, .5, "gd", .1);
    change(of);
    return row(name).objection(of).has_value();
  };
  CHECK(refused("mode-gd", [](PredictionInput& i) { i.label_noise = .1; }));
  CHECK(refused("mode-gd", [](PredictionInput& i) { i.orthonormal = false; }));
  CHECK(refused("mode-gd", [](PredictionInput& i) { i.population = false; }));
  CHECK(refused("mode-gd", [](PredictionInput& i) { i.rule = "ngd"; }));
  CHECK(refused("mode-gd", [](PredictionInput& i) { i.schedule = "cosine"; }));
  CHECK(refused("mode-gd", [](PredictionInput& i) {
    i.squares->queries = "gaussian", i.squares->directions = "random";
  }));
  CHECK(refused("mode-gd", [](PredictionInput& i) {
    i.squares->queries = "gaussian", i.squares->exponent = 1, i.class_count = {1, 2};
  }));
  CHECK(refused("mode-sign", [](PredictionInput& i) { i.rule = "signgd", i.identity = false; }));
  CHECK(!refused("mode-gd", [](PredictionInput&) {}));
}
