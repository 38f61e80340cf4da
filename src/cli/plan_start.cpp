#include <ostream>
#include <sstream>

#include "cli/job.hpp"
#include "cli/signals_and_limits.hpp"
#include "experiment/write.hpp"

namespace rarefact {

namespace {

constexpr std::size_t max_refused = 10;
/// Time of starting the program and of writing a result.
constexpr double start_seconds = 0.08;
/// Memory of the program itself, as the system counts it.
constexpr double program_bytes = 33e6;
/// Memory for the points of a sweep that are merged: copies of their series, and what else each has, up to the
/// number that is merged at once; the file in memory is compressed.
constexpr double copies = 4, point_bytes = 19e3, max_copies_bytes = 2e8, merged_points = 8192,
                 compressed = 0.1;
/// Number of points whose experiments --dry-run shows.
constexpr std::size_t max_shown = 2;

std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.2g} s", std::max(seconds, 0.1));
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return seconds < 172800 ? fmt::format("{:.0f} h", seconds / 3600)
                          : fmt::format("{:.0f} days", seconds / 86400);
}

/// "muon: engine symmetric, 1.2 MB (why)" for every optimizer.
std::string engine_lines(const std::vector<EngineChoice>& choices, std::string_view start = "") {
  std::string text;
  for (const EngineChoice& choice : choices) {
    text += fmt::format("{}{}: engine {}, {} ({})\n", start, choice.optimizer, choice.reduction.engine(),
                        bytes_text(choice.cost.bytes), choice.reason);
  }
  return text;
}

/// Warnings for keys without effect.
std::string unused_lines(const Experiment& experiment) {
  std::string text;
  for (const OptimizerChoice& choice : experiment.optimizers) {
    const OptimizerRow& rule = optimizer_row(choice.rule);
    if (!rule.unused) continue;
    for (const std::string& key : rule.unused(choice.parameters))
      text += fmt::format("warning: optimizer '{}' does not need {}\n", choice.name, key);
  }
  return text;
}

/// A warning for each optimizer whose decay alone would change the sign of W; of a search for its smallest step size.
std::string overshoot_lines(const Point& point, const std::string& place = "") {
  std::string text;
  std::set<std::size_t> seen;
  for (const Attempt& attempt : point.setup.attempts) {
    if (!seen.insert(attempt.optimizer).second) continue;
    const OptimizerChoice& choice = point.experiment.optimizers[attempt.optimizer];
    const StepSchedule schedule =
        schedule_of(choice, attempt.step_size, point.experiment, point.setup.spectrum);
    const std::int64_t updates =
        std::min<std::int64_t>(point.experiment.steps, schedule.constant() ? 1 : std::ssize(*schedule.known));
    std::int64_t t = 0;
    while (t < updates && !(schedule.at(t).size * schedule.decay > 1)) ++t;
    if (t < updates)
      text += fmt::format("warning: {}{}: from step {} on {}\n", place, choice.name, t,
                          overshoot_text(schedule.at(t).size * schedule.decay));
  }
  return text;
}

std::vector<std::size_t> shown_points(const PlanStart& start) {
  std::vector<std::size_t> shown = start.share;
  std::sort(shown.begin(), shown.end());
  shown.resize(std::min(shown.size(), max_shown));
  return shown;
}

std::string warning_lines(const Job& job, const PlanStart& start) {
  std::string text = unused_lines(start.points->at(0)->experiment);
  if (!job.sweep()) return text + overshoot_lines(*start.points->at(0));
  for (const std::size_t index : shown_points(start))
    text += overshoot_lines(*start.points->at(index), fmt::format("point {}: ", index));
  return text;
}

/// "12 points: classes.exponent (3) × seed (4)"; a joint axis as "classes.groups, run.steps (3)".
std::string axes_line(const ExperimentPlan& plan) {
  const auto text = [](const SweepAxis& axis) { return fmt::format("{} ({})", axis.name(), axis.size()); };
  return fmt::format("{}: {}\n", counted(plan.size(), "point"), joined(mapped(plan.axes(), text), " × "));
}

/// The engines of the points, a line for each optimizer.
std::string survey_lines(const SweepSurvey& survey) {
  std::string text;
  for (const auto& [optimizer, engines] : survey.engines) {
    const auto part = [](const auto& item) {
      return fmt::format("{} ({})", item.first, counted(item.second, "point"));
    };
    text += fmt::format("{}: engine {}\n", optimizer, joined(mapped(engines, part)));
  }
  return text;
}

