#include "sim/quadrature_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/certified_difference.hpp"

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
    if (!metric.certified) continue;
    const double floor = metric.classes().above_least ? least_loss : 0;
    largest = std::max(largest, largest_difference(fine.rank_values[m], coarse.rank_values[m], floor));
    for (std::size_t at = m; at < fine.totals.size(); at += metrics)
      largest = std::max(largest, certified_difference(floor + fine.totals[at], floor + coarse.totals[at]));
  }
  return largest;
}

/// Of ϱ where it is measured; where no scale retrieves a class both runs say so.
double largest_rho_difference(const NodeRun& fine, const NodeRun& coarse) {
  double largest = 0;
  for (const MetricRow* metric : metrics_of(MetricKind::retrieval)) {
    const auto a = fine.ending.series.find(metric->name), b = coarse.ending.series.find(metric->name);
    if (!metric->certified || a == fine.ending.series.end() || b == coarse.ending.series.end()) continue;
    for (std::size_t i = 0; i < a->second.size(); ++i) {
      const double x = a->second[i], y = b->second[i];
      if (!std::isnan(x) || !std::isnan(y)) largest = std::max(largest, certified_difference(x, y));
    }
  }
  return largest;
}

/// Of the push at the chosen ranks, relative to the largest of its step: single ones may pass through zero.
double largest_push_difference(const NodeRun& fine, const NodeRun& coarse) {
  if (fine.rank_push.size() != coarse.rank_push.size()) return infinite;
  if (fine.rank_push.empty()) return 0;
  const auto records = static_cast<Index>(fine.records());
  const auto ranks = static_cast<Index>(fine.rank_push.size()) / records;
  const Eigen::Map<const Matrix> a(fine.rank_push.data(), ranks, records),
      b(coarse.rank_push.data(), ranks, records);
  double largest = 0;
  for (Index t = 0; t < records; ++t) {
    const double off = (a.col(t) - b.col(t)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    if (off != 0)
      largest = std::max(largest, std::isnan(off) ? infinite : off / a.col(t).cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Of the loss along the next update: gain, penalty and remainder relative to the largest of them, as they may pass
/// through zero, and directional sharpness, which has digits of its own.
double largest_curvature_difference(const NodeRun& fine, const NodeRun& coarse) {
  const auto of = [](const NodeRun& run, const char* name) -> const std::vector<double>& {
    return run.ending.series.at(name);
  };
  if (!fine.ending.series.contains("nds") || !coarse.ending.series.contains("nds")) return 0;
  double largest = 0;
  for (std::size_t t = 0; t < fine.records(); ++t) {
    double size = 0, off = 0;
    for (const char* name : {"first_order_gain", "curvature_penalty", "taylor_remainder"}) {
      const double a = of(fine, name)[t], b = of(coarse, name)[t];
      size = std::max(size, std::abs(a));
      if (a != b) off = std::isnan(a - b) ? infinite : std::max(off, std::abs(a - b));
    }
    if (size >= least_certified) largest = std::max(largest, off / size);
    const double a = of(fine, "nds")[t], b = of(coarse, "nds")[t];
    if (!std::isnan(a) || !std::isnan(b)) largest = std::max(largest, certified_difference(a, b));
  }
  return largest;
}

}  // namespace

double certificate(const NodeRun& fine, const NodeRun& coarse, double least_loss) {
  if (fine.exact) return 0;
  if (fine.jumped) return infinite;
  const double error =
      std::max({largest_class_difference(fine, coarse, least_loss), largest_rho_difference(fine, coarse),
                largest_push_difference(fine, coarse), largest_curvature_difference(fine, coarse)});
  // Rules that differ by per cents have not begun to converge, and their difference says little.
  return error > largest_certificate ? infinite : std::max(error, certificate_floor);
}

}  // namespace rarefact
