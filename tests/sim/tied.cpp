#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "sim/inputs.hpp"

using namespace laws;

TEST_CASE("tied embeddings are one matrix, others are two, on every engine") {
  const Workers workers(1);
  for (const Component& kind : {embedding("orthogonal"), embedding("equicorrelated", {{"rho", 0.3}}),
                                embedding("noisy", {{"sigma", 0.2}}),
                                embedding("gaussian", {{"dimension", 4.0}}), embedding("block_rotation")}) {
    for (const bool tied : {false, true}) {
      CAPTURE(kind.kind, tied);
      Experiment e = experiment({"uniform", {{"count", 12.0}}}, kind, kind, 0, optimizer_row("signgd"));
      e.tied = tied;
      const Spectrum spectrum = classes_of(e);
      const DenseEmbeddings both = SharedInputs(e, spectrum, {}, workers).embeddings({});
      CHECK((*both.query == *both.answer) == tied);
      if (kind.kind != "block_rotation") continue;
      e.engine = Engine::dense;
      const double dense = only_trajectory(simulate(e, {}, 1)).series.at("loss").back();
      e.engine = Engine::symmetric;
      CHECK(only_trajectory(simulate(e, {}, 1)).series.at("loss").back() == Approx(dense).epsilon(1e-12));
    }
  }
}
