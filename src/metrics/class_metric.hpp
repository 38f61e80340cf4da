#pragma once

/// Metrics of the classes of a state: a function of one class, and how the values of all classes become a
/// number. States of exact engines, nodes of a quadrature and predictions share the rows.

#include <vector>

#include "core/real50.hpp"
#include "model/observation.hpp"

namespace rarefact {

/// How values of single classes are summed up.
enum class Over {
  each,         ///< one value a class; its total is the mean over classes, by probability
  probability,  ///< Σ_l p_l value
  count,        ///< Σ_l value
  spread,       ///< largest value less the smallest
};

/// Loss at both ends: what the values of a class cannot know.
struct LossScale {
  double least = 0;    ///< L*
  double classes = 0;  ///< K; the loss at W = 0 is ln K
};

/// A function of one class, for many of them at a time, in doubles and in 50 digits.
struct ClassFunction {
  void (*of)(const SeenClasses<double>& seen, std::size_t begin, std::size_t end, double* out) = nullptr;
  void (*of50)(const SeenClasses<Real50>& seen, std::size_t begin, std::size_t end, Real50* out) = nullptr;

  void operator()(const SeenClasses<double>& seen, std::size_t begin, std::size_t end, double* out) const {
    of(seen, begin, end, out);
  }
  void operator()(const SeenClasses<Real50>& seen, std::size_t begin, std::size_t end, Real50* out) const {
    of50(seen, begin, end, out);
  }
  bool operator==(const ClassFunction&) const = default;
};

template <class Real>
struct SeenClass {
  const SeenClasses<Real>& all;
  std::size_t index;
  const Real& error() const { return all.error[index]; }
  const Real& log_odds() const { return all.log_odds[index]; }
  const Real& excess_loss() const { return all.excess_loss[index]; }
  const Real& advantage() const { return all.advantage[index]; }
};

/// From a lambda of one SeenClass.
template <class F>
constexpr ClassFunction of_class(F) {
  const auto many = []<class Real>(const SeenClasses<Real>& seen, std::size_t begin, std::size_t end,
                                   Real* out) {
    for (std::size_t i = begin; i < end; ++i) *out++ = F{}(SeenClass<Real>{seen, i});
  };
  return {many, many};
}

/// What a metric of the classes is.
struct ClassMeasure {
  Over over = Over::probability;
  ClassFunction value = {};
  /// 1 where the value is positive and 0 elsewhere in the place of the value. Between the nodes of a
  /// quadrature the rank where its sign changes is sought.
  bool positive = false;
  bool above_least = false;                                            ///< L* is added
  double (*finished)(double value, const LossScale& scale) = nullptr;  ///< the metric, where it is not yet
  std::optional<double> Observation::*known = nullptr;  ///< the total, of a memory of more digits

  /// The metric from the total or the mean of the values.
  template <class Real>
  double metric(const Real& total, const Real& least, const LossScale& scale) const {
    const auto number = static_cast<double>(above_least ? Real(least + total) : total);
    return finished ? finished(number, scale) : number;
  }
  double metric(double total, const LossScale& scale) const { return metric(total, scale.least, scale); }
};

/// How many classes a cell stands for, and their probability together.
template <class Real>
struct CellWeights {
  std::vector<Real> count, mass;

  std::size_t size() const { return count.size(); }
  void add(const Real& classes, const Real& probability) {
    count.push_back(classes);
    mass.push_back(classes * probability);
  }
};

struct MetricRow;
using MetricRows = std::vector<const MetricRow*>;

/// The total of each of these metrics of classes over the first weights.size() cells.
template <class Real>
std::vector<Real> totals(const MetricRows& metrics, const SeenClasses<Real>& seen,
                         const CellWeights<Real>& weights);

}  // namespace rarefact
