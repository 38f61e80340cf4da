// A rule that rotates on one side alone: every engine that takes it, and where engines are refused.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

/// Every column of the gradient at norm 1.
Experiment run_of(const ChosenRow& query, const ChosenRow& answer, std::size_t spectrum = 4,
                  double noise = 0.1) {
  Experiment e = experiment(spectra()[spectrum], query, answer, noise, optimizer_row("formula"));
  e.optimizers[0].step_size = 0.2;
  e.optimizers[0].parameters = {{"direction", std::string("G/colnorm(G)")}};
  return e;
}

const ChosenRow identity = embedding("identity"), orthogonal = embedding("orthogonal"),
                correlated = embedding("equicorrelated", {{"rho", 0.3}}),
                blocks = embedding("block_rotation");

}  // namespace

TEST_CASE("orthogonal answers drop out of column-normalised descent where queries are identity") {
  for (const double noise : {0.0, 0.1}) {
    const Experiment e = run_of(identity, orthogonal, 4, noise);
    CHECK(chosen_engines(e).front().reduction.engine() == "columns");
    CHECK(chosen_engines(e).front().reduction.task_basis);
  }
}

TEST_CASE("equicorrelated answers with identity queries run on the symmetric engine, columns refuse them") {
  const Experiment e = run_of(identity, correlated);
  CHECK(chosen_engines(e).front().reduction.engine() == "symmetric");
  CHECK_FALSE(takes(e, "columns"));
}

TEST_CASE("where queries have blocks, answers that drop out need none of their size") {
  for (const ChosenRow& answer : {identity, orthogonal, blocks}) {
    const Experiment e = run_of(blocks, answer);
    CAPTURE(answer.kind);
    CHECK(chosen_engines(e).front().reduction.block == 3);
  }
  // Another size, and blocks of another kind of rotation: they drop out as well.
  const ChosenRow pairs = embedding("block_rotation", {{"block", std::vector<double>{0.6, -0.8, 0.8, 0.6}}});
  CHECK(chosen_engines(run_of(blocks, pairs)).front().reduction.block == 3);
  CHECK_FALSE(takes(run_of(blocks, correlated), "symmetric"));
}
