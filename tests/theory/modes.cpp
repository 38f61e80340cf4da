#include "theory/modes.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "plain.hpp"

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
  made.schedule.step_size = step_size;
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
  const std::vector<double> w = plain::margins("mode-gd", gd, thirty);
  CHECK(w[0] == Approx(.602374).epsilon(1e-6));
  CHECK(w[1] == Approx(.445521).epsilon(1e-6));
  CHECK(w[2] == Approx(.332779).epsilon(1e-6));
  const std::vector<double> sign =
      plain::margins("mode-sign", input({.5, .3, .2}, 1, .5, "tra_signgd", .01), ninety);
  CHECK(sign[0] == Approx(.66).margin(1e-12));
  CHECK(sign[1] == Approx(.54).margin(1e-12));
  CHECK(sign[2] == Approx(.44).margin(1e-12));
  const std::vector<double> flow =
      plain::margins("mode-gd-flow", input({.5, .3, .2}, 1, .5, "gd", .01), thirty);
  CHECK(flow[0] == Approx(.134323).epsilon(1e-5));
  CHECK(flow[1] == Approx(.082967).epsilon(1e-5));
  CHECK(flow[2] == Approx(.056126).epsilon(1e-5));
}

TEST_CASE("the flow of normalised gradients of one mode moves by η a step and then stands") {
  const SquareModes one{.curvature = {0.3}, .weight = {0.3}, .coefficient = {2.0}, .apart = {}};
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
    const double step = 1e-4, g = smoothed_residual(h, start, lambda, t).left;
    const double slope = (smoothed_residual(h, start, lambda, t + step).left -
                          smoothed_residual(h, start, lambda, t - step).left) /
                         (2 * step);
    CHECK(slope == Approx(-h * g / std::hypot(g, lambda)).epsilon(1e-6));
  }
  CHECK(smoothed_residual(h, start, lambda, 0).left == start);
  CHECK(smoothed_residual(h, start, 0, 1).left == Approx(0.7));
  CHECK(smoothed_residual(h, start, 0, 5).left == 0);
  // λ far above the gradients: gradient descent in the time t/λ.
  CHECK(smoothed_residual(h, start, 1e6, 1e6).left == Approx(start * std::exp(-h)).epsilon(1e-6));
  CHECK(smoothed_residual(h, start, 1e-3, 1e6).left == 0);
}

TEST_CASE("coefficients and what is left of them have their digits at every time") {
  const auto asinh50 = [](const Real50& x) { return Real50(log(Real50(x + sqrt(Real50(x * x + 1))))); };
  std::mt19937_64 random(1);
  const auto power_of_ten = [&](double low, double high) {
    return std::pow(10, std::uniform_real_distribution<>(low, high)(random));
  };
  for (int c = 0; c < 300; ++c) {
    const double h = power_of_ten(-15, 0), start = h * power_of_ten(-3, 0), lambda = power_of_ten(-15, 2),
                 way = power_of_ten(-12, 2) * start * (1 + lambda / start);
    CAPTURE(c, h, start, lambda, way);
    const auto [fallen, left] = smoothed_residual(h, start, lambda, way / h);
    if (left < 1e-300) continue;
    // √(g²+λ²) - λ asinh(λ/g) falls by h t; 50 digits stand the differences.
    const auto level = [&](const Real50& g) {
      const Real50 l = lambda;
      return Real50(sqrt(Real50(g * g + l * l)) - l * asinh50(Real50(l / g)));
    };
    const bool early = fallen < left;
    const Real50 g = early ? Real50(Real50(start) - fallen) : Real50(left), g0 = start;
    const Real50 missed = level(g0) - level(g) - Real50(way / h) * h;
    // In units of the number itself: d level/dg = √(g²+λ²)/g.
    const Real50 off = missed * g / sqrt(Real50(g * g + Real50(lambda) * lambda)) / (early ? fallen : left);
    const double decay = way / std::hypot(left, lambda);
    CHECK(std::abs(static_cast<double>(off)) < 1e-15 * (4 + decay));
    CHECK(fallen + left == Approx(start).epsilon(1e-15));
  }
  // 432,047,606 classes after a step, by 60 digits.
  const double p = 1.0 / 432047606;
  const PredictedMargin<double> first = smoothed_residual(p, p, 5, 0.0077);
  CHECK(first.value / p == Approx(3.56442201880e-12).epsilon(1e-11));
}

