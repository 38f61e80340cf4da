#include <ostream>

#include "cli/job.hpp"
#include "io/checksum.hpp"

namespace rarefact {

namespace {

[[noreturn]] void refuse_holes(const Job& job, const PointReport& report) {
  std::vector<std::pair<std::size_t, std::string>> holes;
  for (std::size_t i = 0; i < std::min(report.missing.size(), max_named); ++i)
    holes.emplace_back(report.missing[i], "missing");
  for (std::size_t i = 0; i < std::min(report.damaged.size(), max_named); ++i)
    holes.emplace_back(report.damaged[i].index, "damaged: " + report.damaged[i].what);
  std::sort(holes.begin(), holes.end());
  if (holes.size() > max_named) holes.resize(max_named);
  std::string text = fmt::format("{}: {} of {} points missing, {} damaged", job.points_folder().string(),
                                 report.missing.size(), job.plan.size(), report.damaged.size());
  for (const auto& [index, what] : holes)
    text +=
        fmt::format("\n  point {} ({}): {}", index, parameter_text(job.plan.point(index).parameters), what);
  const std::size_t more = report.missing.size() + report.damaged.size() - holes.size();
  if (more > 0) text += fmt::format("\n  and {} more", more);
  text += fmt::format("\nrarefact run {} -o {}", shell_quoted(job.file), shell_quoted(job.output.string()));
  for (const std::string& change : job.arguments.all("set")) text += " --set " + shell_quoted(change);
  throw DamagedResult(text + " computes them");
}

/// Merges the existing points into a partial file beside the points, which never has the name of a result.
ExitCode merge_partly(const Job& job, const Streams& streams) {
  const std::vector<PointId> ids = point_ids(job.plan, job.threads);
  PointStore store = job.store();
  const PointReport report = inspect_points(store, ids, job.threads);
  if (report.finished() == 0) throw DamagedResult("no point is finished yet");
  const FileBytes bytes = merge_points(job.plan, store, ids, report, job.threads, {});
  const std::filesystem::path path = store.partial_result();
  const auto* text = reinterpret_cast<const char*>(bytes.bytes().data());
  std::error_code none;
  std::filesystem::remove(checksum_path(path), none);
  write_file(path, {text, bytes.bytes().size()});
  streams.out << fmt::format("{} of {} points: {}\n", report.finished(), job.plan.size(), path.string());
  return ExitCode::done;
}

ExitCode run_merge(const Arguments& arguments, const Streams& streams) {
  return with_job(arguments, streams, [&](const Job& job) {
    if (!job.sweep())
      throw InputError("merge: the experiment has no [sweep]; rarefact run writes its result");
    const bool partial = arguments.has("partial");
    if (!partial && std::filesystem::is_regular_file(job.output)) return report_earlier_result(job, streams);
    return unless_there(job, streams, [&] {
      if (partial) return merge_partly(job, streams);
      PointStore store = job.store();
      return merge_job(job, store, point_ids(job.plan, job.threads), {}, streams);
    });
  });
}

}  // namespace

ExitCode merge_job(const Job& job, PointStore& store, const std::vector<PointId>& ids, const StopCheck& check,
                   const Streams& streams) {
  const PointReport report = inspect_points(store, ids, job.threads, check);
  if (!report.all_there()) refuse_holes(job, report);
  require_writable(job.output);
  store.remove_leftovers();
  std::optional<ClosingReport> closing;
  const FileBytes bytes = merge_points(job.plan, store, ids, report, job.threads,
                                       {[&](const Result& head) { closing.emplace(head, ids.size()); },
                                        [&](const Run& run) { closing->add(run); }},
                                       check);
  write_result_file(bytes, resolved_text(job.plan), job.output);
  store.forget(ids);
  RunLog::join_shards(job, streams);
  return print_closing(*closing, job, streams);
}

Command merge_command() {
  return {.name = "merge", .operands = experiment_operand, .options = job_options("merge"), .run = run_merge};
}

}  // namespace rarefact
