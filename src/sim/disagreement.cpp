#include "sim/disagreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/relative_difference.hpp"
#include "metrics/probe.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double difference(double x, double y) {
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (std::abs(x) < min_certified && std::abs(y) < min_certified) return 0;
  return relative_difference(y, x);
}

/// The difference of metrics that share a scale.
struct Beside {
  double size = 0, off = 0;

  void add(double x, double y) {
    size = std::fmax(size, std::fmax(std::abs(x), std::abs(y)));
    if (x == y || (std::isnan(x) && std::isnan(y))) return;
    off = std::isnan(x - y) ? infinite : std::max(off, std::abs(x - y));
  }
  double difference() const { return std::isinf(off) ? off : size < min_certified ? 0 : off / size; }
};

/// The largest difference at one step between metrics of one probe, or of the classes.
double difference_of(const std::vector<MetricRow>& rows, const Trajectory& run, const Trajectory& other,
                     std::size_t record, std::size_t records) {
  double largest = 0;
  Beside beside;
  for (const MetricRow& row : rows) {
    const auto a = run.series.find(row.name), b = other.series.find(row.name);
    if (row.certified == Certified::no || a == run.series.end() || b == other.series.end()) continue;
    const std::vector<double>&x = a->second, &y = b->second;
    if (x.size() != y.size()) return infinite;
    const std::size_t width = x.size() / records;
    for (std::size_t i = record * width; i < (record + 1) * width; ++i) {
      if (row.certified == Certified::alone)
        largest = std::max(largest, difference(x[i], y[i]));
      else
        beside.add(x[i], y[i]);
    }
  }
  return std::max(largest, beside.difference());
}

}  // namespace

std::vector<double> disagreement(const Trajectory& run, const Trajectory& other, std::size_t records) {
  std::vector<double> found;
  for (std::size_t record = 0; record < records; ++record) {
    double largest = difference_of(class_metric_rows(), run, other, record, records);
    for (const Probe& probe : probes())
      largest = std::max(largest, difference_of(probe.rows, run, other, record, records));
    found.push_back(largest);
  }
  found.back() = std::max(found.back(), difference(run.total_error, other.total_error));
  return found;
}

}  // namespace rarefact
