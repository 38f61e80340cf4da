// Rules of the zoo for gradients near the least double.

#include <catch2/catch.hpp>

#include "laws/formula_histories.hpp"
#include "laws/zoo.hpp"
#include "optim/formula/evaluate.hpp"
#include "optim/formula/formula.hpp"
#include "reference/random_matrix.hpp"

using namespace laws;

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
