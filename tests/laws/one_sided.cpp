// A rule that rotates on one side alone: every engine that takes it, and where engines are refused.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

/// Every column of the gradient at norm 1.
Experiment run_of(const Component& query, const Component& answer, std::size_t spectrum = 4,
                  double noise = 0.1) {
  Experiment e = experiment(spectra()[spectrum], query, answer, noise, optimizer_row("formula"));
  e.optimizers[0].step_size = 0.2;
  e.optimizers[0].parameters = {{"direction", std::string("G/colnorm(G)")}};
  return e;
}

const Component identity = embedding("identity"), orthogonal = embedding("orthogonal"),
                correlated = embedding("equicorrelated", {{"rho", 0.3}}),
                blocks = embedding("block_rotation");

}  // namespace

TEST_CASE("orthogonal answers drop out of column-normalised descent where queries are identity") {
  for (const double noise : {0.0, 0.1}) {
    const Experiment e = run_of(identity, orthogonal, 4, noise);
    CHECK(chosen_engines(e).front().reduction.engine() == Engine::columns);
    CHECK(chosen_engines(e).front().reduction.task_basis);
  }
}

TEST_CASE("equicorrelated answers with identity queries run on the symmetric engine, columns refuse them") {
  const Experiment e = run_of(identity, correlated);
  CHECK(chosen_engines(e).front().reduction.engine() == Engine::symmetric);
  CHECK_FALSE(takes(e, Engine::columns));
}

TEST_CASE("where queries have blocks, answers that drop out need none of their size") {
  for (const Component& answer : {identity, orthogonal, blocks}) {
    const Experiment e = run_of(blocks, answer);
    CAPTURE(answer.kind);
    CHECK(chosen_engines(e).front().reduction.block == 3);
  }
  // Another size, and blocks of another kind of rotation: they drop out as well.
  const Component pairs = embedding("block_rotation", {{"block", std::vector<double>{0.6, -0.8, 0.8, 0.6}}});
  CHECK(chosen_engines(run_of(blocks, pairs)).front().reduction.block == 3);
  CHECK_FALSE(takes(run_of(blocks, correlated), Engine::symmetric));
}

TEST_CASE(
    "a rule that needs gaps between singular values runs on dense, where no two classes are equally likely") {
  const auto said = [](const Component& spectrum, const std::string& mode, Engine engine) {
    Experiment e = experiment(spectrum, identity, identity, 0, optimizer_row("gd"));
    e.data_mode = mode;
    if (mode == "minibatch") e.data_parameters = {{"batch", 9.0}};
    const Spectrum classes = classes_of(e);
    EngineQuery asked(e, classes, e.optimizers.front());
    asked.symmetries.needs_gaps = true;
    const ReductionOrRefusal outcome = reduce(asked, engine);
    const auto* refusal = std::get_if<Refusal>(&outcome);
    return refusal == nullptr ? "" : refusal->why;
  };
  const Component distinct = spectra()[2], grouped = spectra()[4];
  const std::string equal =
      "equally likely classes have equal singular values, and gd is defined only where they differ";
  for (const Engine engine : {Engine::columns, Engine::symmetric, Engine::quadrature}) {
    CHECK(said(distinct, "population", engine) ==
          "gd is defined only where singular values differ, which the dense engine alone sees");
    CHECK(said(grouped, "population", engine) == equal);
  }
  CHECK(said(grouped, "population", Engine::dense) == equal);
  CHECK(said({"dyadic", {{"levels", std::int64_t{4}}}}, "population", Engine::dense) == equal);
  CHECK(said(distinct, "population", Engine::dense).empty());
  CHECK(said(grouped, "minibatch", Engine::dense).empty());
}
