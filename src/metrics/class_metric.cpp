#include <algorithm>

#include "metrics/metric.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

namespace {

constexpr std::size_t tile = 1024;  // classes whose values fit in a cache

bool same_total(const ClassMeasure& a, const ClassMeasure& b) {
  const auto over = [](const ClassMeasure& m) {
    return m.over == Over::classes ? Over::probability : m.over;
  };
  return over(a) == over(b) && a.value == b.value && a.positive == b.positive;
}

/// A running total. Every sum is in the order of the cells.
template <class Real>
struct Total {
  Real sum{0}, lowest{0}, highest{0};

  void add(const ClassMeasure& measure, const CellWeights<Real>& weights, std::size_t begin,
           const std::vector<Real>& values, std::size_t size) {
    if (measure.over == Over::spread) {
      if (begin == 0) lowest = highest = values[0];
      const auto [low, high] =
          std::minmax_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
      lowest = std::min(lowest, *low);
      highest = std::max(highest, *high);
      return;
    }
    const Real* weight = (measure.over == Over::count ? weights.count : weights.mass).data() + begin;
    if (measure.positive) {
      for (std::size_t i = 0; i < size; ++i)
        if (values[i] > 0) sum += weight[i];
    } else {
      for (std::size_t i = 0; i < size; ++i) sum += weight[i] * values[i];
    }
  }
  Real value(const ClassMeasure& measure) const {
    return measure.over == Over::spread ? Real(highest - lowest) : sum;
  }
};

/// Makes a ClassFunction from a lambda of a class.
template <class F>
constexpr ClassFunction of_class(F) {
  const auto many = []<class Real>(const ClassStats<Real>& seen, std::size_t begin, std::size_t end,
                                   Real* out) {
    for (std::size_t i = begin; i < end; ++i) *out++ = F{}(seen, i);
  };
  return {many, many};
}

constexpr ClassFunction error = of_class([](const auto& seen, std::size_t i) { return seen.error[i]; });
constexpr ClassFunction excess_loss =
    of_class([](const auto& seen, std::size_t i) { return seen.excess_loss[i]; });
constexpr ClassFunction loss_drop =
    of_class([](const auto& seen, std::size_t i) { return seen.loss_drop[i]; });
constexpr ClassFunction advantage =
    of_class([](const auto& seen, std::size_t i) { return seen.advantage[i]; });
constexpr ClassFunction tied = of_class(
    []<class Real>(const ClassStats<Real>& seen, std::size_t i) { return Real(seen.advantage[i] == 0); });
constexpr ClassFunction coefficient =
    of_class([](const auto& seen, std::size_t i) { return seen.coefficient[i]; });
constexpr ClassFunction right_answer = of_class([]<class Real>(const ClassStats<Real>& seen, std::size_t i) {
  return logistic(Real(-seen.log_odds[i]));
});

double share_of_first(double drop, const LossScale& scale) {
  return drop / std::log(scale.classes);
}

}  // namespace

template <class Real>
std::vector<Real> totals(const MetricRows& metrics, const ClassStats<Real>& seen,
                         const CellWeights<Real>& weights) {
  // Metrics of the same sum share it.
  std::vector<std::size_t> first;
  first.reserve(metrics.size());
  for (const MetricRow* metric : metrics) {
    const auto same = [&](const MetricRow* other) { return same_total(metric->classes(), other->classes()); };
    first.push_back(
        static_cast<std::size_t>(std::find_if(metrics.begin(), metrics.end(), same) - metrics.begin()));
  }
  std::vector<Total<Real>> sums(metrics.size());
  std::vector<Real> values(std::min(tile, weights.size()));
  for (std::size_t begin = 0; begin < weights.size(); begin += tile) {
    const std::size_t end = std::min(begin + tile, weights.size());
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (first[m] != m) continue;
      metrics[m]->classes().value(seen, begin, end, values.data());
      sums[m].add(metrics[m]->classes(), weights, begin, values, end - begin);
    }
  }
  std::vector<Real> found;
  found.reserve(metrics.size());
  for (std::size_t m = 0; m < metrics.size(); ++m)
    found.push_back(sums[first[m]].value(metrics[m]->classes()));
  return found;
}

