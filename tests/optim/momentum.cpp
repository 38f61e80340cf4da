#include <catch2/catch.hpp>

#include "optim/gradients.hpp"

using namespace gradients;

TEST_CASE(
    "a gradient that falls by 2^-3000 within one step leaves the memory of the one before, and is seen again in time") {
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  const auto of_exponent = [](int exponent, double sign) {
    Gradient<DenseMatrix> g;
    g.task.entries = sign * gradient(0);
    g.exponent = exponent;
    return g;
  };
  const auto update =
      optimizer_row("momentum")
          .make<DenseMatrix>(with_defaults(optimizer_row("momentum").parameters, {{"momentum", 0.5}}));
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
