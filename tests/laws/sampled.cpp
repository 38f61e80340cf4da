#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "sim/engines.hpp"

using namespace laws;

namespace {

Experiment sampled(const Component& spectrum, const Component& side, const std::string& mode, double noise,
                   const OptimizerRow& rule) {
  Experiment e = experiment(spectrum, side, side, noise, rule);
  e.data_mode = mode;
  e.data_parameters = {{mode == "minibatch" ? "batch" : "size", 9.0}};
  return e;
}

template <class Body>
void for_every_sampled(Body body) {
  for (const OptimizerRow& rule : complete_rules()) {
    for (const Component& spectrum : spectra()) {
      for (const char* kind : {"identity", "orthogonal"}) {
        for (const char* mode : {"minibatch", "dataset"}) {
          for (const double noise : {0.0, 0.1}) {
            CAPTURE(rule.name, spectrum.kind, kind, mode, noise);
            body(sampled(spectrum, embedding(kind), mode, noise, rule), rule);
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE(
    "a sampled run goes to columns where its rule keeps them and no noise is drawn, and else to what holds less") {
  for_every_sampled([&](const Experiment& e, const OptimizerRow& rule) {
    const Symmetries symmetries = rule.symmetries_of(e.optimizers[0].parameters);
    const bool drop_out =
        e.query_embedding.kind == "identity" || (symmetries.answers_rotate && symmetries.queries_rotate);
    const bool columns = symmetries.keeps_wrong_ties && drop_out && e.label_noise == 0;
    const EngineChoice choice = chosen_engines(e, 1e9).front();
    const Engine engine = choice.reduction.engine();
    CHECK((engine == Engine::columns) == columns);
    if (engine == Engine::symmetric) CHECK(takes(e, Engine::symmetric));
    // The reason names what stands in the way of each cheaper engine.
    if (!columns) CHECK(choice.reason.find("not columns") != std::string::npos);
    if (engine == Engine::dense) {
      CHECK(choice.reason.find("symmetric") != std::string::npos);
      CHECK((choice.reason.find("nearly every class is sampled") != std::string::npos) ==
            takes(e, Engine::symmetric));
    }
    if (e.label_noise > 0) CHECK(choice.reason.find("label noise draws") != std::string::npos);
  });
}
