#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/probe.hpp"
#include "sim/certified_difference.hpp"
#include "sim/quadrature_run.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// What doubling the nodes says of itself: 7 of 293 random runs were up to 8e-12 off where the two agreed to 1e-14.
constexpr double certificate_floor = 1e-11;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b, double floor) {
  if (a.size() != b.size()) return infinite;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, certified_difference(floor + a[i], floor + b[i]));
  }
  return largest;
}

/// Of the certified class metrics: totals, and values at the chosen ranks.
double largest_class_difference(const NodeRun& fine, const NodeRun& coarse, double least_loss) {
  if (fine.totals.size() != coarse.totals.size()) return infinite;
  const std::size_t metrics = class_metrics().size();
  double largest = 0;
  for (std::size_t m = 0; m < metrics; ++m) {
    const MetricRow& metric = *class_metrics()[m];
    if (metric.certified == Certified::no) continue;
    const double floor = metric.classes().above_least ? least_loss : 0;
    largest = std::max(largest, largest_difference(fine.rank_values[m], coarse.rank_values[m], floor));
    for (std::size_t at = m; at < fine.totals.size(); at += metrics)
      largest = std::max(largest, certified_difference(floor + fine.totals[at], floor + coarse.totals[at]));
  }
  return largest;
}

/// Of what a probe found: numbers by themselves, or beside the largest of the probe at the step. What neither run has does
/// not differ.
double largest_difference(const NodeRun& fine, const NodeRun& coarse, const Probe& probe) {
  double largest = 0;
  for (std::size_t t = 0; t < fine.records(); ++t) {
    double size = 0, off = 0;  // of numbers beside one another
    for (const MetricRow& row : probe.rows) {
      const auto a = fine.ending.series.find(row.name), b = coarse.ending.series.find(row.name);
      if (row.certified == Certified::no || a == fine.ending.series.end()) continue;
      if (b == coarse.ending.series.end() || a->second.size() != b->second.size()) return infinite;
      const std::size_t width = a->second.size() / fine.steps;
      for (std::size_t i = t * width; i < (t + 1) * width; ++i) {
        const double x = a->second[i], y = b->second[i];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (row.certified == Certified::alone) {
          largest = std::max(largest, certified_difference(x, y));
        } else {
          off = std::isnan(x - y) ? infinite : std::max(off, std::abs(x - y));
        }
      }
      if (row.certified == Certified::beside) {
        for (std::size_t i = t * width; i < (t + 1) * width; ++i)
          size = std::fmax(size, std::fmax(std::abs(a->second[i]), std::abs(b->second[i])));
      }
    }
    if (std::isinf(off)) return infinite;
    if (!(size < least_certified)) largest = std::max(largest, off / size);
  }
  return largest;
}

}  // namespace

double certificate(const NodeRun& fine, const NodeRun& coarse, double least_loss) {
  if (fine.exact) return 0;
  if (fine.jumped) return infinite;
  double error = largest_class_difference(fine, coarse, least_loss);
  for (const Probe* probe : probes()) error = std::max(error, largest_difference(fine, coarse, *probe));
  // Rules that differ by per cents have not begun to converge, and their difference says little.
  return error > largest_certificate ? infinite : std::max(error, certificate_floor);
}

}  // namespace rarefact