/// The points that cannot run, of a sweep with their parameters, and their reasons as problems of the file.
InputError refusal(const std::vector<SweepSurvey::Refusal>& points, std::size_t of, const Job& job) {
  std::vector<Problem> problems;
  for (const SweepSurvey::Refusal& point : points) {
    const std::string name =
        fmt::format("point {} ({})", point.index, parameter_text(job.plan.parameters(point.index)));
    for (const Problem& problem : point.problems)
      problems.push_back(job.sweep() ? prefixed(name, job.plan.placed(point.index, problem)) : problem);
  }
  if (of > points.size())
    problems.push_back(
        {job.file, 0, 0, fmt::format("and {} that cannot run", counted(of - points.size(), "more point"))});
  return InputError(std::move(problems));
}

void refuse_too_large(const Job& job, const PlanStart& start) {
  std::vector<std::size_t> missing = start.missing, indices;
  std::sort(missing.begin(), missing.end());
  std::ranges::set_intersection(missing, start.survey.too_large, std::back_inserter(indices));
  if (indices.empty()) return;
  std::vector<SweepSurvey::Refusal> refusals;
  for (std::size_t i = 0; i < std::min(indices.size(), max_refused); ++i) {
    const auto point = start.points->at(indices[i]);
    refusals.push_back(
        {indices[i], memory_problems(point->experiment, point->setup, memory_limit_bytes(), job.threads)});
  }
  throw refusal(refusals, indices.size(), job);
}

/// Time on a processor of medium speed, and memory, of the missing points; zero if none is missing.
struct Cost {
  double seconds = 0, memory = 0;
};

Cost cost_of(const Job& job, const PlanStart& start) {
  Cost cost;
  if (start.missing.empty()) return cost;
  cost.seconds = start_seconds;
  double longest = 0;
  for (const std::size_t index : start.missing) {
    cost.seconds += start.survey.seconds[index] / job.threads;
    longest = std::max(longest, start.survey.longest[index]);
  }
  const auto points = static_cast<double>(start.share.size());
  const double series = points * start.survey.largest_result;
  const auto at_once = std::min<std::size_t>(start.threads.concurrent, start.missing.size());
  cost.memory = program_bytes + start.survey.largest_memory * static_cast<double>(at_once);
  if (job.sweep())
    cost.memory += point_bytes * std::min(points, merged_points) +
                   std::min(copies * series, max_copies_bytes) + compressed * series;
  cost.seconds = std::max(cost.seconds, longest);
  return cost;
}

/// The progress of a sweep, and the cost of the rest if there is any.
std::string estimates(const Job& job, const PlanStart& start, const Cost& cost) {
  const std::string shard = job.shard ? fmt::format("# shard {}/{}: {} of these points\n", job.shard->index,
                                                    job.shard->of, start.share.size())
                                      : "";
  const std::string progress = fmt::format(
      "{}# {} done, {} missing{}\n", shard, start.finished(), start.missing.size() - start.damaged.size(),
      start.damaged.empty() ? "" : fmt::format(", {} damaged", start.damaged.size()));
  if (start.missing.empty()) return progress;
  return fmt::format("{}# time for what is missing: about {} on {}\n# memory: at most about {} at a time\n",
                     progress, time_text(cost.seconds), counted(job.threads, "thread"),
                     bytes_text(cost.memory));
}

/// Determines the points of this process, and which of them are missing.
void take_share(const Job& job, PlanStart& start) {
  const std::vector<PointId>& ids = start.survey.ids;
  std::vector<bool> mine(ids.size(), false), wanted = mine;
  for (const std::size_t index : start.report.missing) wanted[index] = true;
  for (const DamagedPoint& point : start.report.damaged) wanted[point.index] = true;
  std::set<PointId> seen;
  std::size_t dealt = 0;
  // The longest first, so that the last points are short and all threads finish at about the same time.
  const auto seconds = [&](std::size_t index) { return start.survey.seconds[index]; };
  for (const std::size_t index : sorted_order(ids.size(), std::greater(), seconds)) {
    if (!seen.insert(ids[index]).second) continue;
    if (job.shard && dealt++ % job.shard->of != job.shard->index) continue;
    mine[index] = true;
    start.share.push_back(index);
    if (wanted[index]) start.missing.push_back(index);
  }
  for (const DamagedPoint& point : start.report.damaged)
    if (mine[point.index]) start.damaged.push_back(point);
  refuse_too_large(job, start);
}

}  // namespace

