// Where larger step sizes are always better: the claim against runs.

#include "tables/run_notes.hpp"

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

double last_loss(Experiment e, double step_size) {
  e.optimizers[0].step_size = step_size;
  const Result result = simulate(e, {}, 1);
  return only_trajectory(result).series.at("loss").back();
}

}  // namespace

TEST_CASE("where larger is said to be better, the loss falls to nothing as the step size grows") {
  int said = 0;
  for (const OptimizerRow& rule : complete_rules()) {
    for (const Component& spectrum : spectra()) {
      for (const char* kind : {"identity", "orthogonal", "block_rotation"}) {
        const bool blocks = std::string_view(kind) == "block_rotation";  // of 3 classes
        if (blocks && spectrum.kind == "dyadic") continue;
        Experiment e = experiment(spectrum, embedding(kind), embedding(kind), 0, rule);
        e.steps = 6;
        if (!loss_falls_with_step_size(e, e.optimizers[0])) continue;
        ++said;
        // Far below this the gradient of the next step would be no double any more.
        double step_size = 1, before = std::log(classes_of(e).classes), loss = last_loss(e, step_size);
        while (loss > 1e-30 && step_size < 1e6) {
          before = loss;
          step_size *= 2;
          loss = last_loss(e, step_size);
        }
        CAPTURE(rule.name, spectrum.kind, kind, step_size);
        CHECK(loss < before);
        CHECK(loss < 1e-30);
      }
    }
  }
  CHECK(said > 50);
}

TEST_CASE(
    "it is not said of label noise, samples, Newton, or embeddings that mix what a rule does entry by entry") {
  const Component classes = spectra()[0];
  const auto said = [&](const std::string& rule, const std::string& kind, double noise,
                        const std::string& mode) {
    Experiment e = experiment(classes, embedding(kind), embedding(kind), noise, optimizer_row(rule));
    e.data_mode = mode;
    return loss_falls_with_step_size(e, e.optimizers[0]);
  };
  CHECK(said("muon", "orthogonal", 0, "population"));
  CHECK_FALSE(said("muon", "orthogonal", 0.1, "population"));
  CHECK_FALSE(said("muon", "orthogonal", 0, "minibatch"));
  CHECK_FALSE(said("newton", "identity", 0, "population"));
  CHECK_FALSE(said("signgd", "block_rotation", 0, "population"));
  // There a wrong answer beats the right one of a class, the more the larger the step.
  Experiment e =
      experiment(classes, embedding("identity"), embedding("identity"), 0, optimizer_row("signgd"));
  e.query_embedding = embedding("block_rotation");
  e.answer_embedding = embedding("block_rotation");
  e.steps = 1;
  CHECK(last_loss(e, 1000) > last_loss(e, 10));
}
