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
  const auto in_50 = plain::margins<Real50>("gd-recursion", input, steps);
  REQUIRE(margins.size() == 2 * steps.size());
  const double scale = given.noise == 0 ? 1 : optimal_margin(given.total, given.noise);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t group = 0; group < 2; ++group) {
      const plain::Real exact =
          plain::descend(input.class_probability[group], given.total, given.noise, given.step_size, steps[i]);
      const double expected = static_cast<double>(exact);
      CAPTURE(steps[i], group, expected);
      // A few roundings of m and, with noise, of m* = m + δ; they do not add up over the steps.
      CHECK(std::abs(margins[2 * i + group] - expected) <= 1e-15 * (std::abs(expected) + scale));
      // The plain difference π₁ - p̂ of the definition loses the digits of K.
      if (given.total < 1e20)
        CHECK(abs(Real50(in_50[2 * i + group] - exact)) < Real50(1e-44) * (1 + abs(exact)));
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

TEST_CASE("the Newton recursion is m <- m + η/p̂ of the definition, the same for every class") {
  const double total = GENERATE(2.0, 64.0, 1e6);
  const double step_size = GENERATE(0.01, 0.3, 1.0);
  const std::vector<std::int64_t> steps{0, 1, 2, 10, 300};
  const auto input = plain::input("newton", total, 0, step_size, {0.7, 1e-9});
  REQUIRE_FALSE(plain::row("newton-recursion").objection(input));
  const std::vector<double> margins = plain::margins("newton-recursion", input, steps);
  const auto in_50 = plain::margins<Real50>("newton-recursion", input, steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    plain::Real margin = 0;
    for (std::int64_t t = 0; t < steps[i]; ++t)
      margin += plain::Real(step_size) / (1 / (1 + (plain::Real(total) - 1) * exp(-margin)));
    CAPTURE(total, step_size, steps[i]);
    for (std::size_t group = 0; group < 2; ++group) {
      // Hundreds of roundings of m, which are of one sign where every step adds the same.
      CHECK(margins[2 * i + group] == Approx(static_cast<double>(margin)).epsilon(1e-13));
      CHECK(abs(Real50(in_50[2 * i + group] - margin)) <= Real50(1e-45) * (1 + margin));
    }
  }
}

TEST_CASE(
    "the Newton recursion needs no orthonormal embeddings, but independent ones, no noise and no damping") {
  const PredictionRow& row = plain::row("newton-recursion");
  PredictionInput input = plain::input("newton", 64, 0, 0.1, {1.0 / 64});
  input.orthonormal = input.identity = false;
  input.parameters.set("damping", 0.0);
  CHECK_FALSE(row.objection(input));
  input.parameters.set("damping", 1e-3);
  CHECK(*row.objection(input) == "damping is 0.001, the prediction is for 0.0");
  input.parameters.set("damping", 0.0);
  input.label_noise = 0.1;
  CHECK(*row.objection(input) == "the prediction is for label noise 0");
  input.label_noise = 0;
  input.independent = false;
  CHECK(row.objection(input)->find("not known to be linearly independent") != std::string::npos);
}
