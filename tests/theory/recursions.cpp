/// Recursions of products and of signs on samples; those of other rules stand beside runs (sim/fifty_digits.cpp).

#include <catch2/catch.hpp>
#include <cmath>

#include "model/margin.hpp"
#include "plain.hpp"

using namespace rarefact;

TEST_CASE("what is left of margins and modes of two factors has its digits near the optimum") {
  for (const double start : {.3, -.3, 3.0}) {
    PredictionInput input = plain::input("gd", 4, .3, 1, {.25});
    input.factors = 2, input.start = start;
    const std::vector<std::int64_t> steps = {0, 10, 100, 200, 400};
    const auto found = plain::predicted("product-gd", input, steps);
    const auto in_50 = plain::predicted<Real50>("product-gd", input, steps);
    const plain::Real root = sqrt(plain::optimum(4, .3));
    plain::Real u = std::abs(start), left = root - u;
    std::int64_t done = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (; done < steps[i]; ++done) {
        const plain::Real move = u * shortfall_at_distance<plain::Real>(left * (root + u), 4, .3) / 3;
        u += move, left -= move;
      }
      CAPTURE(start, steps[i]);
      CHECK(found[i].left == Approx(static_cast<double>(left * (root + u))).epsilon(1e-12).margin(0));
      CHECK(found[i].value == Approx(static_cast<double>(u * u)).epsilon(1e-13));
      CHECK(static_cast<double>(in_50[i].left) ==
            Approx(static_cast<double>(left * (root + u))).epsilon(1e-13).margin(0));
    }
    PredictionInput modes = plain::input("gd", 2, 0, .3, {.7, .3});
    modes.factors = 2, modes.start = start;
    modes.squares = LeastSquares{.query_scale = 1, .query_noise = 0};
    const auto of_modes = plain::predicted("product-mode-gd", modes, {400});
    for (std::size_t g = 0; g < 2; ++g) {
      const plain::Real h = modes.class_probability[g];
      u = std::abs(start), left = 1 - u;
      for (int t = 0; t < 400; ++t) {
        const plain::Real move = plain::Real(.3) * h * left * (1 + u) * u;
        u += move, left -= move;
        if (u < 0) u = -u, left = 1 - u;
      }
      CHECK(of_modes[g].left == Approx(static_cast<double>(left * (1 + u))).epsilon(1e-12).margin(0));
    }
  }
}

TEST_CASE("the recursion of NGD outlives squares that underflow") {
  PredictionInput late = plain::input("ngd", 20, 0, 10, {0.2, 0.04, 0.01});
  late.class_count = {2, 5, 13};
  CHECK(std::isfinite(plain::margins("ngd-recursion", late, {200}).back()));
}

TEST_CASE("the mean total error of signs on minibatches has known values") {
  // By a program in Python, which 400 seeds confirm.
  std::vector<double> p;
  double sum = 0;
  for (int k = 1; k <= 150; ++k) sum += std::pow(k, -1.5);
  for (int k = 1; k <= 150; ++k) p.push_back(std::pow(k, -1.5) / sum);
  PredictionInput input = plain::input("signgd", 150, 0, 0.1, p);
  input.population = false, input.batch = 64;
  const std::vector<PredictedMean> means =
      plain::row("sign-binomial").means(input, std::vector<std::int64_t>{50, 100, 400});
  const double known[] = {.181376, .112867, .042605};
  for (std::size_t s = 0; s < 3; ++s) {
    double error = 0;
    for (std::size_t l = 0; l < 150; ++l) error += p[l] * means[150 * s + l].error;
    CHECK(error == Approx(known[s]).margin(6e-7).epsilon(0));
  }
}

TEST_CASE("the mean over minibatches of a class that is hardly ever missed has its digits") {
  const double p = 0.2612;
  PredictionInput input = plain::input("tra_signgd", 2, 0, 30, {1 - p, p});
  input.population = false, input.batch = 115;
  const plain::Real missed = pow(1 - plain::Real(p), 115), odds = exp(plain::Real(-60)),
                    error = missed / 2 + (1 - missed) * odds / (1 + odds);
  CHECK(plain::row("sign-binomial").means(input, std::vector<std::int64_t>{1})[1].error ==
        Approx(static_cast<double>(error)).epsilon(1e-13).margin(0));
}

TEST_CASE("gains and attributes far from the right answer have finite margins") {
  PredictionInput input = plain::input("gd", 6, 0, 32.4, {1 / 6.0});
  input.attributes = PredictedAttributes{{2, 3}, {1, -1}};
  input.factors = 2, input.start = 3;
  for (const double margin : plain::margins("gains-gd", input, {1, 2, 3, 4})) CHECK(std::isfinite(margin));
}

TEST_CASE("the mean over minibatches of signs is that of the binomial law of its margin") {
  PredictionInput input = plain::input("signgd", 150, 0, 0.1, {0.3, 0.004, 1e-5, 1e-12});
  input.population = false, input.batch = 64;
  const PredictionRow& row = plain::row("sign-binomial");
  REQUIRE_FALSE(row.objection(input));
  const std::vector<std::int64_t> steps = {0, 1, 50, 400, 3000};
  const std::vector<PredictedMean> means = row.means(input, steps);
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (std::size_t g = 0; g < input.class_count.size(); ++g) {
      const plain::Real missed = pow(1 - plain::Real(input.class_probability[g]), 64), drawn = 1 - missed,
                        others = 149;
      plain::Real share = pow(missed, static_cast<int>(steps[s])), error = 0, loss = 0;
      for (std::int64_t j = 0; j <= steps[s]; ++j) {
        const plain::Real odds = others * exp(plain::Real(-2 * plain::Real(0.1) * j));
        error += share * odds / (1 + odds),
            loss += share * (odds < 1e-25 ? odds : log(plain::Real(1 + odds)));
        share *= plain::Real(steps[s] - j) / plain::Real(j + 1) * drawn / missed;
      }
      const PredictedMean& mean = means[s * input.class_count.size() + g];
      CAPTURE(steps[s], g);
      CHECK(mean.error == Approx(static_cast<double>(error)).epsilon(1e-12).margin(1e-300));
      CHECK(mean.excess_loss == Approx(static_cast<double>(loss)).epsilon(1e-12).margin(1e-300));
    }
  for (const auto& change : std::vector<void (*)(PredictionInput&)>{
           [](PredictionInput& x) { x.batch = 0; }, [](PredictionInput& x) { x.label_noise = 0.1; },
           [](PredictionInput& x) { x.identity = false; },
           [](PredictionInput& x) { x.schedule.factor = schedule_factor("cosine"); },
           [](PredictionInput& x) { x.schedule.decay = 0.1; }}) {
    PredictionInput other = input;
    change(other);
    CHECK(row.objection(other));
  }
}
