#include "metrics/class_metric.hpp"

#include <algorithm>

#include "metrics/metric.hpp"

namespace rarefact {

namespace {

constexpr std::size_t tile = 1024;  // classes whose values a cache holds

bool same_total(const ClassMeasure& a, const ClassMeasure& b) {
  const auto over = [](const ClassMeasure& m) { return m.over == Over::each ? Over::probability : m.over; };
  return over(a) == over(b) && a.value == b.value && a.positive == b.positive;
}

/// A total that grows, values by values. Every sum is taken in the order of the cells.
template <class Real>
struct Total {
  Real sum{0}, least{0}, most{0};

  void add(const ClassMeasure& measure, const CellWeights<Real>& weights, std::size_t begin,
           const std::vector<Real>& values, std::size_t size) {
    if (measure.over == Over::spread) {
      if (begin == 0) least = most = values[0];
      const auto [low, high] =
          std::minmax_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
      least = std::min(least, *low);
      most = std::max(most, *high);
      return;
    }
    const Real* weight = (measure.over == Over::count ? weights.count : weights.mass).data() + begin;
    if (measure.positive) {
      for (std::size_t i = 0; i < size; ++i) {
        if (values[i] > 0) sum += weight[i];
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) sum += weight[i] * values[i];
    }
  }
  Real value(const ClassMeasure& measure) const {
    return measure.over == Over::spread ? Real(most - least) : sum;
  }
};

}  // namespace

template <class Real>
std::vector<Real> totals(const MetricRows& metrics, const SeenClasses<Real>& seen,
                         const CellWeights<Real>& weights) {
  // Metrics of the same sum share it.
  std::vector<std::size_t> first;
  for (const MetricRow* metric : metrics) {
    const auto same = [&](const MetricRow* other) { return same_total(metric->classes(), other->classes()); };
    first.push_back(
        static_cast<std::size_t>(std::find_if(metrics.begin(), metrics.end(), same) - metrics.begin()));
  }
  std::vector<Total<Real>> sums(metrics.size());
  std::vector<Real> values(tile);
  for (std::size_t begin = 0; begin < weights.size(); begin += tile) {
    const std::size_t end = std::min(begin + tile, weights.size());
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (first[m] != m) continue;
      metrics[m]->classes().value(seen, begin, end, values.data());
      sums[m].add(metrics[m]->classes(), weights, begin, values, end - begin);
    }
  }
  std::vector<Real> found;
  for (std::size_t m = 0; m < metrics.size(); ++m)
    found.push_back(sums[first[m]].value(metrics[m]->classes()));
  return found;
}

template std::vector<double> totals(const MetricRows&, const SeenClasses<double>&,
                                    const CellWeights<double>&);
template std::vector<Real50> totals(const MetricRows&, const SeenClasses<Real50>&,
                                    const CellWeights<Real50>&);

}  // namespace rarefact
