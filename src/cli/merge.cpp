#include <filesystem>

#include "cli/closing_report.hpp"
#include "cli/plan_run.hpp"

namespace rarefact::commands {

namespace {

ExitCode run_merge(const Arguments& arguments, const Streams& streams) {
  const Job job = read_job(arguments, streams);
  return naming_the_file(job, [&] {
    if (!job.sweep())
      throw InputError("merge: the experiment has no [sweep]; rarefact run writes its result");
    return std::filesystem::is_regular_file(job.output) ? report_earlier_result(job, streams)
                                                        : merge_plan(job, streams);
  });
}

}  // namespace

Command merge() {
  return {
      .name = "merge",
      .summary = "one result file from the finished points of a sweep",
      .description =
          "Joins the points that rarefact run --shard computed, on whatever machines, into the result file; "
          "its bytes are those that rarefact run without shards writes. Every point is verified first; if "
          "some are missing or damaged they are listed, nothing is written, and the exit code is 4. The "
          "options --output and --set must be those of the run.",
      .operands = experiment_operand(),
      .options = job_options({"output", "set", "jobs", "strict"}),
      .examples = {"rarefact merge sweep.toml"},
      .run = run_merge};
}

}  // namespace rarefact::commands
