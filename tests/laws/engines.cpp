// What an engine refuses would be wrong on it.

#include <catch2/catch.hpp>
#include <map>

#include "laws/experiments.hpp"
#include "laws/forced.hpp"
#include "laws/zoo.hpp"
#include "model/symmetric_layout.hpp"
#include "sim/cost.hpp"

using namespace laws;

namespace {

/// Pairs (query, answer) of embeddings.
std::vector<std::pair<ChosenRow, ChosenRow>> embedding_pairs() {
  const ChosenRow identity = embedding("identity"), orthogonal = embedding("orthogonal"),
                  correlated = embedding("equicorrelated", {{"rho", 0.3}}),
                  query_blocks =
                      embedding("block_rotation", {{"angles", std::vector<double>{1.715, 0.876, 3.098}}}),
                  answer_blocks =
                      embedding("block_rotation", {{"angles", std::vector<double>{3.638, 2.949, 5.218}}});
  return {{identity, identity},
          {orthogonal, orthogonal},
          {orthogonal, identity},
          {identity, orthogonal},
          {query_blocks, answer_blocks},
          {identity, answer_blocks},
          {correlated, correlated},
          {correlated, orthogonal},
          {embedding("equicorrelated", {{"rho", 0.5}}), orthogonal}};
}

bool has_blocks_that_do_not_fit(const Experiment& e) {
  const bool blocks =
      e.query_embedding.kind == "block_rotation" || e.answer_embedding.kind == "block_rotation";
  return blocks && std::fmod(classes_of(e).classes, 3) != 0;
}

/// Every rule with its defaults, and those of the zoo that equal singular values do not rule out.
std::vector<OptimizerChoice> rules() {
  std::vector<OptimizerChoice> all;
  for (const OptimizerRow& row : complete_rules())
    all.push_back({row.name, row.name, 0, with_defaults(row.parameters, {})});
  for (const auto& [name, experiment] : zoo()) {
    if (optimizer_row("formula").symmetries_of(zoo_rule(name)).needs_gaps) continue;
    all.push_back(experiment.optimizers.front());
    all.back().name = name;
  }
  return all;
}

}  // namespace

TEST_CASE("every claim that is not made is false: the refused engine gives another trajectory") {
  std::map<std::string, int> refused;
  for (const OptimizerChoice& rule : rules()) {
    const OptimizerRow& row = optimizer_row(rule.rule);
    for (const ChosenRow& spectrum : spectra()) {
      // A uniform spectrum has more symmetry than the table knows; equal steps of a sign rule may agree by
      // chance at the start, so the whole trajectory is compared, and only over spectra with several groups.
      if (spectrum.kind == "uniform") continue;
      for (const auto& [query, answer] : embedding_pairs()) {
        for (const double noise : {0.0, 0.1}) {
          Experiment e = experiment(spectrum, query, answer, noise, row);
          if (has_blocks_that_do_not_fit(e)) continue;
          if (rule.rule == "formula") e.optimizers = {rule};
          for (const std::string engine : {"columns", "symmetric"}) {
            if (takes(e, engine)) continue;
            const bool there = engine == "columns" ? row.symmetries_of(rule.parameters).keeps_wrong_ties
                                                   : !row.reads_hessian;
            if (!there) continue;  // muon, newton: there is nothing to run
            if (rule.name == "whitened_gd" && engine == "columns") continue;  // takes out all correlation
            CAPTURE(rule.name, spectrum.kind, query.kind, answer.kind, noise, engine);
            CHECK(distance(written_out(e), forced(e, engine)) > 1e-3);
            ++refused[engine];
          }
        }
      }
    }
  }
  CHECK(refused["columns"] > 500);
  CHECK(refused["symmetric"] > 500);
}