template std::vector<double> totals(const MetricRows&, const ClassStats<double>&, const CellWeights<double>&);
template std::vector<Real50> totals(const MetricRows&, const ClassStats<Real50>&, const CellWeights<Real50>&);

const std::vector<MetricRow>& class_metric_rows() {
  constexpr auto known = &Observation::total_excess_loss;
  static const std::vector<MetricRow> rows = {
      {{"loss", "population loss", "L = Σ_l p_l L_l, L_l = -Σ_k π(k|l) ln p̂(k|l)"},
       "loss",
       ClassMeasure{.value = excess_loss, .above_least = true, .known = known},
       {.units = "nat", .predicted = true, .certified = Certified::alone}},
      {{"excess_loss", "loss above its lower bound", "L - L* = Σ_l p_l KL(π(.|l) || p̂(.|l))"},
       "excess loss",
       ClassMeasure{.value = excess_loss, .known = known},
       {.units = "nat", .predicted = true, .certified = Certified::above_rounding}},
      // Computed from errors, so nothing is subtracted from 1.
      {{"gap", "how unevenly the classes are learned", "Δ = max_l p̂(l|l) - min_l p̂(l|l)"},
       "gap between best and worst class",
       ClassMeasure{.over = Over::spread, .value = error, .known = &Observation::gap},
       {.predicted = true, .losses = Losses::softmax, .share = true}},
      {{"error", "probability of a wrong answer, mean over the group's classes",
        "1 - p̂(l|l) = Σ_{k≠l} p̂(k|l)"},
       "error of the class",
       ClassMeasure{.over = Over::classes, .value = error, .last_total = &Trajectory::total_error},
       {.predicted = true, .certified = Certified::alone, .losses = Losses::softmax, .share = true}},
      {{"class_loss", "loss of a class, mean over the group's classes", "L_l = -Σ_k π(k|l) ln p̂(k|l)"},
       "loss of the class",
       ClassMeasure{.over = Over::classes, .value = excess_loss, .above_least = true},
       {.units = "nat", .predicted = true, .certified = Certified::alone}},
      {{"recovered_count", "facts with a right logit above every wrong one",
        "#{l : max_right S_kl > max_wrong S_kl}", "kim2026"},
       "recovered facts",
       ClassMeasure{.over = Over::count, .value = advantage, .positive = true},
       {.losses = Losses::softmax}},
      {{"tied_count",
        "facts whose right logit ties with the largest wrong one, up to rounding; they count as not recovered",
        "#{l : |S_ll - max_{k≠l} S_kl| <= 2^-40 size}, size the largest |W_kl| so far, of column l or, where rules or "
        "embeddings mix columns, of all"},
       "facts that tie with a wrong answer",
       ClassMeasure{.over = Over::count, .value = tied},
       {.losses = Losses::softmax}},
      {{"recovered_weight", "probability mass of the recovered facts",
        "Σ_l p_l 1[max_right S_kl > max_wrong S_kl]", "kim2026"},
       "mass of the recovered facts",
       ClassMeasure{.value = advantage, .positive = true},
       {.losses = Losses::softmax, .share = true}},
      {{"soft_recovery", "probability of the right answer, mean over the facts by probability",
        "Σ_l p_l p̂(l|l)", "kim2026"},
       "mean probability of the right answer",
       ClassMeasure{.value = right_answer},
       {.losses = Losses::softmax, .share = true}},
      {{"loss_drop", "relative drop of the loss since W = 0, 1 at best without label noise",
        "(ln K - L)/ln K", "kim2026"},
       "share of the first loss that is gone",
       ClassMeasure{.value = loss_drop, .finished = share_of_first, .known = &Observation::total_loss_drop},
       {.losses = Losses::softmax}},
      {{"coefficient",
        "for least squares, component of the output along the right answer, mean over the group's classes",
        "(Ẽᵀ W E)_ll", "vasudeva2025"},
       "coefficient of the class",
       ClassMeasure{.over = Over::classes, .value = coefficient},
       {.predicted = true, .losses = Losses::least_squares}},
  };
  return rows;
}

}  // namespace rarefact
