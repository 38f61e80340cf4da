// Rules that keep columns on laws of several right answers: columns beside dense runs.

#include <catch2/catch.hpp>
#include <functional>

#include "model/column_layout.hpp"
#include "optim/update_rule.hpp"
#include "reference/column_law.hpp"
#include "reference/random_cases.hpp"
#include "reference/with_defaults.hpp"
#include "sim/direction_measures.hpp"

using namespace rarefact;
using reference::expand;

namespace {

constexpr int steps = 20;

/// What a rule makes of the gradient of the step, in plain arrays.
using PlainRule = std::function<Matrix(const Matrix& gradient, int step)>;

struct Case {
  const char* rule;
  ParameterValues parameters;
  double step_size;
  std::function<PlainRule()> plain;
};

Matrix sign_of(const Matrix& x) {
  return x.array().sign();
}

PlainRule plain_adam() {
  return [m = Matrix(), v = Matrix()](const Matrix& g, int step) mutable -> Matrix {
    if (step == 1) m = v = Matrix::Zero(g.rows(), g.cols());
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v.array() + 0.001 * g.array().square();
    return (m.array() / (1 - std::pow(0.9, step))) /
           ((v.array() / (1 - std::pow(0.999, step))).sqrt() + 1e-8);
  };
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"gd", {}, 3, [] { return [](const Matrix& g, int) { return g; }; }},
      {"ngd", {}, 0.5, [] { return [](const Matrix& g, int) -> Matrix { return g / g.norm(); }; }},
      {"signgd", {}, 0.1, [] { return [](const Matrix& g, int) { return sign_of(g); }; }},
      {"adam", {}, 0.1, plain_adam},
      // Short steps: near the optimum what is divided by its norm is rounding.
      {"formula",
       {{"direction", std::string("G/colnorm(G)")}},
       0.05,
       [] {
         return [](const Matrix& g, int) -> Matrix {
           return g * g.colwise().norm().cwiseInverse().asDiagonal();
         };
       }},
      // A plain mean, a vector beside matrices, a remembered vector, and 0/0 where a column has no others.
      {"formula",
       {{"state.m", std::string("0.5*m + colmax(G)")},
        {"direction", std::string("G/(m + 0.1*abs(G)) + 0.1*(G - colmean(G))/abs(G)")}},
       0.02,
       [] {
         return [m = Vector()](const Matrix& g, int step) mutable -> Matrix {
           const Vector most = g.cwiseAbs().colwise().maxCoeff();
           if (step == 1) m = Vector::Zero(g.cols());
           m = 0.5 * m + most;
           Matrix d(g.rows(), g.cols());
           for (Index l = 0; l < g.cols(); ++l)
             d.col(l) = g.col(l).array() / (m(l) + 0.1 * g.col(l).array().abs()) +
                        0.1 * (g.col(l).array() - g.col(l).mean()) / g.col(l).array().abs();
           return d;
         };
       }},
  };
  return all;
}

/// W of the columns engine after 20 steps, through a checkpoint half way.
ColumnMatrix run_columns(const ColumnMemory& memory, const Case& one, const WeightShape& shape) {
  const OptimizerRow& row = optimizer_row(one.rule);
  const ParameterValues parameters = with_defaults(row.parameters, one.parameters);
  auto rule = row.columns(parameters);
  ColumnMatrix w = memory.zero();
  Gradient<ColumnMatrix> gradient;
  for (int step = 1; step <= steps; ++step) {
    RuleContext<ColumnMatrix> context{[](const ColumnMatrix& x) { return x; }, Workers::serial(), shape};
    context.weights = &w;
    context.second_moment = [&] { return memory.second_moment_root(); };
    memory.evaluate(w, &gradient, nullptr, Workers::serial());
    const Direction<ColumnMatrix> d = rule->direction(gradient, context);
    REQUIRE(d.failure.empty());
    combine(w, 1, std::ldexp(-one.step_size * d.scale, d.exponent), *d.matrix);
    REQUIRE(still_finite(w, *d.matrix));
    if (step != steps / 2) continue;
    Archive out;
    out(w, *rule);
    const std::vector<std::byte> bytes = out.take();
    rule = row.columns(parameters);
    Archive in(bytes);
    in(w, *rule);
    in.finish();
  }
  return w;
}

/// A random law with label noise, on columns and written out.
struct LawOnColumns {
  reference::ColumnPlaces places;
  ColumnMemory memory;
  reference::PlainLaw law;
};

LawOnColumns law_with_noise(std::uint64_t which) {
  const Units units = reference::law_number(which);
  const ClassGroups queries = reference::query_groups(units);
  return {reference::places_of(units), ColumnMemory({queries, 0.1, &units}),
          reference::written_out(units, 0.1)};
}

}  // namespace

