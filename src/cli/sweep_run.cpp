#include "cli/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/conclusion.hpp"
#include "cli/memory_limit.hpp"
#include "cli/sweep_report.hpp"
#include "cli/sweep_share.hpp"
#include "cli/text_layout.hpp"
#include "io/atomic_file.hpp"
#include "results/result_file.hpp"
#include "sweep/checkpoint_file.hpp"
#include "sweep/point_writer.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_listed = 20;
/// Points whose experiments --dry-run shows.
constexpr std::size_t most_shown = 2;

/// Points that need much memory run one after another, with all threads inside each.
SweepThreads threads_for(const SweepSurvey& survey, int threads) {
  const double fitting =
      std::max(1.0, std::floor(memory_limit_bytes() / std::max(1.0, survey.largest_memory)));
  return {threads, static_cast<int>(std::min<double>(threads, fitting))};
}

/// Computes and stores what is missing.
void compute(const SweepFiles& files, const FileReaders& readers, const SweepStart& start, const Share& share,
             const SweepOptions& options, const StopCheck& check, const Streams& streams) {
  const PointStore store(files.output);
  const std::vector<std::size_t>& indices = share.missing;
  for (const std::size_t index : indices) store.make_way(start.ids[index]);
  PointNames names;
  ProgressPrinter printer(streams.err, options.style);
  printer.begin_points(share.all.size(), share.finished());
  PointWriter writer(store, [&](std::size_t stored) { printer.points(share.finished() + stored); });
  const IntervalClock clock(options.checkpoint_interval);
  const auto checkpoints = [&](std::size_t index) -> std::unique_ptr<Checkpoints> {
    return std::make_unique<CheckpointFiles>(store, start.ids[index], clock,
                                             [&](const std::string& line) { printer.say(line); });
  };
  const auto begin = [&](std::size_t index, const SweepPoint&) {
    writer.begin(start.ids[index]);
    printer.point_begun();
  };
  const auto sink = [&](const SweepPoint& point, Result result) {
    const auto index = static_cast<std::size_t>(result.runs.front().index);
    writer.put(start.ids[index], names.canonical_text(point.experiment), std::move(result));
  };
  try {
    run_points(files.plan.points(), indices, readers, threads_for(start.survey, options.threads), sink, begin,
               check, checkpoints);
  } catch (const StoppedEarly&) {
    writer.finish();
    throw;
  }
  writer.finish();
}

[[noreturn]] void refuse_holes(const SweepFiles& files, const PointReport& report) {
  const std::size_t points = files.plan.size();
  std::vector<std::pair<std::size_t, std::string>> holes;
  for (std::size_t i = 0; i < std::min(report.missing.size(), most_listed); ++i)
    holes.emplace_back(report.missing[i], "missing");
  for (std::size_t i = 0; i < std::min(report.damaged.size(), most_listed); ++i)
    holes.emplace_back(report.damaged[i].index, "damaged: " + report.damaged[i].what);
  std::sort(holes.begin(), holes.end());
  if (holes.size() > most_listed) holes.resize(most_listed);
  std::string text = fmt::format("{}: of {} points {} are missing and {} damaged",
                                 PointStore(files.output).folder().string(), points, report.missing.size(),
                                 report.damaged.size());
  for (const auto& [index, what] : holes)
    text += fmt::format("\n  {}: {}", point_name(files.plan, index), what);
  const std::size_t more = report.missing.size() + report.damaged.size() - holes.size();
  if (more > 0) text += fmt::format("\n  and {} more", more);
  text += fmt::format("\nrarefact run {} -o {}", shell_quoted(files.experiment_file),
                      shell_quoted(files.output.string()));
  for (const std::string& change : files.overrides) text += " --set " + shell_quoted(change);
  throw DamagedResult(text + " computes them");
}

ExitCode write_merged(const SweepFiles& files, const std::vector<PointId>& ids, const PointReport& report,
                      const SweepOptions& options, const StopCheck& check, const Streams& streams) {
  Conclusion conclusion;
  const FileBytes bytes = merge_points(files.plan, PointStore(files.output), ids, report, options.threads,
                                       {[&](const Result& head) { conclusion.begin(head, ids.size()); },
                                        [&](const Run& run) { conclusion.add(run); }},
                                       check);
  write_result_file(bytes.bytes(), resolved_text(files.plan), files.output);
  return conclusion.print(files.output, options.strict, streams);
}

std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.2g} s", std::max(seconds, 0.1));
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return seconds < 172800 ? fmt::format("{:.0f} h", seconds / 3600)
                          : fmt::format("{:.0f} days", seconds / 86400);
}

}  // namespace

std::string point_name(const ExperimentPlan& plan, std::size_t index) {
  return fmt::format("point {} ({})", index, parameter_text(plan.point(index).parameters));
}

