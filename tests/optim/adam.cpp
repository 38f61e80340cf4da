#include <catch2/catch.hpp>

#include "optim/gradients.hpp"

using namespace gradients;

TEST_CASE("adam keeps the sign of gradients whose squares underflow") {
  const OptimizerRow& row = optimizer_row("adam");
  const auto update = row.make<DenseMatrix>({{"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 0.0}});
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  Gradient<DenseMatrix> g;
  g.task.entries = Matrix::Constant(2, 2, -1e-250);
  const Direction<DenseMatrix> d = update->direction(g, context);
  CHECK(largest(std::ldexp(d.scale, d.exponent) * d.matrix->entries + Matrix::Ones(2, 2)) < 1e-14);
}

TEST_CASE("adam without ε divides by zero where squares are forgotten and the mean is not, and 0/0 is 0") {
  const auto update =
      optimizer_row("adam").make<DenseMatrix>({{"beta1", 0.5}, {"beta2", 0.0}, {"epsilon", 0.0}});
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  Gradient<DenseMatrix> g;
  g.task.entries = Matrix::Identity(2, 2);
  CHECK(update->direction(g, context).matrix->entries(0, 1) == 0);
  g.task.entries.setZero();
  CHECK(update->direction(g, context).failure ==
        "division by zero in m/(1 - beta1**t)/sqrt(G**2) of direction");
}

TEST_CASE("adam with ε takes a step of m/ε where squares are forgotten and the gradient has vanished") {
  const auto update =
      optimizer_row("adam").make<DenseMatrix>({{"beta1", 0.5}, {"beta2", 0.0}, {"epsilon", 1e-8}});
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  Gradient<DenseMatrix> g;
  g.task.entries = Matrix::Identity(2, 2);
  update->direction(g, context);
  g.exponent = -300'000;
  update->direction(g, context);
  const Direction<DenseMatrix> d =
      update->direction(g, context);  // the unit of the root follows that of the gradient
  CHECK(std::ldexp(d.matrix->entries(0, 0), d.exponent) == Approx(1e8 / 7));
  CHECK(d.matrix->entries(0, 1) == 0);
}

TEST_CASE(
    "adam without ε survives a gradient that falls by 2^-3000 within one step, and follows it in time") {
  const auto update =
      optimizer_row("adam").make<DenseMatrix>({{"beta1", 0.5}, {"beta2", 0.25}, {"epsilon", 0.0}});
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  Gradient<DenseMatrix> g;
  g.task.entries = gradient(0);
  update->direction(g, context);
  g.task.entries = -gradient(0);
  g.exponent = -3000;
  for (int t = 2; t <= 4000; ++t) {
    const Direction<DenseMatrix> d = update->direction(g, context);
    // While the first gradient outweighs the others, m = ½ ½^(t-1) G and √v = √¾ ½^(t-1) |G|.
    if (t > 2900 && t < 4000) continue;
    const double expected =
        t < 4000 ? 0.5 / (1 - std::pow(0.5, t)) / std::sqrt(0.75 / (1 - std::pow(0.25, t))) : -1;
    Matrix signs = gradient(0).cwiseSign();
    CHECK(largest(std::ldexp(d.scale, d.exponent) * d.matrix->entries - expected * signs) < 1e-12);
  }
}