TEST_CASE("20 steps on columns of any law are those of K x N arrays") {
  const reference::RandomCases laws(4, 12);
  for (int i = 0; i < laws.count; ++i) {
    const auto [places, memory, law] = law_with_noise(i < 2 ? static_cast<std::uint64_t>(i) : laws[i]);
    for (std::size_t c = 0; c < cases().size(); ++c) {
      const Case& one = cases()[c];
      CAPTURE(i, c, one.rule);
      Matrix w = Matrix::Zero(law.pi.rows(), law.pi.cols());
      const PlainRule plain = one.plain();
      for (int step = 1; step <= steps; ++step)
        w -= one.step_size * plain(reference::plain_gradient(law, w), step);
      const ColumnMatrix columns = run_columns(memory, one, {double(w.rows()), double(w.cols())});
      CHECK((expand(columns, places) - w).cwiseAbs().maxCoeff() < 1e-12 * w.cwiseAbs().maxCoeff());
      CHECK(w.cwiseAbs().maxCoeff() > 0.1);
    }
  }
}

TEST_CASE("formulas on columns of any law are those on dense matrices") {
  const char* directions[] = {"G@C/trace(C)", "(W + 1)*G", "tanh(W)*G + d_out*G/d_in + 0.1*ambient(T/rms(T))",
                              "G*colsum(W**2) + sum(G**2)*W + G", "inner(G, W)*G + maximum(G, W/10)",
                              "where(G > 0, G, 2*W)", "G@(C + C@C)",
                              // Where a column has no others 1 is not divided by 0.
                              "(abs(G) + 1)/G*G*G", "G/(colnorm(G) + norm(W) + nuclear(C))"};
  const reference::RandomCases laws(4, 12);
  for (int i = 0; i < laws.count; ++i) {
    const auto [places, memory, law] = law_with_noise(i < 2 ? static_cast<std::uint64_t>(i) : laws[i]);
    for (const char* direction : directions) {
      CAPTURE(i, direction);
      const Case one{"formula", {{"direction", std::string(direction)}}, 0.1, {}};
      const ParameterValues parameters = with_defaults(optimizer_row("formula").parameters, one.parameters);
      REQUIRE(optimizer_row("formula").symmetries_of(parameters).keeps_wrong_ties);
      const auto rule = optimizer_row("formula").dense(parameters);
      DenseMatrix w{Matrix::Zero(law.pi.rows(), law.pi.cols())};
      for (int step = 1; step <= steps; ++step) {
        RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; },
                                         Workers::serial(),
                                         {double(law.pi.rows()), double(law.pi.cols())}};
        context.weights = &w;
        context.second_moment = [&law = law] {
          return SecondMoment<DenseMatrix>{{Matrix(law.p.cwiseSqrt().asDiagonal())}, 0};
        };
        Gradient<DenseMatrix> gradient;
        gradient.task.entries = reference::plain_gradient(law, w.entries);
        const Direction<DenseMatrix> d = rule->direction(gradient, context);
        combine(w, 1, std::ldexp(-0.1 * d.scale, d.exponent), *d.matrix);
      }
      const ColumnMatrix columns = run_columns(memory, one, {double(law.pi.rows()), double(law.pi.cols())});
      const double size = w.entries.cwiseAbs().maxCoeff();
      CHECK((expand(columns, places) - w.entries).cwiseAbs().maxCoeff() < 1e-12 * size);
    }
  }
}

TEST_CASE("formulas with singular values of columns say so") {
  const auto takes = [](const char* direction) {
    const ParameterValues values{{"direction", std::string(direction)}};
    const Symmetries s = optimizer_row("formula").symmetries_of(values);
    return s.keeps_wrong_ties && s.spectrum_of_columns;
  };
  CHECK(takes("G/nuclear(G)"));
  CHECK(takes("G/spectral_norm(G)"));
  CHECK(!takes("G/norm(G)"));
  CHECK(!takes("G/nuclear(C)"));
}

TEST_CASE("columns of several right answers are finite or not") {
  const Units units = reference::law_number(1);
  const ColumnMemory memory({reference::query_groups(units), 0, &units});
  ColumnMatrix w = reference::random_columns(memory.zero().structure, 1);
  CHECK(all_finite(w));
  CHECK_THROWS_AS(logits_for_rho(w), std::logic_error);
  w.middle(0) = std::numeric_limits<double>::infinity();
  CHECK(!all_finite(w));
  CHECK(!still_finite(w, w));
}
