#include <catch2/catch.hpp>

#include "optim/gradients.hpp"

using namespace gradients;

namespace {

/// B ← μB + ∇L, and what is stepped along.
std::vector<Matrix> heavy_ball(double momentum, bool nesterov, std::uint64_t steps) {
  std::vector<Matrix> all;
  Matrix b = Matrix::Zero(4, 5);
  for (std::uint64_t t = 0; t < steps; ++t) {
    b = momentum * b + gradient(t);
    all.push_back(nesterov ? Matrix(gradient(t) + momentum * b) : b);
  }
  return all;
}

}  // namespace

TEST_CASE("momentum steps along the sum of past gradients, or ahead of it with nesterov") {
  for (const bool nesterov : {false, true}) {
    const auto measured = directions("momentum", {{"momentum", 0.7}, {"nesterov", nesterov}}, 5);
    const auto expected = heavy_ball(0.7, nesterov, 5);
    for (std::size_t t = 0; t < 5; ++t) CHECK(largest(measured[t] - expected[t]) < 1e-13);
  }
}

TEST_CASE(
    "a gradient that falls by 2^-3000 within one step leaves the memory of the one before, and is seen again in time") {
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  const auto of_exponent = [](int exponent, double sign) {
    Gradient<DenseMatrix> g;
    g.task.entries = sign * gradient(0);
    g.exponent = exponent;
    return g;
  };
  const auto update = optimizer_row("momentum")
                          .dense(with_defaults(optimizer_row("momentum").parameters, {{"momentum", 0.5}}));
  update->direction(of_exponent(0, 1), context);
  for (int t = 1; t <= 4000; ++t) {
    const Direction<DenseMatrix> d = update->direction(of_exponent(-3000, -1), context);
    // B = 2^-t G until that is less than what the small ones add up to, -2 x 2^-3000 G.
    if (t > 2900) continue;
    const Matrix expected = std::ldexp(1.0, -t - d.exponent) * gradient(0);
    CHECK(largest(d.matrix->entries - expected) <= 1e-13 * largest(expected));
  }
  const Direction<DenseMatrix> d = update->direction(of_exponent(-3000, -1), context);
  CHECK(largest(std::ldexp(1.0, d.exponent + 3000) * d.matrix->entries + 2 * gradient(0)) < 1e-12);
}
