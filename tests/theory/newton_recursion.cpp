#include <catch2/catch.hpp>
#include <cmath>

#include "plain.hpp"

using namespace rarefact;

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
