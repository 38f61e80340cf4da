// Runs on samples in the symmetric algebra, of the classes that the samples show and one group of all others, against
// dense ones of every class.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

TEST_CASE("of right answers that nobody drew doubles have the digits of fifty") {
  // Half of the answers are random: the right one of a query may not be among those drawn and gets ever less likely, and what is
  // drawn in equal parts ties. Signs of both are those of numbers far below the rounding of 1.
  for (const std::string engine : {"symmetric", "dense"}) {
    Experiment e = identity_run(power_law(40.0, 1.0), "signgd", 0.5);
    e.data_mode = "dataset";
    e.data_parameters = {{"size", 12.0}};
    e.steps = 40;
    e.optimizers[0].step_size = 1;
    e.engine = "symmetric";
    e.precision = 50;
    const Result exact = simulate(e, {}, 1);
    e.engine = engine;
    e.precision = 16;
    const Result doubles = simulate(e, {}, 1);
    CAPTURE(engine);
    check_close(series(doubles, "loss"), series(exact, "loss"), 1e-13);
  }
}

TEST_CASE(
    "a dense run counts the ranks of the classes that samples show, not of rounding in the columns of others") {
  Experiment e = identity_run(power_law(40.0, 1.2), "muon", 0.3);
  e.optimizers[0].parameters.set("momentum", 0.9);
  e.data_mode = "minibatch";
  e.data_parameters = {{"batch", 4.0}};
  e.seed = 4;
  e.spectral_metrics = "on";
  e.steps = 30;
  const Result held = on_engine(e, "symmetric");
  const Result dense = on_engine(e, "dense");
  for (const char* name : {"update_rank", "weight_rank"})
    CHECK(only_trajectory(held).series.at(name) == only_trajectory(dense).series.at(name));
}
