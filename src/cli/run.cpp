#include <fmt/format.h>

#include <filesystem>

#include "cli/closing_report.hpp"
#include "cli/plan_run.hpp"
#include "cli/plan_start.hpp"

namespace rarefact::commands {

namespace {

ExitCode run_experiment(const Arguments& arguments, const Streams& streams) {
  const Job job = read_job(arguments, streams);
  return naming_the_file(job, [&] {
    if (arguments.has("dry-run")) return dry_run(job, streams);
    if (std::filesystem::is_regular_file(job.output)) {
      const ExitCode code = report_earlier_result(job, streams);
      forget_checkpoints(job);
      return code;
    }
    const StopRequest stop(job.max_time, fmt::format("the same command goes on from what is kept in {}",
                                                     PointStore(job.output).folder().string()));
    return run_plan(job, stop, streams);
  });
}

}  // namespace

Command run() {
  return {
      .name = "run",
      .summary = "run an experiment and write its result",
      .description =
          "Runs every optimizer of an experiment file and writes measured and predicted trajectories to one "
          "HDF5 file, results/NAME.h5 unless --output says otherwise. Ends with a table: loss, error of the "
          "most frequent and of the rarest classes, steps until every class is learned. The same experiment "
          "again does nothing but print the table; the result of another experiment is never overwritten. A "
          "file with [sweep] is run at every point of its grid, into one file (rarefact explain sweep). "
          "Every finished point is kept in FILE.h5.points: after a stop or a kill the same command computes "
          "only what is missing (docs/sweeps.md).",
      .operands = experiment_operand(),
      .options = job_options(
          {"output", "set", "jobs", "shard", "max-time", "checkpoint", "dry-run", "strict", "progress"}),
      .examples = {"rarefact run experiment.toml", "rarefact run experiment.toml --dry-run",
                   "rarefact run experiment.toml -o noisy.h5 --set data.label_noise=0.1 --set run.steps=500",
                   "rarefact run sweep.toml --shard 0/4 --max-time 3h50m"},
      .run = run_experiment};
}

}  // namespace rarefact::commands
