#include <catch2/catch.hpp>

#include "optim/gradients.hpp"

using namespace gradients;

TEST_CASE("ngd normalises gradients whose norm has no inverse among the doubles") {
  const auto update = optimizer_row("ngd").make<DenseMatrix>({});
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  Gradient<DenseMatrix> g;
  g.task.entries = Matrix::Constant(2, 2, 4e-320);
  const Direction<DenseMatrix> d = update->direction(g, context);
  CHECK((std::ldexp(d.scale, d.exponent) * d.matrix->entries).norm() ==
        Approx(1).epsilon(1e-3));  // denormals have few digits
}

TEST_CASE("signgd and tra_signgd send zero to zero and everything else to one") {
  for (const char* rule : {"signgd", "tra_signgd"}) {
    const auto measured = directions(rule, {}, 2);
    for (std::uint64_t t = 0; t < 2; ++t) {
      const Matrix g = gradient(t);
      for (Index i = 0; i < g.size(); ++i) {
        CHECK(measured[t].data()[i] == static_cast<double>((g.data()[i] > 0) - (g.data()[i] < 0)));
      }
    }
  }
}

TEST_CASE("tra_signgd takes the sign before the embeddings, signgd after") {
  Matrix left(2, 2), right(2, 2), task(2, 2);
  left << 0.6, -0.8, 0.8, 0.6;
  right << 0.28, -0.96, 0.96, 0.28;
  task << 1, -3, 0.5, 2;
  const auto to_ambient = [&](const DenseMatrix& x) {
    return DenseMatrix{left * x.entries * right.transpose()};
  };
  const RuleContext<DenseMatrix> context{to_ambient, Workers::serial()};
  Gradient<DenseMatrix> g;
  g.task.entries = task;
  g.image = to_ambient(g.task);
  const auto sign = [](double x) { return static_cast<double>((x > 0) - (x < 0)); };
  const auto oracle = optimizer_row("tra_signgd").make<DenseMatrix>({});
  const auto plain = optimizer_row("signgd").make<DenseMatrix>({});
  CHECK(largest(oracle->direction(g, context).matrix->entries -
                left * task.unaryExpr(sign) * right.transpose()) < 1e-15);
  CHECK(largest(plain->direction(g, context).matrix->entries -
                Matrix(left * task * right.transpose()).unaryExpr(sign)) == 0);
}
