#include "rarefact/run.hpp"

#include <thread>

#include "experiment/write.hpp"
#include "results/joined_points.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

Result run(const std::filesystem::path& experiment, const RunOptions& options) {
  const ExperimentPlan plan = read_plan(experiment.string(), options.overrides);
  PlanPoints points(plan.points(), file_readers(plan.point(0).experiment.base_directory));
  const int threads = options.threads > 0
                          ? options.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const double any = std::numeric_limits<double>::infinity();
  std::vector<Problem> problems;
  for (const SweepSurvey::Refusal& point : survey_sweep(points, any, threads).refusals)
    for (const Problem& problem : point.problems) problems.push_back(plan.placed(point.index, problem));
  raise(std::move(problems));
  std::vector<std::size_t> all(plan.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<Result> parts(plan.size());
  run_points(points, all, {threads, threads},
             [&](const Point&, Result part) { parts[part.runs.front().index] = std::move(part); });
  MergedSchema head;
  for (const Result& part : parts) head.add(part);
  Result result = head.head();
  result.experiment = resolved_text(plan);
  for (Result& part : parts)
    for (Run& run : spread_runs(std::move(part), result.steps)) result.runs.push_back(std::move(run));
  return result;
}

}  // namespace rarefact
