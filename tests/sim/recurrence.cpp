// Updates that a state that comes back repeats are passed over, and nothing is another number for it.

#include "sim/recurrence.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "laws/experiments.hpp"
#include "model/column_memory.hpp"
#include "model/margin.hpp"
#include "sim/train.hpp"

using namespace laws;

namespace {

Experiment noisy(const std::string& rule, double step_size, std::int64_t steps) {
  Experiment e = experiment({"power_law", {{"count", 8.0}, {"exponent", 1.2}}}, embedding("identity"),
                            embedding("identity"), 0.1, optimizer_row(rule));
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  e.record = {.kind = RecordRule::Kind::log, .log = 3};
  return e;
}

/// The period of x -> x² + c mod n from x = 2 and when it was known, with an interruption at every step if asked.
std::pair<std::int64_t, std::int64_t> cycle_of(std::int64_t c, std::int64_t n, bool interrupted) {
  Recurrence states;
  std::int64_t x = 2;
  for (std::int64_t step = 1;; ++step) {
    x = (x * x + c) % n;
    Archive state;
    state(x);
    if (const std::int64_t period = states.period(step, state.take())) return {period, step};
    if (!interrupted) continue;
    Archive kept;
    kept(states);
    const std::vector<std::byte> bytes = kept.take();
    Archive again(bytes);
    states = {};
    again(states);
  }
}

}  // namespace

TEST_CASE("the period of a cycle is known soon after it has closed") {
  for (const std::int64_t n : {3, 10, 101, 997, 10007}) {
    std::map<std::int64_t, std::int64_t> seen;
    std::int64_t x = 2, step = 0;
    while (seen.try_emplace(x, step).second) {
      x = (x * x + 1) % n;
      ++step;
    }
    const std::int64_t entered = seen[x], period = step - entered;
    const auto [found, at] = cycle_of(1, n, false);
    CAPTURE(n, entered, period);
    CHECK(found % period == 0);
    CHECK(found == period);
    CHECK(at <= 2 * std::max<std::int64_t>({entered, period, 1}) + period);
    CHECK(cycle_of(1, n, true) == std::pair(found, at));
  }
}

TEST_CASE("with label noise strides of one size end in cycles, whose steps need not be made") {
  for (const auto& [rule, step_size] : {std::pair{"signgd", 0.3}, {"tra_signgd", 0.3}, {"ngd", 1.0}}) {
    CAPTURE(rule);
    Experiment e = noisy(rule, step_size, 1'000'001);
    const Result passed = simulate(e, {}, 1);
    e.fast_forward = "off";
    const Result stepped = simulate(e, {}, 1);
    const Trajectory &a = only_trajectory(passed), &b = only_trajectory(stepped);
    CHECK(a.status == "complete");
    CHECK(a.updates < 10'000);
    CHECK(b.updates == 1'000'001);
    CHECK(a.fast_forward_error == 0);
    for (const char* name : {"loss", "error", "class_loss", "excess_loss"})
      CHECK(a.series.at(name) == b.series.at(name));

    const Result endless = simulate(noisy(rule, step_size, 9'000'000'000'000'000'000), {}, 1);
    CHECK(only_trajectory(endless).status == "complete");
    CHECK(only_trajectory(endless).updates < 10'000);
  }
}

TEST_CASE("a training whose states do not come back ends with what it has recorded") {
  const Experiment e = noisy("adam", 0.3, 2'000'000'000);
  const ClassGroups groups = *classes_of(e).groups;
  const TrainingPlan plan{.steps = e.steps,
                          .step_size = 0.3,
                          .recorded = recorded_steps(e.record, e.steps),
                          .cycles = true,
                          .most_updates = 1000};
  const ColumnMemory memory({groups, e.label_noise});
  const std::vector<Cell> cells = memory.cells();
  const ClassRows rows = rows_at(requested_ranks(e.classes, classes_of(e)), classes_of(e));
  Trajectory trajectory;
  RowRecorder recorder(cells, CellsToRows(cells, rows), rows.size(), plan.recorded.size(),
                       {irreducible_loss(8, e.label_noise), 8}, trajectory);
  const auto rule = optimizer_row("adam").columns(e.optimizers[0].parameters);
  train(memory, *rule, plan, recorder, Workers::serial(), trajectory);
  CHECK(trajectory.status == "failed");
  CHECK(trajectory.updates == 1000);
  CHECK_THAT(trajectory.status_detail, Catch::Contains("no state has come back in 1000 updates"));
  CHECK(trajectory.series.at("loss").front() == Approx(std::log(8)));
}
