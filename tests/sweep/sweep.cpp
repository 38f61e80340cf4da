#include "sweep/sweep.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "io/scratch_folder.hpp"
#include "optim/update_rule.hpp"
#include "rarefact/error.hpp"
#include "reference/with_defaults.hpp"
#include "results/same_result.hpp"
#include "sweep/point_merge.hpp"
#include "sweep/point_writer.hpp"

using namespace rarefact;

namespace {

Experiment experiment_of(double groups, std::int64_t steps, const std::string& kind = "identity") {
  Experiment experiment;
  experiment.name = "sweep";
  experiment.spectrum = {"grouped_power_law", {{"groups", groups}, {"group_size", 4.}, {"exponent", 1.}}};
  experiment.query_embedding = experiment.answer_embedding = {kind, {}};
  if (kind == "equicorrelated") {
    experiment.query_embedding.parameters.set("rho", 0.3);
    experiment.answer_embedding = experiment.query_embedding;
  }
  experiment.steps = steps;
  experiment.optimizers = {{"gd", "gd", 1, {}},
                           {"muon", "muon", 0.5, with_defaults(optimizer_row("muon").parameters, {})}};
  return experiment;
}

/// Points that differ in groups, 2 to 2 + size - 1.
SweepPlan plan_of(std::size_t size) {
  return {size, [](std::size_t i) {
            const auto groups = static_cast<double>(i + 2);
            return SweepPoint{{{"classes.groups", groups}}, experiment_of(groups, 5)};
          }};
}

/// All points in memory, joined as files are merged.
Result run_sweep(const SweepPlan& plan, int threads, int concurrent) {
  std::vector<std::size_t> indices(plan.size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::vector<Result> parts(plan.size);
  PlanPoints points(plan);
  run_points(points, indices, {threads, concurrent},
             [&](const Point&, Result result) { parts[result.runs.front().index] = std::move(result); });
  MergedSchema head;
  for (const Result& part : parts) head.add(part);
  Result joined = head.head();
  for (Result& part : parts) joined.runs.push_back(spread_runs(std::move(part), joined.steps).front());
  return joined;
}

}  // namespace

TEST_CASE("every run of a sweep is that of its experiment alone, with its index and parameters") {
  const SweepPlan plan = plan_of(5);
  const Result result = run_sweep(plan, 2, 2);
  CHECK(result.title == "sweep");
  CHECK(result.optimizers == std::vector<std::string>{"gd", "muon"});
  REQUIRE(result.runs.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(result.runs[i].index == static_cast<std::int64_t>(i));
    CHECK(result.runs[i].parameters == plan.point(i).parameters);
    require_same_run(result.runs[i], simulate(plan.point(i).experiment, {}, 1).runs[0]);
  }
  // Stored and joined in a file, in which later thousands of points are written behind the first.
  const ExperimentPlan many = parse_plan(
      "name = 'many'\n[classes]\nspectrum = 'power_law'\ncount = 3\nexponent = 1\n[run]\nsteps = 2\n"
      "[[optimizer]]\nrule = 'gd'\n[sweep]\n'optimizer.gd.step_size' = {linspace = [0.1, 1, 4100]}\n",
      "many.toml");
  const ScratchFolder folder;
  PointStore store(folder / "many.h5");
  const std::vector<PointId> ids = point_ids(many, 2);
  PointWriter writer(store, {});
  const std::vector<std::size_t> there = {0, 7, 4095, 4096, 4099};
  for (const std::size_t i : there) writer.put(ids[i], simulate(many.point(i).experiment, {}, 1));
  writer.finish();
  const FileBytes bytes = merge_points(many, store, ids, inspect_points(store, ids, 2), 2, {});
  write_result_file(bytes, "", folder / "joined.h5");
  const Result joined = read_result(folder / "joined.h5");
  REQUIRE(joined.runs.size() == 4100);
  CHECK(std::ranges::count(joined.runs, std::string("missing"),
                           [](const Run& run) { return run.trajectories[0].status; }) == 4095);
  for (const std::size_t i : there) {
    CHECK(joined.runs[i].index == static_cast<std::int64_t>(i));
    CHECK(joined.runs[i].parameters == many.parameters(i));
    const Trajectory alone = simulate(many.point(i).experiment, {}, 1).runs[0].trajectories[0];
    CHECK(joined.runs[i].trajectories[0].step_size == alone.step_size);
    CHECK(joined.runs[i].trajectories[0].series.at("error") == alone.series.at("error"));
  }
}

TEST_CASE("points along the axis of one optimizer share the runs of the others") {
  const SweepPlan plan{3, [](std::size_t i) {
                         Experiment experiment = experiment_of(4, 6);
                         experiment.optimizers[1].step_size = 0.25 * static_cast<double>(i + 1);
                         return SweepPoint{{}, std::move(experiment)};
                       }};
  const Result shared = run_sweep(plan, 1, 1);
  for (std::size_t i = 0; i < 3; ++i)
    require_same_run(shared.runs[i], simulate(plan.point(i).experiment, {}, 1).runs[0]);
  KnownOutcomes known;
  for (std::size_t i = 0; i < 3; ++i) {
    std::set<std::string> trained;
    const Progress note = [&](const std::string& optimizer, std::int64_t, std::int64_t) {
      trained.insert(optimizer);
    };
    simulate(plan.point(i).experiment, {}, 1, {.progress = note, .known = &known});
    CHECK(trained == (i == 0 ? std::set<std::string>{"gd", "muon"} : std::set<std::string>{"muon"}));
  }
}

TEST_CASE("runs of different length share the union of their steps and read NaN where they have none") {
  const SweepPlan plan{2, [](std::size_t i) {
                         Experiment experiment = experiment_of(2, i == 0 ? 4 : 7);
                         experiment.record.kind = RecordRule::Kind::every;
                         experiment.record.every = i == 0 ? 1 : 3;
                         return SweepPoint{{}, experiment};
                       }};
  const Result result = run_sweep(plan, 1, 1);
  CHECK(result.steps == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7});
  const auto recorded = [&](std::size_t run, const std::string& name, std::size_t row) {
    std::vector<std::int64_t> steps;
    const auto& series = result.runs[run].trajectories[0].series.at(name);
    REQUIRE(series.size() == result.steps.size() * row);
    for (std::size_t s = 0; s < result.steps.size(); ++s) {
      if (!std::isnan(series[s * row + row - 1])) steps.push_back(result.steps[s]);
    }
    return steps;
  };
  for (const auto& [name, row] : {std::pair<std::string, std::size_t>{"loss", 1}, {"error", 2}}) {
    CHECK(recorded(0, name, row) == std::vector<std::int64_t>{0, 1, 2, 3, 4});
    CHECK(recorded(1, name, row) == std::vector<std::int64_t>{0, 3, 6, 7});
  }
  const Result alone = simulate(plan.point(1).experiment, {}, 1);
  CHECK(result.runs[1].trajectories[1].series.at("error")[6 * 2 + 1] ==
        alone.runs[0].trajectories[1].series.at("error")[3 * 2 + 1]);
}