TEST_CASE("of gradient descent and Newton's method what is left of a coefficient has its digits") {
  std::mt19937_64 random(2);
  for (int c = 0; c < 200; ++c) {
    const double eta = std::uniform_real_distribution<>(1e-3, 2)(random);
    const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 300);
    for (const char* rule : {"gd", "newton"}) {
      PredictionInput made = input({.7, .3}, 1, .5, rule, eta);
      if (rule == std::string("newton")) made.parameters = {{"damping", 0.0}};
      for (const double sigma : {0.0, .5}) {
        made.squares->query_noise = sigma;
        const SquareModes modes = modes_of(made);
        const auto found = plain::predicted(rule == std::string("gd") ? "mode-gd" : "mode-newton", made, {n});
        for (std::size_t g = 0; g < 2; ++g) {
          const double h = modes.curvature[g], x = rule == std::string("gd") ? eta * h : eta;
          Real50 left = modes.coefficient[g];
          for (std::int64_t t = 0; t < n; ++t) left *= 1 - Real50(x);
          if (abs(left) < Real50(1e-290)) continue;
          CAPTURE(c, rule, eta, n, x);
          CHECK(found[g].left == Approx(static_cast<double>(left))
                                     .epsilon(3e-16 * (4 + double(n) * std::abs(std::log(std::abs(1 - x))))));
          CHECK(found[g].value ==
                Approx(static_cast<double>(Real50(modes.coefficient[g] - left))).epsilon(1e-14));
        }
      }
    }
  }
}

TEST_CASE("where a step reaches the minimum exactly it stays, else it goes to and fro") {
  PredictionInput made = input({.5, .25}, 1, .5, "muon", .125);  // a = 2/3 and ½
  made.parameters = {{"momentum", 0.0},
                     {"polar", std::string("exact")},
                     {"smoothing", 0.0},
                     {"lr_scale", std::string("none")}};
  REQUIRE(!row("mode-sign").objection(made));
  const std::vector<std::int64_t> steps = {4, 5, 6, 7};
  const std::vector<double> w = plain::margins("mode-sign", made, steps);
  CHECK(w == std::vector<double>{.5, .5, .625, .5, .75, .5, .625, .5});
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
  CHECK(refused("mode-gd-flow", [](PredictionInput& i) { i.schedule.factor = schedule_factor("cosine"); }));
  CHECK(refused("mode-gd", [](PredictionInput& i) {
    i.squares->queries = "gaussian", i.squares->directions = "random";
  }));
  CHECK(refused("mode-gd", [](PredictionInput& i) {
    i.squares->queries = "gaussian", i.squares->exponent = 1, i.class_count = {1, 2};
  }));
  CHECK(refused("mode-sign", [](PredictionInput& i) { i.rule = "signgd", i.identity = false; }));
  CHECK(!refused("mode-gd", [](PredictionInput&) {}));
}

TEST_CASE("gradient flow of factors from a start far above a mode keeps its digits") {
  for (const double mode : {1e-5, 1e-10, 1e-20}) {
    PredictionInput made = input({.25}, 1, 0, "gd", .001);
    made.squares->queries = "gaussian", made.squares->scale = mode;
    made.factors = 2, made.start = .9;
    const SquareModes modes = modes_of(made);
    for (const std::int64_t n : {0, 3}) {
      const Real50 b = Real50(.9) * .9, a = modes.coefficient[0],
                   q = exp(Real50(-2 * a * (Real50(modes.curvature[0]) * .001 * double(n)))),
                   w = a * b / (b * (1 - q) + a * q);
      CAPTURE(mode, n);
      CHECK(plain::margins("product-mode-gd-flow", made, {n})[0] ==
            Approx(static_cast<double>(w)).epsilon(1e-14));
    }
  }
}
