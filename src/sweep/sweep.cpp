#include "sweep/sweep.hpp"

#include <deque>
#include <thread>

#include "core/machine.hpp"

namespace rarefact {

namespace {

constexpr double max_bytes_of_points = 64 << 20;

/// About the memory of a point: its settings, what each group of classes and of queries takes, and the steps to record.
double bytes_of(const Point& point) {
  const Spectrum& spectrum = point.setup.spectrum;
  std::size_t rows =
      spectrum.table.row.size() + spectrum.query_file.column.size() + spectrum.answer_file.column.size();
  if (spectrum.groups) rows += spectrum.groups->count.size();
  if (spectrum.answers) rows += spectrum.answers->type.size();
  const std::size_t steps = point.setup.steps.size() + point.experiment.record.steps.size();
  return 2e4 + 100.0 * static_cast<double>(rows) + 8.0 * static_cast<double>(steps) +
         static_cast<double>(sizeof(Attempt) * point.setup.attempts.size());
}

constexpr std::size_t max_refusals = 10;
constexpr Index survey_tile = 16;
/// Interval for checking whether another process has finished a point.
constexpr std::chrono::milliseconds patience(50);

}  // namespace

PlanPoints::PlanPoints(SweepPlan plan, FileReaders readers)
    : plan_(std::move(plan)), readers_(std::move(readers)) {}

std::shared_ptr<const Point> PlanPoints::at(std::size_t index) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(index); found != kept_.end()) return found->second;
  }
  SweepPoint read = plan_.point(index);
  Setup setup = resolve(read.experiment, readers_);
  const PointId id = names_.id(read.experiment);
  const auto point = std::make_shared<const Point>(
      Point{std::move(read.parameters), std::move(read.experiment), std::move(setup), id});
  const double bytes = bytes_of(*point);
  const std::lock_guard lock(mutex_);
  const bool fits = index == 0 || kept_bytes_ + bytes <= max_bytes_of_points;
  if (fits && kept_.emplace(index, point).second) kept_bytes_ += bytes;
  return point;
}

std::shared_ptr<const Point> PlanPoints::take(std::size_t index) {
  std::shared_ptr<const Point> point = at(index);
  const std::lock_guard lock(mutex_);
  if (kept_.erase(index) > 0) kept_bytes_ -= bytes_of(*point);
  return point;
}

SweepSurvey survey_sweep(PlanPoints& points, double memory_limit_bytes, int threads, const StopCheck& check) {
  SweepSurvey all;
  all.ids.resize(points.size());
  all.seconds.resize(points.size(), 0);
  all.longest.resize(points.size(), 0);
  std::mutex adding;
  const auto look = [&](std::size_t i) {
    const std::shared_ptr<const Point> point = points.at(i);
    const Setup& setup = point->setup;
    const bool fits = memory_problems(point->experiment, setup, memory_limit_bytes, threads).empty();
    const std::lock_guard lock(adding);
    all.ids[i] = point->id;
    all.seconds[i] = setup.seconds;
    all.longest[i] = setup.longest;
    all.largest_result = std::max(all.largest_result, setup.recorded.result);
    if (fits) all.largest_memory = std::max(all.largest_memory, setup.memory_bytes(threads));
    if (!fits) all.too_large.push_back(i);
    for (const EngineChoice& choice : setup.engines)
      ++all.engines[choice.optimizer][choice.reduction.engine()];
  };
  Workers(threads).for_each(points.size(), survey_tile, [&](std::size_t i) {
    if (check) check();
    try {
      look(i);
    } catch (const InputError& error) {
      const std::lock_guard lock(adding);
      ++all.refused;
      all.refusals.push_back({i, error.problems()});
      std::ranges::sort(all.refusals, {}, &SweepSurvey::Refusal::index);
      if (all.refusals.size() > max_refusals) all.refusals.pop_back();
    }
  });
  std::sort(all.too_large.begin(), all.too_large.end());
  return all;
}

void run_points(PlanPoints& points, const std::vector<std::size_t>& indices, const SweepThreads& threads,
                const PointSink& sink, const TurnOf& turn_of, const StopCheck& check,
                const CheckpointOpener& checkpoints) {
  pin_blocking();
  const Progress progress =
      check ? Progress([&](const std::string&, std::int64_t, std::int64_t) { check(); }) : Progress();
  const auto outer = static_cast<std::size_t>(std::max(1, std::min(threads.threads, threads.concurrent)));
  // Tiles may run in any order; points are started in their order.
  std::mutex taking;
  std::deque<std::size_t> waiting(indices.begin(), indices.end());
  // Only along an axis of one optimizer are outcomes of the others needed again.
  std::optional<KnownOutcomes> known;
  if (!indices.empty() && std::ranges::any_of(points.at(indices.front())->parameters, [](const auto& swept) {
        return swept.first.starts_with("optimizer.");
      }))
    known.emplace();
  const auto run_next = [&](std::size_t) {
    std::size_t index = 0, left = 0;
    Turn turn = Turn::later;
    for (std::size_t tried = 0; turn == Turn::later; ++tried) {
      if (check) check();
      if (tried > 0 && tried >= left) std::this_thread::sleep_for(patience);
      {
        const std::lock_guard lock(taking);
        if (tried > 0) waiting.push_back(index);
        left = waiting.size();
        index = waiting.front();
        waiting.pop_front();
      }
      turn = turn_of ? turn_of(index) : Turn::compute;
    }
    if (turn == Turn::skip) return;
    const int inner = left < outer ? threads.threads : threads.threads / static_cast<int>(outer);
    const std::shared_ptr<const Point> point = points.take(index);
    const auto kept = checkpoints ? checkpoints(index) : nullptr;
    Result result = simulate(point->experiment, point->setup, points.readers(), std::max(1, inner),
                             {progress, kept.get(), known ? &*known : nullptr});
    result.runs.front().index = static_cast<std::int64_t>(index);
    result.runs.front().parameters = point->parameters;
    sink(*point, std::move(result));
  };
  Workers(static_cast<int>(std::min(outer, std::max<std::size_t>(1, indices.size()))))
      .for_each(indices.size(), 1, run_next);
}

}  // namespace rarefact
