// The notes of a complete run.

#include <catch2/catch.hpp>

#include "experiment/read.hpp"
#include "laws/experiments.hpp"
#include "sim/outcome.hpp"

using namespace laws;

TEST_CASE("what to know of a complete run is its detail, beside where its step size comes from") {
  const struct {
    std::string optimizer;
    double noise;
    std::string source, detail;
  } cases[] = {
      {"rule = 'gd'\nstep_size = 3", 0, "", ""},
      {"rule = 'gd'\nstep_size = '1/p_max'", 0, "1/p_max", ""},
      {"rule = 'muon'\nstep_size = {search = [1, 2, 3]}", 0, "best of 3 in [1, 2], loss",
       "the best step size, 2, is the largest tried; a better one may lie beyond"},
      {"rule = 'muon'\nstep_size = {search = [0.01, '4/K', 3], minimise = 'error'}", 0.1,
       "best of 3 in [0.01, 4/K], error", "a better one may lie beyond"},
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
