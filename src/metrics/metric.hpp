#pragma once

/// The metrics catalogue: every variable per step that a result file can have. A metric of classes is a
/// function of one class and a reduction over all classes, used for states of exact engines, nodes of a
/// quadrature and predictions. All others are measured by probes (probe.hpp).

#include <cmath>
#include <utility>

#include "core/real50.hpp"
#include "model/observation.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// Reductions of the values of single classes.
enum class Over {
  classes,      ///< one value per class; the total is their mean by probability
  probability,  ///< Σ_l p_l value
  count,        ///< Σ_l value
  spread,       ///< largest minus smallest value
};

/// Quantities of the problem that metrics depend on.
struct LossScale {
  double least = 0;      ///< L*
  double classes = 0;    ///< K; the loss at W = 0 is ln K
  bool squares = false;  ///< least squares, which has other metrics
};

/// A function of a class, applied to many at a time, in double and in 50 digits.
struct ClassFunction {
  template <class Real>
  using Of = void (*)(const ClassStats<Real>& seen, std::size_t begin, std::size_t end, Real* out);
  Of<double> of = nullptr;
  Of<Real50> of50 = nullptr;

  template <class Real>
  void operator()(const ClassStats<Real>& seen, std::size_t begin, std::size_t end, Real* out) const {
    if constexpr (std::is_same_v<Real, double>)
      of(seen, begin, end, out);
    else
      of50(seen, begin, end, out);
  }
  bool operator==(const ClassFunction&) const = default;
};

/// The definition of a metric of the classes.
struct ClassMeasure {
  Over over = Over::probability;
  ClassFunction value = {};
  /// 1 if the value is positive, else 0. Between quadrature nodes the rank of a sign change is interpolated.
  bool positive = false;
  bool above_least = false;  ///< L* is added
  double (*finished)(double value,
                     const LossScale& scale) = nullptr;  ///< the metric of the value, if another
  std::optional<double> Observation::*known = nullptr;   ///< the total, if the memory has more digits
  double Trajectory::*last_total = nullptr;              ///< where a run keeps its last total

  /// The metric from the total or mean of the values. Subnormal numbers, which have lost digits, become 0.
  template <class Real>
  double metric(const Real& total, const Real& least, const LossScale& scale) const {
    auto number = static_cast<double>(above_least ? Real(least + total) : total);
    if (std::abs(number) < std::numeric_limits<double>::min()) number = 0;
    return finished ? finished(number, scale) : number;
  }
  double metric(double total, const LossScale& scale) const { return metric(total, scale.least, scale); }
};

/// The number of classes in a cell, and their total probability.
template <class Real>
struct CellWeights {
  std::vector<Real> count, mass;

  std::size_t size() const { return count.size(); }
  void add(const Real& classes, const Real& probability) {
    count.push_back(classes);
    mass.push_back(classes * probability);
  }
};

/// The losses for which a metric is defined.
enum class Losses { both, softmax, least_squares };

/// How the estimated error of a quadrature includes the metric: not at all; relative to itself; to the larger of itself and
/// 1e-10 of its first value (for values that end as rounding); or to the largest value of its probe at the step (for values
/// that may pass through zero).
enum class Certified { no, alone, above_rounding, beside };

struct MetricTraits {
  std::string units = "1";
  Along along = Along::nothing;  ///< its dimension besides run, optimizer and step
  bool predicted = false;        ///< theory fills <name>_predicted
  Certified certified = Certified::no;
  Losses losses = Losses::both;
  bool of_matrices = false;  ///< stored twice, as update_<name> and weight_<name>
  bool of_tops = false;      ///< stored for every k of run.top, as <name>_<k>
  bool share = false;        ///< lies in [0, 1]

  bool is_of(bool squares) const {
    return losses == Losses::both || (losses == Losses::least_squares) == squares;
  }
};

struct MetricRow : CatalogueRow, MetricTraits {
  std::string long_name;
  std::optional<ClassMeasure> of_classes = {};  ///< nullopt: not computed from the classes

  MetricRow(CatalogueRow description, std::string name_in_plots, MetricTraits traits = {})
      : CatalogueRow(std::move(description)),
        MetricTraits(std::move(traits)),
        long_name(std::move(name_in_plots)) {}
  MetricRow(CatalogueRow description, std::string name_in_plots, ClassMeasure measure,
            MetricTraits traits = {})
      : MetricRow(std::move(description), std::move(name_in_plots), std::move(traits)) {
    of_classes = measure;
    if (measure.over == Over::classes) along = Along::class_groups;
  }

  /// The names of its series in a trajectory, each with words for what the series describes.
  std::vector<std::pair<std::string, std::string>> stored_in(
      const std::map<std::string, std::vector<double>>& series) const;

  bool per_class() const { return along == Along::class_groups; }
  const ClassMeasure& classes() const { return of_classes.value(); }
};

const std::vector<MetricRow>& metric_catalogue();

using MetricRows = std::vector<const MetricRow*>;

/// True if all values of a variable lie in [0, 1], as errors and probabilities do.
bool is_share(const std::string& variable);

/// The totals of metrics of classes over the first weights.size() cells.
template <class Real>
std::vector<Real> totals(const MetricRows& metrics, const ClassStats<Real>& seen,
                         const CellWeights<Real>& weights);

/// The metrics of classes for a loss, or the predicted ones among them, in catalogue order.
const MetricRows& class_metrics(bool squares = false, bool predicted = false);

/// The rows of metrics of classes: loss, error ...
const std::vector<MetricRow>& class_metric_rows();

}  // namespace rarefact
