// What is said of a complete run; where larger step sizes are always better: the claim against runs.

#include <catch2/catch.hpp>

#include "experiment/read.hpp"
#include "laws/experiments.hpp"
#include "sim/outcome.hpp"

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
    "it is said of no label noise, samples, Newton, or embeddings that mix what a rule does entry by entry") {
  struct Case {
    const char *rule, *kind, *mode;
    double noise;
    bool said;
  };
  for (const auto& [rule, kind, mode, noise, said] :
       {Case{"muon", "orthogonal", "population", 0, true},
        Case{"muon", "orthogonal", "population", 0.1, false},
        Case{"muon", "orthogonal", "minibatch", 0, false}, Case{"newton", "identity", "population", 0, false},
        Case{"signgd", "block_rotation", "population", 0, false}}) {
    Experiment e = experiment(spectra()[0], embedding(kind), embedding(kind), noise, optimizer_row(rule));
    e.data_mode = mode;
    CAPTURE(rule, kind, mode, noise);
    CHECK(loss_falls_with_step_size(e, e.optimizers[0]) == said);
  }
}

TEST_CASE("what to know of a complete run is its detail, beside where its step size comes from") {
  const struct {
    std::string optimizer;
    double noise;
    std::string source, detail;
  } cases[] = {
      {"rule = 'gd'\nstep_size = 3", 0, "", ""},
      {"rule = 'gd'\nstep_size = '1/p_max'", 0, "1/p_max", ""},
      {"rule = 'muon'\nstep_size = {search = [1, 2, 3]}", 0, "best of 3 in [1, 2], loss",
       "the best step size, 2, is the largest tried; without label noise larger is always better"},
      {"rule = 'muon'\nstep_size = {search = [0.01, '4/K', 3], minimise = 'steps_to_error', below = 0.9}",
       0.1, "best of 3 in [0.01, 4/K], steps_to_error < 0.9 (rarest)", "a better one may lie beyond"},
      {"rule = 'adam'\nstep_size = 0.1\nepsilon = 0.5", 0, "",
       "is below ε = 0.5, which makes its steps smaller"},
      {"rule = 'adam'\nstep_size = 0.1\nepsilon = 0", 0, "", ""},
  };
  for (const auto& [optimizer, noise, source, detail] : cases) {
    INFO(optimizer);
    const Result result = simulate(
        parse_experiment("name = 'n'\n[classes]\nspectrum = 'uniform'\ncount = 12\n[data]\nlabel_noise = " +
                             std::to_string(noise) + "\n[run]\nsteps = 1\n[[optimizer]]\n" + optimizer,
                         "n.toml"),
        {}, 1);
    const Trajectory& trajectory = only_trajectory(result);
    CHECK(trajectory.step_size_source == source);
    CHECK_THAT(trajectory.status_detail, Catch::Contains(detail));
    CHECK(trajectory.status_detail.empty() == detail.empty());
  }
}
