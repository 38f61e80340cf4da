#include "sweep/points.hpp"

#include <utility>

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

}  // namespace rarefact
