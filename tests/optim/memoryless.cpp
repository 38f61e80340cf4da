#include <catch2/catch.hpp>

#include "optim/formula/formula.hpp"
#include "optim/gradients.hpp"

using namespace gradients;

TEST_CASE("ngd normalises gradients whose norm has no inverse among the doubles") {
  Stepper ngd("ngd", {});
  // Denormals have few digits.
  CHECK(written_out(ngd(Matrix::Constant(2, 2, 4e-320))).norm() == Approx(1).epsilon(1e-3));
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

TEST_CASE("a formula computes the columns that a minibatch stores, if the zeros of all others stay zeros") {
  const RuleContext<ColumnMatrix> context{[](const ColumnMatrix& x) { return x; }, Workers::serial()};
  Gradient<ColumnMatrix> some, all;
  some.task = ColumnMatrix(square_columns({3, 2, 5, 1}));
  some.task.stored_groups = std::make_shared<const std::vector<Index>>(std::vector<Index>{1, 2});
  some.task.right = Vector{{-0.3, 0.0}};
  some.task.wrong = Vector{{0.2, 1e-30}};
  all.task = with_all_columns(some.task);
  const auto last_of = [&](const std::string& direction, const Gradient<ColumnMatrix>& g) {
    const auto rule = optimizer_row("formula").make<ColumnMatrix>(ParameterValues{{"direction", direction}});
    rule->direction(g, context);
    const Direction<ColumnMatrix> d = rule->direction(g, context);
    ColumnMatrix x = *d.matrix;
    combine(x, std::ldexp(d.scale, d.exponent), 0, x);
    return x;
  };
  const auto check = [&](const char* direction, bool stays) {
    CAPTURE(direction);
    const ColumnMatrix x = last_of(direction, some), full = with_all_columns(x), y = last_of(direction, all);
    CHECK((x.stored_groups != nullptr) == stays);
    CHECK(full.right == y.right);
    CHECK(full.wrong == y.wrong);
  };
  for (const char* stays : {"sign(G)", "ambient(sign(T))", "G/maxabs(G) + 2*G",
                            "where(G > 0, G*t, abs(G)**0.5)", "minimum(G, G**3)", "tanh(sign(G) - G)"})
    check(stays, true);
  for (const char* leaves : {"G + 1", "minimum(G, t - 3)", "exp(G)", "where(t > 1, 3, G)", "G*colnorm(G)"})
    check(leaves, false);
}

TEST_CASE("bounds of numbers that no double holds are those of the numbers") {
  const Matrix g = gradient(0);
  const auto last = [](const std::string& formula) {
    return directions("formula", {{"direction", formula}}, 1)[0];
  };
  for (const std::string huge : {"clip(G*1e200*1e200, -1, 1)", "clip(1e30*G, -1e-300, 1e-300)*1e300",
                                 "sign(G)*minimum(abs(G)*1e200*1e200, 1)"})
    CHECK(largest(last(huge) - g.cwiseSign()) < 1e-14);
  CHECK(largest(last("clip(G*1e-200*1e-200, -1, 1)*1e200*1e200") - g) < 1e-14 * largest(g));
  CHECK(largest(last("clip(G*1e-200*1e-200, 1, 2)") - Matrix::Ones(g.rows(), g.cols())) == 0);
  CHECK(largest(last("smooth_polar(G*1e-200*1e-200, 1)*1e200*1e200") - g) < 1e-14 * largest(g));
}

TEST_CASE("constants whose product no double holds scale a direction, and do not erase it") {
  for (const std::string formula : {"1e-200*1e-200*G*1e200*1e200", "G/(1e-200*1e-150)*(1e-200*1e-150)"}) {
    CAPTURE(formula);
    CHECK(formula_problems({{"direction", formula}}).empty());
    CHECK(largest(directions("formula", {{"direction", formula}}, 1)[0] - gradient(0)) < 1e-14);
  }
}
