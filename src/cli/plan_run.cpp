#include "cli/plan_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/closing_report.hpp"
#include "cli/plan_start.hpp"
#include "cli/text_layout.hpp"
#include "io/atomic_file.hpp"
#include "results/result_file.hpp"
#include "sweep/checkpoint_file.hpp"
#include "sweep/point_writer.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_listed = 20;

/// A plan while its points are computed.
struct Computation {
  const Job& job;
  PlanStart& start;
  const StopRequest& stop;
  const PointStore& store;
  ProgressPrinter& printer;
  const IntervalClock clock{job.checkpoint_interval};

  std::unique_ptr<Checkpoints> checkpoints(std::size_t index) const {
    return std::make_unique<CheckpointFiles>(store, start.ids[index], clock,
                                             [this](const std::string& line) { printer.say(line); });
  }
};

Result compute_only_point(const Computation& now) {
  return simulate(
      now.job.plan.point(0).experiment, std::move(*now.start.setup), now.job.readers, now.job.threads,
      [&](const std::string& optimizer, std::int64_t done, std::int64_t of) {
        now.stop.check();
        now.printer(optimizer, done, of);
      },
      now.checkpoints(0).get());
}

/// Computes and stores what is missing.
void compute_points(const Computation& now, const Share& share) {
  for (const std::size_t index : share.missing) now.store.make_way(now.start.ids[index]);
  PointNames names;
  now.printer.begin_points(share.all.size(), share.finished());
  PointWriter writer(now.store, [&](std::size_t stored) { now.printer.points(share.finished() + stored); });
  const auto begin = [&](std::size_t index, const SweepPoint&) {
    writer.begin(now.start.ids[index]);
    now.printer.point_begun();
  };
  const auto sink = [&](const SweepPoint& point, Result result) {
    const auto index = static_cast<std::size_t>(result.runs.front().index);
    writer.put(now.start.ids[index], names.canonical_text(point.experiment), std::move(result));
  };
  try {
    run_points(
        now.job.plan.points(), share.missing, now.job.readers, threads_for(now.job, now.start), sink, begin,
        [&] { now.stop.check(); }, [&](std::size_t index) { return now.checkpoints(index); });
  } catch (const StoppedEarly&) {
    writer.finish();
    throw;
  }
  writer.finish();
}

[[noreturn]] void refuse_holes(const Job& job, const PointReport& report) {
  std::vector<std::pair<std::size_t, std::string>> holes;
  for (std::size_t i = 0; i < std::min(report.missing.size(), most_listed); ++i)
    holes.emplace_back(report.missing[i], "missing");
  for (std::size_t i = 0; i < std::min(report.damaged.size(), most_listed); ++i)
    holes.emplace_back(report.damaged[i].index, "damaged: " + report.damaged[i].what);
  std::sort(holes.begin(), holes.end());
  if (holes.size() > most_listed) holes.resize(most_listed);
  std::string text =
      fmt::format("{}: of {} points {} are missing and {} damaged", PointStore(job.output).folder().string(),
                  job.plan.size(), report.missing.size(), report.damaged.size());
  for (const auto& [index, what] : holes)
    text += fmt::format("\n  {}: {}", point_name(job.plan, index), what);
  const std::size_t more = report.missing.size() + report.damaged.size() - holes.size();
  if (more > 0) text += fmt::format("\n  and {} more", more);
  text += fmt::format("\nrarefact run {} -o {}", shell_quoted(job.file), shell_quoted(job.output.string()));
  for (const std::string& change : job.overrides) text += " --set " + shell_quoted(change);
  throw DamagedResult(text + " computes them");
}

/// One result file from all points, which are there.
ExitCode merge(const Job& job, const std::vector<PointId>& ids, const PointReport& report,
               const StopCheck& check, const Streams& streams) {
  ClosingReport closing;
  const FileBytes bytes = merge_points(job.plan, PointStore(job.output), ids, report, job.threads,
                                       {[&](const Result& head) { closing.begin(head, ids.size()); },
                                        [&](const Run& run) { closing.add(run); }},
                                       check);
  write_result_file(bytes.bytes(), resolved_text(job.plan), job.output);
  return closing.print(job, streams);
}

}  // namespace

ExitCode run_plan(const Job& job, const StopRequest& stop, const Streams& streams) {
  const PointStore store(job.output);
  const StopCheck check = [&] { stop.check(); };
  try {
    PlanStart start = start_plan(job, check);
    PointReport report;
    if (job.sweep()) {
      report = inspect_points(store, start.ids, job.threads, check);
    } else {
      report.missing = {0};
    }
    const Share share = share_of(job, start, report);
    require_writable(job.output);
    store.remove_leftovers();
    streams.err << start.lines;
    for (const DamagedPoint& point : share.damaged)
      streams.err << fmt::format("warning: {}; it is computed again\n", point.what);
    if (share.finished() > 0) streams.err << fmt::format("{} points are there already\n", share.finished());
    Result result;
    if (!share.missing.empty()) {
      ProgressPrinter printer(streams.err, job.progress);
      const Computation now{job, start, stop, store, printer};
      if (job.sweep()) {
        compute_points(now, share);
      } else {
        result = compute_only_point(now);
      }
    }
    if (job.shard) {
      streams.err << fmt::format(
          "shard {}/{}: its points are done, {} of them now; rarefact merge joins all\n", job.shard->index,
          job.shard->of, share.missing.size());
      return ExitCode::done;
    }
    if (job.sweep()) {
      if (!share.missing.empty()) report = inspect_points(store, start.ids, job.threads, check);
      if (!report.all_there()) refuse_holes(job, report);
      return merge(job, start.ids, report, check, streams);
    }
    result.experiment = resolved_text(job.plan);
    write_result(result, job.output);
    forget_checkpoints(job);
    return report_result(result, job, streams);
  } catch (const StoppedEarly&) {
    streams.err << stop.message();
    return ExitCode::stopped_early;
  }
}

ExitCode merge_plan(const Job& job, const Streams& streams) {
  const PointStore store(job.output);
  const std::vector<PointId> ids = point_ids(job.plan, job.threads);
  const PointReport report = inspect_points(store, ids, job.threads);
  if (!report.all_there()) refuse_holes(job, report);
  require_writable(job.output);
  store.remove_leftovers();
  return merge(job, ids, report, {}, streams);
}

void forget_checkpoints(const Job& job) {
  const PointStore store(job.output);
  if (job.sweep() || !std::filesystem::exists(store.folder())) return;
  remove_checkpoints(store, PointNames().id(job.plan.point(0).experiment));
  store.remove_leftovers();
  std::error_code not_empty;
  std::filesystem::remove(store.folder(), not_empty);
}

}  // namespace rarefact
