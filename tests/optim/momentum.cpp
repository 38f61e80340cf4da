#include <catch2/catch.hpp>

#include "algebra/polar.hpp"
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

TEST_CASE("muon takes the polar factor of the gradient, or of the same heavy ball") {
  for (const double momentum : {0.0, 0.7}) {
    for (const bool nesterov : {false, true}) {
      const auto measured = directions("muon", {{"momentum", momentum}, {"nesterov", nesterov}}, 5);
      const auto ball = heavy_ball(momentum, nesterov, 5);
      for (std::size_t t = 0; t < 5; ++t) CHECK(largest(measured[t] - polar_factor<double>(ball[t])) < 1e-13);
    }
  }
}
