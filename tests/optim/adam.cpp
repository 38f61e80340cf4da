#include <catch2/catch.hpp>

#include "optim/gradients.hpp"

using namespace gradients;

TEST_CASE("adam keeps the sign of gradients whose squares underflow") {
  Stepper adam("adam", {{"epsilon", 0.0}});
  CHECK(largest(written_out(adam(Matrix::Constant(2, 2, -1e-250))) + Matrix::Ones(2, 2)) < 1e-14);
}

TEST_CASE("adam without ε divides by zero where squares are forgotten and the mean is not, and 0/0 is 0") {
  Stepper adam("adam", {{"beta1", 0.5}, {"beta2", 0.0}, {"epsilon", 0.0}});
  CHECK(adam(Matrix::Identity(2, 2)).matrix->entries(0, 1) == 0);
  CHECK(adam(Matrix::Zero(2, 2)).failure == "division by zero in m/(1 - beta1**t)/sqrt(G**2) of direction");
}

TEST_CASE("adam with ε takes a step of m/ε where squares are forgotten and the gradient has vanished") {
  Stepper adam("adam", {{"beta1", 0.5}, {"beta2", 0.0}, {"epsilon", 1e-8}});
  adam(Matrix::Identity(2, 2));
  adam(Matrix::Identity(2, 2), -300'000);
  // The unit of the root follows that of the gradient.
  const Direction<DenseMatrix> d = adam(Matrix::Identity(2, 2), -300'000);
  CHECK(std::ldexp(d.matrix->entries(0, 0), d.exponent) == Approx(1e8 / 7));
  CHECK(d.matrix->entries(0, 1) == 0);
}

TEST_CASE(
    "adam without ε survives a gradient that falls by 2^-3000 within one step, and follows it in time") {
  Stepper adam("adam", {{"beta1", 0.5}, {"beta2", 0.25}, {"epsilon", 0.0}});
  adam(gradient(0));
  const Matrix signs = gradient(0).cwiseSign();
  for (int t = 2; t <= 4000; ++t) {
    const Direction<DenseMatrix> d = adam(-gradient(0), -3000);
    // While the first gradient outweighs the others, m = ½ ½^(t-1) G and √v = √¾ ½^(t-1) |G|.
    if (t > 2900 && t < 4000) continue;
    const double expected =
        t < 4000 ? 0.5 / (1 - std::pow(0.5, t)) / std::sqrt(0.75 / (1 - std::pow(0.25, t))) : -1;
    CHECK(largest(written_out(d) - expected * signs) < 1e-12);
  }
}
