// Every rule of the zoo on every engine that takes it, and on those that refuse it, against dense runs in the coordinates of W.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "laws/forced.hpp"
#include "laws/formula_histories.hpp"
#include "laws/zoo.hpp"
#include "model/symmetric_layout.hpp"
#include "optim/formula/evaluate.hpp"
#include "optim/formula/formula.hpp"
#include "reference/random_matrix.hpp"

using namespace laws;

namespace {

std::vector<std::pair<ChosenRow, ChosenRow>> pairs() {
  const ChosenRow identity = embedding("identity"), orthogonal = embedding("orthogonal"),
                  blocks = embedding("block_rotation"),
                  correlated = embedding("equicorrelated", {{"rho", 0.3}});
  const ChosenRow other_blocks =
      embedding("block_rotation", {{"angles", std::vector<double>{3.638, 2.949, 5.218}}});
  const ChosenRow query_blocks =
      embedding("block_rotation", {{"angles", std::vector<double>{1.715, 0.876, 3.098}}});
  return {{identity, identity},     {orthogonal, orthogonal}, {query_blocks, other_blocks},
          {correlated, correlated}, {identity, other_blocks}, {orthogonal, identity},
          {identity, orthogonal},   {correlated, orthogonal}};
}

/// 42 classes: the groups of sizes 6, p ∝ i^-1.5; where singular values must differ, 42 distinct ones.
Experiment run_of(const std::string& name, const ChosenRow& query, const ChosenRow& answer) {
  const bool tie = formula_symmetries(zoo_rule(name)).needs_gaps;
  const ChosenRow groups = {"grouped_power_law", {{"groups", 7.0}, {"group_size", 6.0}, {"exponent", 1.5}}},
                  distinct = power_law(42.0, 1.5);
  Experiment e = experiment(tie ? distinct : groups, query, answer, 0, optimizer_row("gd"));
  e.steps = 15;
  e.optimizers = zoo().at(name).optimizers;
  return e;
}

}  // namespace

TEST_CASE("where the symmetric engine refuses a rule of the zoo it would be wrong") {
  std::size_t refused = 0;
  for (const auto& [name, unused] : zoo()) {
    if (formula_symmetries(zoo_rule(name)).needs_gaps) continue;
    for (const auto& [query, answer] : pairs()) {
      const Experiment e = run_of(name, query, answer);
      if (takes(e, "symmetric")) continue;
      CAPTURE(name, query.kind, answer.kind);
      CHECK(distance(written_out(e), forced(e, "symmetric")) > 1e-3);
      ++refused;
    }
  }
  CHECK(refused > 60);
}

namespace {

/// Directions for gradients of 2^exponent, of which `unit` is in their unit and the rest in their entries.
void check_scale(const std::string& name, int unit, int entries) {
  const formula::Compiled compiled = formula::compiled(zoo_rule(name));
  const formula::Trait& trait = compiled.traits[compiled.graph.direction];
  const Matrix one = Matrix::Identity(6, 6);
  const auto run = [&](int exponent, double factor) {
    std::vector<DenseMatrix> tasks;
    for (std::uint64_t step = 0; step < 4; ++step)
      tasks.push_back({factor * reference::random_matrix(6, 6, "small", step)});
    return history(*optimizer_row("formula").make<DenseMatrix>(zoo_rule(name)), tasks,
                   coordinates(one, one, Vector::Constant(6, 0.2)), exponent);
  };
  const auto plain = run(0, 1);
  const auto small = run(unit, std::ldexp(1.0, entries));
  CAPTURE(name);
  REQUIRE(plain.failure.empty());
  REQUIRE(small.failure.empty());
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(small.directions[t].entries.allFinite());
    if (!trait.degree) continue;
    const double shift = small.exponents[t] - plain.exponents[t] - (unit + entries) * *trait.degree;
    const Matrix off = std::exp2(shift) * small.directions[t].entries - plain.directions[t].entries;
    // Norms of vectors whose squares underflow are summed in another unit, which rounds differently.
    CHECK(off.cwiseAbs().maxCoeff() <= 4e-15 * plain.directions[t].entries.cwiseAbs().maxCoeff());
  }
}

}  // namespace

TEST_CASE("gradients of 2^-600, by their unit or by their entries, scale directions by 2^(-600 degree)") {
  for (const auto& [name, unused] : zoo()) {
    check_scale(name, -600, 0);
    check_scale(name, 0, -600);
  }
}
