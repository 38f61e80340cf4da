#include <filesystem>

#include "cli/conclusion.hpp"
#include "cli/sweep_run.hpp"

namespace rarefact::commands {

namespace {

ExitCode run_merge(const Arguments& arguments, const Streams& streams) {
  const std::string& file = arguments.operands().front();
  const SweepOptions options{.threads = thread_count(arguments), .strict = arguments.has("strict")};
  return naming_the_file(file, [&] {
    const ExperimentPlan plan = read_plan(file, arguments.all("set"));
    if (plan.axes().empty())
      throw InputError("merge: the experiment has no [sweep]; rarefact run writes its result");
    const SweepFiles files{file, plan, output_path(arguments, plan.point(0).experiment.name),
                           arguments.all("set")};
    if (std::filesystem::is_regular_file(files.output))
      return conclude_earlier(files.output, resolved_text(plan), options.strict, streams);
    return merge_sweep(files, point_ids(plan, options.threads), options, {}, streams);
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
      .options = {output_option(),
                  set_option(),
                  jobs_option(),
                  {.name = "strict",
                   .meaning = "exit code 1 if an optimizer diverged or a quadrature is uncertified"}},
      .examples = {"rarefact merge sweep.toml"},
      .run = run_merge};
}

}  // namespace rarefact::commands
