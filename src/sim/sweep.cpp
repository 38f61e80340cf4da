#include "rarefact/sim/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <mutex>

#include "rarefact/core/blocking.hpp"
#include "rarefact/core/parallel.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_refusals = 10;
/// Points in one tile of a survey: enough to be worth handing out.
constexpr Index survey_tile = 16;

/// What a survey finds in one point.
void survey_point(const SweepPlan& plan, std::size_t index, const FileReaders& readers,
                  double memory_limit_bytes, SweepSurvey& found) {
  const SweepPoint point = plan.point(index);
  try {
    for (const EngineChoice& choice : choose_engines(point.experiment, readers, memory_limit_bytes)) {
      ++found.engines[choice.optimizer][choice.engine];
      found.largest_memory = std::max(found.largest_memory, choice.memory_bytes);
    }
  } catch (const InputError& error) {
    ++found.refused;
    found.refusals.push_back({index, point.parameters, error.problems()});
  }
}

/// Adds what was found in other points.
void add(const SweepSurvey& part, SweepSurvey& all) {
  all.refused += part.refused;
  all.largest_memory = std::max(all.largest_memory, part.largest_memory);
  for (const auto& [optimizer, engines] : part.engines) {
    for (const auto& [engine, points] : engines) all.engines[optimizer][engine] += points;
  }
  all.refusals.insert(all.refusals.end(), part.refusals.begin(), part.refusals.end());
  std::sort(all.refusals.begin(), all.refusals.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  if (all.refusals.size() > most_refusals) all.refusals.resize(most_refusals);
}

/// Several texts about the same variable as one: those that differ, without what says that there is nothing.
std::string joined_texts(const std::vector<const Variable*>& parts, std::string Variable::*member) {
  std::vector<std::string> texts;
  for (const Variable* part : parts) {
    const bool applies = part->source != "none";
    const std::string& text = part->*member;
    if (applies && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts.empty() ? parts.front()->*member : joined(texts, " or ");
}

std::vector<Variable> joined_variables(const std::vector<Result>& parts) {
  std::vector<Variable> variables;
  std::map<std::string, std::vector<const Variable*>> by_name;
  for (const Result& part : parts) {
    for (const Variable& variable : part.variables) {
      auto& same = by_name[variable.name];
      if (same.empty()) variables.push_back(variable);
      same.push_back(&variable);
    }
  }
  for (Variable& variable : variables) {
    variable.source = joined_texts(by_name[variable.name], &Variable::source);
    variable.validity = joined_texts(by_name[variable.name], &Variable::validity);
  }
  return variables;
}

std::vector<std::int64_t> all_steps(const std::vector<Result>& parts) {
  std::vector<std::int64_t> steps = parts.front().steps;
  for (const Result& part : parts) {
    if (part.steps == steps) continue;
    std::vector<std::int64_t> both;
    std::set_union(steps.begin(), steps.end(), part.steps.begin(), part.steps.end(),
                   std::back_inserter(both));
    steps = std::move(both);
  }
  return steps;
}

/// Moves the rows of a series from the steps of its run to those of the result.
std::vector<double> spread(const std::vector<double>& series, const std::vector<std::size_t>& place,
                           std::size_t records) {
  const std::size_t row = series.size() / place.size();
  std::vector<double> spread(records * row, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t record = 0; record < place.size(); ++record) {
    const auto from = series.begin() + static_cast<std::ptrdiff_t>(record * row);
    std::copy(from, from + static_cast<std::ptrdiff_t>(row),
              spread.begin() + static_cast<std::ptrdiff_t>(place[record] * row));
  }
  return spread;
}

void spread_runs(Result& part, const std::vector<std::int64_t>& steps) {
  if (part.steps == steps) return;
  std::vector<std::size_t> place;
  for (const std::int64_t step : part.steps) {
    place.push_back(
        static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin()));
  }
  for (Run& run : part.runs) {
    for (Trajectory& trajectory : run.trajectories) {
      for (auto& [name, series] : trajectory.series) {
        if (!series.empty()) series = spread(series, place, steps.size());
      }
    }
  }
}

}  // namespace

SweepSurvey survey_sweep(const SweepPlan& plan, const FileReaders& readers, double memory_limit_bytes,
                         int threads) {
  SweepSurvey all;
  std::mutex adding;
  Workers(threads).for_tiles(static_cast<Index>(plan.size), survey_tile, [&](Index begin, Index end) {
    SweepSurvey found;
    for (Index i = begin; i < end; ++i)
      survey_point(plan, static_cast<std::size_t>(i), readers, memory_limit_bytes, found);
    const std::lock_guard lock(adding);
    add(found, all);
  });
  return all;
}

Result run_point(const SweepPlan& plan, std::size_t index, const FileReaders& readers, int threads) {
  SweepPoint point = plan.point(index);
  Result result = simulate(point.experiment, readers, threads);
  result.runs.front().index = static_cast<std::int64_t>(index);
  result.runs.front().parameters = std::move(point.parameters);
  return result;
}

Result run_sweep(const SweepPlan& plan, const FileReaders& readers, int threads, int concurrent,
                 const SweepProgress& progress) {
  pin_blocking();
  const int outer = std::min(threads, static_cast<int>(std::min<std::size_t>(
                                          static_cast<std::size_t>(std::max(1, concurrent)), plan.size)));
  const int inner = std::max(1, threads / std::max(1, outer));
  std::vector<Result> parts(plan.size);
  std::atomic<std::size_t> done = 0;
  Workers(outer).for_tiles(static_cast<Index>(plan.size), 1, [&](Index begin, Index) {
    const auto index = static_cast<std::size_t>(begin);
    parts[index] = run_point(plan, index, readers, inner);
    const std::size_t finished = ++done;
    if (progress) progress(finished, plan.size);
  });
  return joined_results(std::move(parts));
}

Result joined_results(std::vector<Result> parts) {
  Result joined;
  joined.title = parts.front().title;
  joined.optimizers = parts.front().optimizers;
  joined.steps = all_steps(parts);
  joined.variables = joined_variables(parts);
  for (Result& part : parts) {
    spread_runs(part, joined.steps);
    for (Run& run : part.runs) joined.runs.push_back(std::move(run));
    part = {};
  }
  return joined;
}

}  // namespace rarefact