SweepStart start_sweep(const SweepFiles& files, const FileReaders& readers, int threads,
                       const StopCheck& check) {
  SweepStart start;
  start.ids.resize(files.plan.size());
  PointNames names;
  start.survey = survey_sweep(
      files.plan.points(), readers, memory_limit_bytes(), threads,
      [&](std::size_t index, const SweepPoint& point) { start.ids[index] = names.id(point.experiment); },
      check);
  if (start.survey.refused > 0) throw refusal(start.survey, files.experiment_file);
  return start;
}

ExitCode run_stored_sweep(const SweepFiles& files, const FileReaders& readers, const SweepOptions& options,
                          const StopRequest& stop, const Streams& streams) {
  const PointStore store(files.output);
  const StopCheck check = [&] { stop.check(); };
  try {
    const SweepStart start = start_sweep(files, readers, options.threads, check);
    PointReport report = inspect_points(store, start.ids, options.threads, check);
    const Share share = share_of(start, report, options.shard);
    refuse_too_large(files, readers, start, share.missing, options.threads);
    require_writable(files.output);
    store.remove_leftovers();
    streams.err << plan_line(files.plan) << "\n" << survey_lines(start.survey);
    std::vector<bool> mine(start.ids.size(), false);
    for (const std::size_t index : share.missing) mine[index] = true;
    for (const DamagedPoint& point : report.damaged) {
      if (mine[point.index]) streams.err << fmt::format("warning: {}; it is computed again\n", point.what);
    }
    if (share.finished() > 0) streams.err << fmt::format("{} points are there already\n", share.finished());
    if (!share.missing.empty()) {
      compute(files, readers, start, share, options, check, streams);
      if (!options.shard) report = inspect_points(store, start.ids, options.threads, check);
    }
    if (options.shard) {
      streams.err << fmt::format(
          "shard {}/{}: its points are done, {} of them now; rarefact merge joins all\n",
          options.shard->index, options.shard->of, share.missing.size());
      return ExitCode::done;
    }
    if (!report.all_there()) refuse_holes(files, report);
    return write_merged(files, start.ids, report, options, check, streams);
  } catch (const StoppedEarly&) {
    streams.err << stop.message();
    return ExitCode::stopped_early;
  }
}

ExitCode merge_sweep(const SweepFiles& files, const std::vector<PointId>& ids, const SweepOptions& options,
                     const StopCheck& check, const Streams& streams) {
  const PointStore store(files.output);
  const PointReport report = inspect_points(store, ids, options.threads, check);
  if (!report.all_there()) refuse_holes(files, report);
  require_writable(files.output);
  store.remove_leftovers();
  return write_merged(files, ids, report, options, check, streams);
}

std::string dry_sweep_text(const SweepFiles& files, const FileReaders& readers, const SweepStart& start,
                           const SweepOptions& options) {
  const PointReport report = inspect_points(PointStore(files.output), start.ids, options.threads);
  Share share = share_of(start, report, options.shard);
  refuse_too_large(files, readers, start, share.missing, options.threads);
  double seconds = 0;
  for (const std::size_t index : share.missing) seconds += start.survey.seconds[index];
  const int threads = options.threads;
  const SweepThreads at_once = threads_for(start.survey, threads);
  std::string text;
  if (options.shard) {
    text = fmt::format("# shard {}/{}: {} of these points\n", options.shard->index, options.shard->of,
                       share.all.size());
  }
  std::sort(share.all.begin(), share.all.end());
  const auto damaged = std::count_if(report.damaged.begin(), report.damaged.end(), [&](const auto& point) {
    return std::binary_search(share.all.begin(), share.all.end(), point.index);
  });
  text += fmt::format("# {} done, {} missing{}\n", share.finished(),
                      share.missing.size() - static_cast<std::size_t>(damaged),
                      damaged == 0 ? "" : fmt::format(", {} damaged", damaged));
  // seconds_guess is for two cores.
  text += fmt::format("# time for what is missing: about {} on {} thread{}, within a factor of a few\n",
                      time_text(2 * seconds / threads), threads, threads == 1 ? "" : "s");
  double points = 0, result = 0, largest = 0;
  for (const std::size_t index : share.missing) {
    points += start.survey.disk_bytes[index];
    largest = std::max(largest, start.survey.disk_bytes[index]);
  }
  const auto waiting = static_cast<double>(std::min(share.missing.size(), most_waiting));
  text += fmt::format("# memory: at most about {} at a time\n",
                      memory_text(start.survey.largest_memory * at_once.concurrent + waiting * largest));
  for (const std::size_t index : share.all) result += start.survey.disk_bytes[index];
  text += fmt::format("# disk: at most about {} for the points that are missing", memory_text(points));
  text += options.shard ? "\n" : fmt::format(" and {} for the result\n", memory_text(result));
  share.all.resize(std::min(share.all.size(), most_shown));
  return dry_run_text(files.plan, readers, text, share.all);
}

}  // namespace rarefact