PlanStart start_plan(const Job& job, const StopCheck& check) {
  PlanStart start{std::make_unique<PlanPoints>(job.plan.points(), job.readers)};
  start.survey = survey_sweep(*start.points, memory_limit_bytes(), job.threads, check);
  if (start.survey.refused > 0) throw refusal(start.survey.refusals, start.survey.refused, job);
  const auto first = start.points->at(0);
  start.lines =
      job.sweep() ? axes_line(job.plan) + survey_lines(start.survey) : engine_lines(first->setup.engines);
  start.lines += unused_lines(first->experiment);
  if (job.sweep())
    start.report = points_there(job, start.survey.ids, check);
  else
    start.report.missing = {0};
  take_share(job, start);
  const double fitting =
      std::max(1.0, std::floor(memory_limit_bytes() / std::max(1.0, start.survey.largest_memory)));
  start.threads = {job.threads, static_cast<int>(std::min<double>(job.threads, fitting))};
  constexpr double day = 86400;
  if (const double seconds = cost_of(job, start).seconds; seconds > day)
    start.lines += fmt::format("warning: this takes about {} on {}\n", time_text(seconds),
                               counted(job.threads, "thread"));
  return start;
}

Json plan_event(const Job& job, const PlanStart& start) {
  Json json = {{"event", "plan"},
               {"output", job.output.string()},
               {"points", job.plan.size()},
               {"share", start.share.size()},
               {"done", start.finished()}};
  if (!job.sweep()) {
    const auto point = start.points->at(0);
    for (const EngineChoice& choice : point->setup.engines) {
      json["engines"].push_back({{"optimizer", choice.optimizer},
                                 {"engine", choice.reduction.engine()},
                                 {"reason", choice.reason},
                                 {"bytes", choice.cost.bytes}});
    }
    return json;
  }
  for (const SweepAxis& axis : job.plan.axes())
    json["axes"].push_back({{"keys", axis.keys}, {"size", axis.size()}});
  json["engines"] = start.survey.engines;
  return json;
}

ExitCode dry_run(const Job& job, bool json, const Streams& streams) {
  const PlanStart start = start_plan(job);
  const Cost cost = cost_of(job, start);
  const std::string warnings = warning_lines(job, start);
  if (json) {
    Json all = plan_event(job, start);
    all.erase("event");
    all.update({{"experiment", resolved_text(job.plan)},
                {"rules", rules_text(start.points->at(0)->experiment)},
                {"seconds", cost.seconds},
                {"memory_bytes", cost.memory},
                {"warnings", Json::array()}});
    for (const std::string_view line : split_text(warnings, '\n'))
      if (!line.empty()) all["warnings"].push_back(line.substr(line.find(' ') + 1));
    print_json(streams.out, all);
    return ExitCode::done;
  }
  const auto print = [&](const Point& point) {
    streams.out << resolved_text(point.experiment, {.whole_counts = true}) << "\n";
    if (!job.sweep())
      streams.out << fmt::format("# time: about {} on {}; memory: at most about {}\n",
                                 time_text(cost.seconds), counted(job.threads, "thread"),
                                 bytes_text(cost.memory));
    streams.out << engine_lines(point.setup.engines, "# ");
    std::istringstream rules(rules_text(point.experiment));
    for (std::string rule; std::getline(rules, rule);) streams.out << "# symmetries of " << rule << "\n";
  };
  const auto first = start.points->at(0);
  streams.err << warnings;
  if (!job.sweep()) {
    print(*first);
    return ExitCode::done;
  }
  streams.out << "# " << axes_line(job.plan) << estimates(job, start, cost);
  const std::vector<std::size_t> shown = shown_points(start);
  for (const std::size_t index : shown) {
    const auto point = start.points->at(index);
    streams.out << fmt::format("\n# point {}: {}\n", index, parameter_text(point->parameters));
    if (index == shown.front())
      print(*point);
    else
      streams.out << engine_lines(point->setup.engines, "# ");
  }
  if (shown.size() < start.share.size())
    streams.out << fmt::format("\n# and {}, not shown by --dry-run\n",
                               counted(start.share.size() - shown.size(), "more point"));
  streams.err << survey_lines(start.survey);
  return ExitCode::done;
}

}  // namespace rarefact
