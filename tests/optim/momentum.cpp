#include <catch2/catch.hpp>

#include "optim/gradients.hpp"

using namespace gradients;

TEST_CASE(
    "a gradient that falls by 2^-3000 within one step leaves the memory of the one before, and is seen again in time") {
  Stepper momentum("momentum", {{"momentum", 0.5}});
  momentum(gradient(0));
  for (int t = 1; t <= 4000; ++t) {
    const Direction<DenseMatrix> d = momentum(-gradient(0), -3000);
    // B = 2^-t G until that is less than what the small ones add up to, -2 x 2^-3000 G.
    if (t > 2900) continue;
    const Matrix expected = std::ldexp(1.0, -t - d.exponent) * gradient(0);
    CHECK(largest(d.matrix->entries - expected) <= 1e-13 * largest(expected));
  }
  const Direction<DenseMatrix> d = momentum(-gradient(0), -3000);
  CHECK(largest(std::ldexp(1.0, d.exponent + 3000) * d.matrix->entries + 2 * gradient(0)) < 1e-12);
}
