#include <catch2/catch.hpp>
#include <cmath>

#include "model/margin.hpp"
#include "plain.hpp"

using namespace rarefact;

TEST_CASE("the GD recursion equals the same recursion in 50 digits, with and without label noise") {
  struct Case {
    double total, noise, step_size, probability;
  };
  // Small steps and steps that overshoot m* (the last but one swings around it), K where 1 - p̂ or p̂ is tiny.
  const auto given =
      GENERATE(Case{64, 0, 50, 1.0 / 64}, Case{64, 0.1, 50, 1.0 / 64}, Case{1e15, 0, 1e15, 3e-15},
               Case{1e15, 0.1, 1e15, 3e-15}, Case{1e300, 0, 1, 0.7}, Case{1e300, 1e-3, 1, 0.7},
               Case{2, 0.5, 8, 0.5}, Case{64, 0.9, 20, 1}, Case{64, 0.999999, 1, 0.5});
  CAPTURE(given.total, given.noise, given.step_size);
  const std::vector<std::int64_t> steps{0, 1, 2, 3, 10, 100, 1000, 2000};
  const auto input = plain::input("gd", given.total, given.noise, given.step_size,
                                  {given.probability, given.probability / 3});
  REQUIRE_FALSE(plain::row("gd-recursion").objection(input));
  const std::vector<double> margins = plain::margins("gd-recursion", input, steps);
  REQUIRE(margins.size() == 2 * steps.size());
  const double scale = given.noise == 0 ? 1 : optimal_margin(given.total, given.noise);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t group = 0; group < 2; ++group) {
      const double expected = static_cast<double>(plain::descend(input.class_probability[group], given.total,
                                                                 given.noise, given.step_size, steps[i]));
      CAPTURE(steps[i], group, expected);
      // A few roundings of m and, with noise, of m* = m + δ; they do not add up over the steps.
      CHECK(std::abs(margins[2 * i + group] - expected) <= 1e-15 * (std::abs(expected) + scale));
    }
  }
}

TEST_CASE("the GD recursion resolves the last digits of the approach to the optimum") {
  // The plain difference π₁ - p̂ would know these distances to six or seven digits only.
  const auto input = plain::input("gd", 64, 0.1, 1, {0.2});
  const std::int64_t step = 1060;
  const double margin = plain::margins("gd-recursion", input, std::vector{step})[0];
  const plain::Real left = plain::optimum(64, 0.1) - plain::descend(0.2, 64, 0.1, 1, step);
  REQUIRE(left > 1e-9);
  REQUIRE(left < 1e-5);
  // The double m itself rounds δ to 4.4e-16 (m is between 4 and 8), once for m* and once for m.
  CHECK(std::abs(static_cast<double>(plain::optimum(64, 0.1) - margin - left)) <= 9e-16);
}

TEST_CASE(
    "of R right answers the recursion is that of the definition: m <- m + ηp (K/(R(K-R))) (π(R) - p̂(R))") {
  const double total = 24, step_size = 3, p = 0.25;
  for (const double right : {2.0, 6.0, 23.0}) {
    for (const double noise : {0.0, 0.3}) {
      PredictionInput input = plain::input("gd", total, noise, step_size, {p});
      input.answers = {{right, 1}};
      const plain::Real r = right, k = total;
      const plain::Real target = 1 - plain::Real(noise) + plain::Real(noise) * r / k;
      plain::Real margin = 0;
      const std::vector<double> margins =
          plain::margins("gd-recursion", input, std::vector<std::int64_t>{0, 1, 2, 3});
      for (const double predicted : margins) {
        CAPTURE(right, noise);
        CHECK(predicted == Approx(static_cast<double>(margin)).epsilon(1e-14));
        const plain::Real share = r * exp(margin) / (r * exp(margin) + (k - r));
        margin += plain::Real(step_size) * p * (k / (r * (k - r))) * (target - share);
      }
    }
  }
}

TEST_CASE("a class moves as one of its probability in training") {
  const std::vector<double> p = {0.25, 0.01};
  PredictionInput input = plain::input("gd", 24, 0.1, 3, p);
  input.sampling = {0.5, std::log(2.0)};
  const auto trained = plain::input("gd", 24, 0.1, 3, {0.25, 0.05});
  const std::vector<std::int64_t> steps{0, 1, 20};
  for (const char* row : {"gd-recursion", "gd-flow"}) {
    const std::vector<double> apart = plain::margins(row, input, steps),
                              expected = plain::margins(row, trained, steps);
    for (std::size_t i = 0; i < apart.size(); ++i) CHECK(apart[i] == Approx(expected[i]).epsilon(1e-14));
  }
}
