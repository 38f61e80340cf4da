// Rules of the catalogue that are classes, and that a formula says as well: both come to the same numbers on every engine, and keep the same.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "optim/formula/formula.hpp"
#include "reference/as_formulas.hpp"

using namespace laws;

namespace {

/// Embeddings that lead to every engine and every reduction.
std::vector<std::pair<ChosenRow, ChosenRow>> pairs() {
  return {{embedding("identity"), embedding("identity")},
          {embedding("orthogonal"), embedding("orthogonal")},
          {embedding("identity"), embedding("block_rotation")},
          {embedding("equicorrelated", {{"rho", 0.3}}), embedding("orthogonal")},
          {embedding("gaussian", {{"dimension", 9.0}}), embedding("gaussian", {{"dimension", 7.0}})}};
}

ChosenRow with_angles(ChosenRow side) {
  if (side.kind == "block_rotation") side.parameters.set("angles", std::vector<double>{3.638, 2.949, 5.218});
  return side;
}

}  // namespace

TEST_CASE(
    "a rule of the catalogue and its formula keep the same and come to the same numbers on every engine") {
  std::size_t compared = 0;
  for (const OptimizerRow& rule : complete_rules()) {
    for (const ParameterValues& parameters : variants(rule)) {
      const std::optional<ParameterValues> found = as_formula(rule, parameters);
      if (!found) continue;
      const ParameterValues& definitions = *found;
      CAPTURE(rule.name, definitions.text("direction"));
      REQUIRE(formula_problems(definitions).empty());
      Symmetries derived = formula_symmetries(definitions);
      CHECK(derived == rule.symmetries_of(parameters));
      if (rule.definitions) continue;
      for (const auto& [query, answer] : pairs()) {
        Experiment e = experiment(spectra().front(), with_angles(query), with_angles(answer), 0.1, rule);
        e.optimizers.front().parameters = parameters;
        Experiment formula = e;
        formula.optimizers.front().rule = "formula";
        formula.optimizers.front().parameters = definitions;
        for (const std::string engine : {"columns", "symmetric", "dense"}) {
          CAPTURE(query.kind, answer.kind, engine);
          CHECK(takes(e, engine) == takes(formula, engine));
          if (!takes(e, engine)) continue;
          e.engine = formula.engine = engine;
          CHECK(distance(simulate(e, {}, 1), simulate(formula, {}, 1)) < 1e-11);
          ++compared;
        }
        e.engine = formula.engine = "auto";
      }
    }
  }
  CHECK(compared > 30);
}
