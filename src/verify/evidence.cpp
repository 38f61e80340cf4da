#include "verify/evidence.hpp"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <stdexcept>

namespace rarefact {

namespace {

[[noreturn]] void missing(const std::string& what) {
  throw std::logic_error("a check asks for what its experiment does not have: " + what);
}

std::size_t record_of(const Result& result, std::int64_t step) {
  const auto found = std::lower_bound(result.steps.begin(), result.steps.end(), step);
  if (found == result.steps.end() || *found != step) missing(fmt::format("step {}", step));
  return static_cast<std::size_t>(found - result.steps.begin());
}

/// Empty for a prediction that did not apply to the run.
const std::vector<double>& all_values(const Trajectory& trajectory, const std::string& variable) {
  static const std::vector<double> none;
  const auto found = trajectory.series.find(variable);
  if (found != trajectory.series.end()) return found->second;
  if (variable.find("_predicted") == std::string::npos) missing(variable + " of " + trajectory.optimizer);
  return none;
}

}  // namespace

const Trajectory& EvidencePoint::trajectory(const std::string& optimizer) const {
  for (const Trajectory& one : run().trajectories) {
    if (one.optimizer == optimizer) return one;
  }
  missing("optimizer " + optimizer);
}

double EvidencePoint::at(const std::string& optimizer, const std::string& variable, std::int64_t step,
                         std::size_t row) const {
  const std::vector<double> rows = classes(optimizer, variable, step);
  if (row >= rows.size()) missing(fmt::format("class row {} of {}", row, variable));
  return rows[row];
}

double EvidencePoint::last(const std::string& optimizer, const std::string& variable) const {
  return at(optimizer, variable, last_step());
}

std::vector<double> EvidencePoint::series(const std::string& optimizer, const std::string& variable,
                                          std::size_t row) const {
  const std::vector<double>& all = all_values(trajectory(optimizer), variable);
  if (all.empty()) return std::vector<double>(result.steps.size(), NAN);
  const std::size_t width = all.size() / result.steps.size();
  if (row >= width) missing(fmt::format("class row {} of {}", row, variable));
  std::vector<double> one;
  for (std::size_t i = row; i < all.size(); i += width) one.push_back(all[i]);
  return one;
}

std::vector<double> EvidencePoint::classes(const std::string& optimizer, const std::string& variable,
                                           std::int64_t step) const {
  const std::vector<double>& all = all_values(trajectory(optimizer), variable);
  if (all.empty()) return std::vector<double>(run().class_count.size(), NAN);
  const std::size_t width = all.size() / result.steps.size();
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(record_of(result, step) * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

const OptimizerChoice& EvidencePoint::optimizer(const std::string& name) const {
  for (const OptimizerChoice& one : experiment.optimizers) {
    if (one.name == name) return one;
  }
  missing("optimizer " + name);
}

double EvidencePoint::parameter(const std::string& key) const {
  const auto found = run().parameters.find(key);
  if (found == run().parameters.end()) missing("swept key " + key);
  const double* number = std::get_if<double>(&found->second);
  if (number == nullptr) missing("number of swept key " + key);
  return *number;
}

double EvidencePoint::class_total() const {
  return std::accumulate(run().class_count.begin(), run().class_count.end(), 0.0);
}

PointList list_of(const EvidencePoints& points) {
  return mapped(points, [](const EvidencePoint& point) { return &point; });
}

PointList Evidence::all() const {
  PointList list;
  for (const EvidencePoints& points : experiments) {
    for (const EvidencePoint& point : points) list.push_back(&point);
  }
  return list;
}

PointList where(const EvidencePoints& points, const std::string& key, double value) {
  PointList found;
  for (const EvidencePoint& point : points) {
    if (std::abs(point.parameter(key) - value) <= 1e-12 * std::abs(value)) found.push_back(&point);
  }
  return found;
}

std::vector<double> values_of(const EvidencePoints& points, const std::string& key) {
  return distinct(list_of(points), [&](const auto& point) { return point.parameter(key); });
}

std::vector<double> distinct(const PointList& points, const Number& number) {
  std::set<double> found;
  for (const EvidencePoint* point : points) found.insert(number(*point));
  return {found.begin(), found.end()};
}

std::vector<double> keys(const Points& points) {
  return collect(points, [](const auto& at) { return at.first; });
}

std::vector<double> values(const Points& points) {
  return collect(points, [](const auto& at) { return at.second; });
}

}  // namespace rarefact
