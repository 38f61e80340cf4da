#include "sim/engines.hpp"

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "laws/forced.hpp"
#include "model/symmetric_layout.hpp"

using namespace laws;

namespace {

/// Pairs (query, answer) of embeddings for a spectrum of K classes.
std::vector<std::pair<ChosenRow, ChosenRow>> embedding_pairs() {
  return {{embedding("identity"), embedding("identity")},
          {embedding("orthogonal"), embedding("orthogonal")},
          {embedding("orthogonal"), embedding("identity")},
          {embedding("block_rotation", {{"angles", std::vector<double>{1.715, 0.876, 3.098}}}),
           embedding("block_rotation", {{"angles", std::vector<double>{3.638, 2.949, 5.218}}})},
          {embedding("identity"),
           embedding("block_rotation", {{"angles", std::vector<double>{3.638, 2.949, 5.218}}})},
          {embedding("equicorrelated", {{"rho", 0.3}}), embedding("equicorrelated", {{"rho", 0.3}})},
          {embedding("equicorrelated", {{"rho", 0.5}}), embedding("orthogonal")}};
}

bool has_blocks_that_do_not_fit(const Experiment& e) {
  const bool blocks =
      e.query_embedding.kind == "block_rotation" || e.answer_embedding.kind == "block_rotation";
  return blocks && std::fmod(classes_of(e).classes, 3) != 0;
}

template <class Body>
void for_every_experiment(Body body) {
  for (const OptimizerRow& rule : complete_rules()) {
    for (const ChosenRow& spectrum : spectra()) {
      for (const auto& [query, answer] : embedding_pairs()) {
        for (const double noise : {0.0, 0.1}) {
          const Experiment e = experiment(spectrum, query, answer, noise, rule);
          if (has_blocks_that_do_not_fit(e)) continue;
          CAPTURE(rule.name, spectrum.kind, query.kind, answer.kind, noise);
          body(e, rule);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("every claim that is not made is false: the refused engine gives another trajectory") {
  std::size_t refused = 0;
  for_every_experiment([&](const Experiment& e, const OptimizerRow& rule) {
    // A uniform spectrum has more symmetry than the table knows; equal steps of a sign rule may agree by
    // chance at the start, so the whole trajectory is compared, and only over spectra with several groups.
    if (e.spectrum.kind == "uniform") return;
    for (const std::string engine : {"columns", "symmetric"}) {
      if (takes(e, engine)) continue;
      const bool there = engine == "columns"
                             ? rule.symmetries_of(e.optimizers.front().parameters).keeps_wrong_ties
                             : !rule.reads_hessian;
      if (!there) continue;  // muon, newton: there is nothing to run
      CAPTURE(engine);
      CHECK(distance(written_out(e), forced(e, engine)) > 1e-6);
      ++refused;
    }
  });
  CHECK(refused > 50);
}
