#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

Experiment gaussian_experiment(const std::string& rule, std::int64_t seed) {
  const ChosenRow side = embedding("gaussian", {{"dimension", std::int64_t{24}}});
  Experiment e = experiment(power_law(90.0, 1.5), side, side, seed % 3 ? 0 : 0.1, optimizer_row(rule));
  e.seed = seed;
  e.steps = 20;
  e.record = {RecordRule::Kind::every, 5, {}};
  e.engine = "dense";
  if (seed % 2) {
    e.data_mode = "minibatch";
    e.data_parameters = {{"batch", 40.0}};
  }
  return e;
}

}  // namespace

TEST_CASE(
    "runs in single precision are right to the digits that they claim, and these are single precision's") {
  double claims = 0, sum = 0, over = 0;
  for (const char* rule : {"gd", "signgd", "adam", "muon"}) {
    for (std::int64_t seed = 1; seed <= 8; ++seed) {
      Experiment e = gaussian_experiment(rule, seed);
      const Result truth = simulate(e, {}, 1);
      e.arithmetic = "single";
      e.digits = "on";
      const Result single = simulate(e, {}, 1);
      CAPTURE(rule, seed);
      CHECK(series(single, "loss") != series(truth, "loss"));
      const std::vector<double>&x = series(single, "loss"), &y = series(truth, "loss"),
            &claimed = series(single, "loss_digits");
      double least = 16;
      for (std::size_t i = 1; i < x.size(); ++i) {  // at W = 0 nothing is rounded
        least = std::min(least, -std::log10(std::abs(x[i] / y[i] - 1)));
        CAPTURE(i, least, claimed[i]);
        over += claimed[i] > least + 1;
        sum += claimed[i];
        ++claims;
      }
      if (std::string(rule) == "gd") CHECK(least > 5);
    }
  }
  CHECK(over <= 0.02 * claims);
  CHECK(sum / claims > 3.5);
  CHECK(sum / claims < 7.5);
}
