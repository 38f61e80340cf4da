// Points of a sweep one by one: their order, their threads, and stopping.

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <numeric>
#include <set>

#include "sweep/sweep.hpp"

using namespace rarefact;

namespace {

/// Runs of 10 (i + 1) steps.
SweepPlan growing_plan(std::size_t size) {
  return {size, [](std::size_t index) {
            SweepPoint point;
            point.parameters = {{"run.steps", 10.0 * static_cast<double>(index + 1)}};
            Experiment& e = point.experiment;
            e.name = "growing";
            e.spectrum = {"uniform", {{"count", 8.0}}};
            e.query_embedding = e.answer_embedding = {"identity", {}};
            e.steps = 10 * static_cast<std::int64_t>(index + 1);
            e.optimizers = {{"gd", "gd", 0.5, {}}};
            return point;
          }};
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

}  // namespace

TEST_CASE("a survey knows which points are longer, whatever the memory of the machine") {
  PlanPoints points(growing_plan(5));
  const SweepSurvey survey = survey_sweep(points, 1e12, 2);
  REQUIRE(survey.seconds.size() == 5);
  CHECK(std::ranges::is_sorted(survey.seconds, std::less_equal()));
  // They do not depend on the memory of the machine: every machine deals shards out alike.
  CHECK(survey_sweep(points, 1e6, 1).seconds == survey.seconds);
}

TEST_CASE("a point is made once, however many threads look at it and run it") {
  std::mutex mutex;
  std::vector<int> made(40, 0);
  PlanPoints points({40, [&](std::size_t index) {
                       const std::lock_guard lock(mutex);
                       ++made[index];
                       return growing_plan(40).point(index);
                     }});
  const SweepSurvey survey = survey_sweep(points, 1e12, 2);
  CHECK(std::set<PointId>(survey.ids.begin(), survey.ids.end()).size() == 40);
  run_points(points, first(40), {2, 2}, [&](const Point& point, Result) {
    const auto index = static_cast<std::size_t>(point.experiment.steps / 10 - 1);
    const std::lock_guard lock(mutex);
    CHECK(point.id == survey.ids[index]);
  });
  CHECK(made == std::vector<int>(40, 1));
}

TEST_CASE("points have their turns in the order given, and each gives the numbers it gives alone") {
  std::vector<std::size_t> begun;
  std::vector<Result> results;
  std::vector<std::size_t> order = {2, 0, 1, 3};
  PlanPoints points(growing_plan(4));
  run_points(
      points, order, {1, 1},
      [&](const Point& point, Result result) {
        CHECK(result.runs[0].parameters == point.parameters);
        results.push_back(std::move(result));
      },
      [&](std::size_t index) {
        begun.push_back(index);
        // Another process computes point 2 until there is nothing else to do, and has stored point 1.
        return index == 1 ? Turn::skip : index == 2 && begun.size() < 6 ? Turn::later : Turn::compute;
      });
  CHECK(begun == std::vector<std::size_t>{2, 0, 1, 3, 2, 2});
  order = {0, 3, 2};
  REQUIRE(results.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(results[i].runs[0].index == static_cast<std::int64_t>(order[i]));
    const Result alone = simulate(growing_plan(4).point(order[i]).experiment, {}, 1);
    CHECK(results[i].runs[0].trajectories[0].series.at("error") ==
          alone.runs[0].trajectories[0].series.at("error"));
  }
}

TEST_CASE("a request to stop is noticed between points and within them, and finished points are kept") {
  for (const int threads : {1, 2}) {
    std::atomic<int> finished = 0;
    const auto stop_after = [&](int points) -> StopCheck {
      return [&finished, points] {
        if (finished >= points) throw StoppedEarly{};
      };
    };
    const auto sink = [&](const Point&, Result) { ++finished; };
    PlanPoints many(growing_plan(50)), one(growing_plan(1));
    CHECK_THROWS_AS(run_points(many, first(50), {threads, threads}, sink, {}, stop_after(3)), StoppedEarly);
    CHECK(finished >= 3);
    CHECK(finished <= 3 + threads);
    // In the middle of the only point.
    finished = 0;
    std::atomic<int> asked = 0;
    CHECK_THROWS_AS(run_points(one, {0}, {threads, threads}, sink, {},
                               [&] {
                                 if (++asked == 5) throw StoppedEarly{};
                               }),
                    StoppedEarly);
    CHECK(finished == 0);
    CHECK_THROWS_AS(survey_sweep(many, 1e12, threads, [] { throw StoppedEarly{}; }), StoppedEarly);
  }
}

TEST_CASE("an error of whoever takes the results ends the sweep") {
  const auto sink = [](const Point&, Result) { throw FileError("full"); };
  PlanPoints points(growing_plan(5));
  CHECK_THROWS_AS(run_points(points, first(5), {2, 2}, sink), FileError);
  run_points(points, {}, {2, 2}, sink);  // nothing to do
}
