#include "sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <set>

#include "conclusion.hpp"
#include "rarefact/io/point_writer.hpp"
#include "rarefact/io/result_file.hpp"
#include "sweep_report.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_listed = 20;

/// Points that need much memory run one after another, with all threads inside each.
SweepThreads threads_for(const SweepSurvey& survey, int threads) {
  const double fitting =
      std::max(1.0, std::floor(memory_limit_bytes() / std::max(1.0, survey.largest_memory)));
  return {threads, static_cast<int>(std::min<double>(threads, fitting))};
}

/// The indices of the points to compute, longest first, every different point once. Shards deal the whole
/// plan out in this order, so that which part a point belongs to depends on nothing else.
std::vector<std::size_t> points_to_compute(const SweepStart& start, const PointReport& report,
                                           const std::optional<Shard>& shard) {
  std::vector<std::size_t> all(start.ids.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  all = longest_first(std::move(all), start.survey.seconds);
  std::vector<bool> wanted(all.size(), false);
  for (const std::size_t index : report.missing) wanted[index] = true;
  for (const DamagedPoint& point : report.damaged) wanted[point.index] = true;
  std::set<PointId> seen;
  std::vector<std::size_t> chosen;
  std::size_t dealt = 0;
  for (const std::size_t index : all) {
    if (!seen.insert(start.ids[index]).second) continue;
    const bool mine = !shard || dealt % shard->of == shard->index;
    ++dealt;
    if (mine && wanted[index]) chosen.push_back(index);
  }
  return chosen;
}

/// Computes and stores these points.
void compute(const SweepFiles& files, const FileReaders& readers, const SweepStart& start,
             const PointReport& before, const std::vector<std::size_t>& indices, const SweepOptions& options,
             const StopCheck& check, const Streams& streams) {
  const PointStore store(files.output);
  store.remove_leftovers();
  PointNames names;
  const std::size_t finished = before.finished();
  ProgressPrinter printer(streams.err, options.style);
  PointWriter writer(store, [&](std::size_t stored) {
    printer.points(finished + stored, finished + indices.size(), finished);
  });
  const auto begin = [&](std::size_t index, const SweepPoint&) { writer.begin(start.ids[index]); };
  const auto sink = [&](const SweepPoint& point, Result result) {
    const auto index = static_cast<std::size_t>(result.runs.front().index);
    writer.put(start.ids[index], names.canonical_text(point.experiment), std::move(result));
  };
  try {
    run_points(files.plan.points(), indices, readers, threads_for(start.survey, options.threads), sink, begin,
               check);
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
  throw DamagedResult(text + fmt::format("\nrarefact run {} -o {} computes them", files.experiment_file,
                                         files.output.string()));
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
  std::size_t finished = 0;
  try {
    const SweepStart start = start_sweep(files, readers, options.threads, check);
    require_writable(files.output);
    streams.err << plan_line(files.plan) << "\n" << survey_lines(start.survey);
    PointReport report = inspect_points(store, start.ids, options.threads, check);
    finished = report.finished();
    for (const DamagedPoint& point : report.damaged)
      streams.err << fmt::format("warning: {}; it is computed again\n", point.what);
    const std::vector<std::size_t> indices = points_to_compute(start, report, options.shard);
    if (finished > 0) streams.err << fmt::format("{} points are there already\n", finished);
    if (!indices.empty()) {
      compute(files, readers, start, report, indices, options, check, streams);
      if (!options.shard) report = inspect_points(store, start.ids, options.threads, check);
    }
    if (options.shard) {
      streams.err << fmt::format(
          "shard {}/{}: its points are done, {} of them now; rarefact merge joins all\n",
          options.shard->index, options.shard->of, indices.size());
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
  const PointReport report = inspect_points(PointStore(files.output), ids, options.threads, check);
  if (!report.all_there()) refuse_holes(files, report);
  require_writable(files.output);
  return write_merged(files, ids, report, options, check, streams);
}

std::string estimate_lines(const SweepFiles& files, const SweepStart& start, int threads) {
  const PointReport report = inspect_points(PointStore(files.output), start.ids, threads);
  double seconds = 0;
  for (const std::size_t index : points_to_compute(start, report, {})) seconds += start.survey.seconds[index];
  const SweepThreads at_once = threads_for(start.survey, threads);
  std::string text =
      fmt::format("# {} done, {} missing{}\n", report.finished(), report.missing.size(),
                  report.damaged.empty() ? "" : fmt::format(", {} damaged", report.damaged.size()));
  // seconds_guess is for two cores.
  text += fmt::format("# time for what is missing: about {} on {} thread{}, within a factor of a few\n",
                      time_text(2 * seconds / threads), threads, threads == 1 ? "" : "s");
  text += fmt::format("# memory: at most about {} at a time\n",
                      memory_text(start.survey.largest_memory * at_once.concurrent));
  return text;
}

}  // namespace rarefact
