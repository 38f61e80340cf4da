// Formulas that keep columns on laws of several right answers: columns beside dense runs.

#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "optim/update_rule.hpp"
#include "reference/column_law.hpp"
#include "reference/random_cases.hpp"
#include "sim/direction_measures.hpp"

using namespace rarefact;
using reference::expand;

namespace {

constexpr int steps = 20;
constexpr double step_size = 0.1;

/// W of the columns engine after 20 steps, through a checkpoint half way.
ColumnMatrix run_columns(const ColumnMemory& memory, const ParameterValues& definitions,
                         const WeightShape& shape) {
  const OptimizerRow& row = optimizer_row("formula");
  auto rule = row.make<ColumnMatrix>(definitions);
  ColumnMatrix w = memory.zero();
  Gradient<ColumnMatrix> gradient;
  for (int step = 1; step <= steps; ++step) {
    RuleContext<ColumnMatrix> context{[](const ColumnMatrix& x) { return x; }, Workers::serial(), shape};
    context.weights = &w;
    context.second_moment = [&] { return memory.second_moment_root(); };
    memory.evaluate(w, &gradient, nullptr, Workers::serial());
    const Direction<ColumnMatrix> d = rule->direction(gradient, context);
    REQUIRE(d.failure.empty());
    combine(w, 1, std::ldexp(-step_size * d.scale, d.exponent), *d.matrix);
    REQUIRE(still_finite(w, *d.matrix));
    if (step != steps / 2) continue;
    Archive out;
    out(w, *rule);
    const std::vector<std::byte> bytes = out.take();
    rule = row.make<ColumnMatrix>(definitions);
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
  const Components components = reference::law_number(which);
  const ClassGroups queries = reference::query_groups(components);
  return {reference::places_of(components), ColumnMemory({queries, 0.1, &components}),
          reference::written_out(components, 0.1)};
}

}  // namespace

TEST_CASE("formulas on columns of any law are those on dense matrices") {
  const char* directions[] = {"G@C/trace(C)", "(W + 1)*G", "tanh(W)*G + d_out*G/d_in + 0.1*ambient(T/rms(T))",
                              "G*colsum(W**2) + sum(G**2)*W + G", "inner(G, W)*G + maximum(G, W/10)",
                              "where(G > 0, G, 2*W)", "G@(C + C@C)",
                              // Where a column has no others 1 is not divided by 0.
                              "(abs(G) + 1)/G*G*G", "G/(colnorm(G) + norm(W) + nuclear(C))",
                              // A plain mean, and 0/0 where a column has no others.
                              "G/(m + 0.1*abs(G)) + 0.1*(G - colmean(G))/abs(G)"};
  const reference::RandomCases laws(4, 12);
  for (int i = 0; i < laws.count; ++i) {
    const auto [places, memory, law] = law_with_noise(i < 2 ? static_cast<std::uint64_t>(i) : laws[i]);
    for (const char* direction : directions) {
      CAPTURE(i, direction);
      // A remembered vector beside what is read of it.
      const ParameterValues parameters{{"state.m", std::string("0.5*m + colmax(G)")},
                                       {"direction", std::string(direction)}};
      REQUIRE(optimizer_row("formula").symmetries_of(parameters).keeps_wrong_ties);
      const auto rule = optimizer_row("formula").make<DenseMatrix>(parameters);
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
        combine(w, 1, std::ldexp(-step_size * d.scale, d.exponent), *d.matrix);
      }
      const ColumnMatrix columns =
          run_columns(memory, parameters, {double(law.pi.rows()), double(law.pi.cols())});
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
  const Components components = reference::law_number(1);
  const ColumnMemory memory({reference::query_groups(components), 0, &components});
  ColumnMatrix w = reference::random_columns(memory.zero().structure, 1);
  CHECK(all_finite(w));
  CHECK_THROWS_AS(logits_for_rho(w), std::logic_error);
  w.shared(0) = std::numeric_limits<double>::infinity();
  CHECK(!all_finite(w));
  CHECK(!still_finite(w, w));
}
