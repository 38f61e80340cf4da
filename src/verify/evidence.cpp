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

const std::vector<double>& values(const Trajectory& trajectory, const std::string& variable) {
  const auto found = trajectory.series.find(variable);
  if (found == trajectory.series.end()) missing(variable + " of " + trajectory.optimizer);
  return found->second;
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

double EvidencePoint::last(const std::string& optimizer, const std::string& variable, std::size_t row) const {
  return at(optimizer, variable, result.steps.back(), row);
}

std::vector<double> EvidencePoint::series(const std::string& optimizer, const std::string& variable,
                                          std::size_t row) const {
  const std::vector<double>& all = values(trajectory(optimizer), variable);
  const std::size_t width = all.size() / result.steps.size();
  if (row >= width) missing(fmt::format("class row {} of {}", row, variable));
  std::vector<double> one;
  for (std::size_t i = row; i < all.size(); i += width) one.push_back(all[i]);
  return one;
}

std::vector<double> EvidencePoint::classes(const std::string& optimizer, const std::string& variable,
                                           std::int64_t step) const {
  const std::vector<double>& all = values(trajectory(optimizer), variable);
  const std::size_t width = all.size() / result.steps.size();
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(record_of(result, step) * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

std::vector<double> EvidencePoint::predicted_series(const std::string& optimizer,
                                                    const std::string& variable) const {
  if (trajectory(optimizer).series.contains(variable)) return series(optimizer, variable);
  return std::vector<double>(result.steps.size(), std::numeric_limits<double>::quiet_NaN());
}

std::vector<double> EvidencePoint::predicted_classes(const std::string& optimizer,
                                                     const std::string& variable, std::int64_t step) const {
  if (trajectory(optimizer).series.contains(variable)) return classes(optimizer, variable, step);
  return std::vector<double>(run().class_count.size(), std::numeric_limits<double>::quiet_NaN());
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

PointList Evidence::of(std::size_t experiment) const {
  PointList list;
  for (const EvidencePoint& point : experiments.at(experiment)) list.push_back(&point);
  return list;
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
  std::set<double> found;
  for (const EvidencePoint& point : points) found.insert(point.parameter(key));
  return {found.begin(), found.end()};
}

}  // namespace rarefact