TEST_CASE("variables of a sweep are those of any point, and name the theorems of all") {
  const SweepPlan plan{2, [](std::size_t i) {
                         SweepPoint point{{}, experiment_of(2, 4, i == 0 ? "equicorrelated" : "identity")};
                         if (i == 0) point.experiment.label_noise = 0.1;
                         return point;
                       }};
  const Result joined = run_sweep(plan, 1, 1), alone = simulate(plan.point(1).experiment, {}, 1);
  const auto source = [](const Result& result, const std::string& name) {
    for (const Variable& variable : result.variables) {
      if (variable.name == name) return variable.source;
    }
    return std::string("absent");
  };
  REQUIRE(source(simulate(plan.point(0).experiment, {}, 1), "error_predicted") == "none");
  CHECK(source(joined, "error_predicted") == source(alone, "error_predicted"));
  std::set<std::string> names;
  for (const Variable& variable : joined.variables) CHECK(names.insert(variable.name).second);
  for (const Variable& variable : alone.variables) CHECK(names.contains(variable.name));
}

TEST_CASE("points that need more memory than there is are listed apart, since another machine may run them") {
  PlanPoints single(plan_of(1));
  const double one = survey_sweep(single, 1e12, 1).largest_memory;
  PlanPoints points({40, [](std::size_t i) {
                       return SweepPoint{{}, experiment_of(i % 10 == 3 ? 200 : 2, 4)};
                     }});
  for (const int threads : {1, 2}) {
    const SweepSurvey survey = survey_sweep(points, 10 * one, threads);
    CHECK(survey.refused == 0);
    CHECK(survey.too_large == std::vector<std::size_t>{3, 13, 23, 33});
    CHECK(survey.largest_memory <= 10 * one);
    CHECK(survey.seconds[3] > survey.seconds[4]);
    // The same engines are chosen where there is room.
    CHECK(survey.engines == survey_sweep(points, 1e15, threads).engines);
  }
}

TEST_CASE("a survey shows the first ten points that cannot run, and counts the others") {
  PlanPoints points({40, [](std::size_t i) {
                       Experiment experiment = experiment_of(2, 4);
                       experiment.engine = i % 2 == 0 ? "auto" : "columns";  // muon couples the columns
                       return SweepPoint{{{"odd", static_cast<double>(i)}}, experiment};
                     }});
  for (const int threads : {1, 2}) {
    const SweepSurvey survey = survey_sweep(points, 1e12, threads);
    CHECK(survey.refused == 20);
    REQUIRE(survey.refusals.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(survey.refusals[i].index == 2 * i + 1);
      CHECK_THAT(survey.refusals[i].problems.at(0).message, Catch::Contains("columns"));
    }
  }
}
