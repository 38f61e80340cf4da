#pragma once

/// The metrics catalogue: every variable a result file can hold for a step. Metrics of the classes of a state are a function
/// of one class, and how the values of all classes become a number: states of exact engines, nodes of a quadrature and
/// predictions share the rows. All others are measured by probes (probe.hpp).

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/real50.hpp"
#include "model/observation.hpp"
#include "rarefact/catalogue.hpp"
#include "rarefact/result.hpp"

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
  double least = 0;      ///< L*
  double classes = 0;    ///< K; the loss at W = 0 is ln K
  bool squares = false;  ///< least squares: what there is to measure is else
};

/// A function of one class, for many of them at a time, in doubles and in 50 digits.
struct ClassFunction {
  template <class Real>
  using Of = void (*)(const SeenClasses<Real>& seen, std::size_t begin, std::size_t end, Real* out);
  Of<double> of = nullptr;
  Of<Real50> of50 = nullptr;

  template <class Real>
  void operator()(const SeenClasses<Real>& seen, std::size_t begin, std::size_t end, Real* out) const {
    if constexpr (std::is_same_v<Real, double>)
      of(seen, begin, end, out);
    else
      of50(seen, begin, end, out);
  }
  bool operator==(const ClassFunction&) const = default;
};

/// What a metric of the classes is.
struct ClassMeasure {
  Over over = Over::probability;
  ClassFunction value = {};
  /// 1 where the value is positive and 0 elsewhere instead of the value. Between the nodes of a
  /// quadrature the rank where its sign changes is sought.
  bool positive = false;
  bool above_least = false;                                            ///< L* is added
  double (*finished)(double value, const LossScale& scale) = nullptr;  ///< the metric, where it is not yet
  std::optional<double> Observation::*known = nullptr;  ///< the total, of a memory of more digits

  /// The metric from the total or the mean of the values. Subnormal numbers, whose digits are gone, read 0.
  template <class Real>
  double metric(const Real& total, const Real& least, const LossScale& scale) const {
    auto number = static_cast<double>(above_least ? Real(least + total) : total);
    if (std::abs(number) < std::numeric_limits<double>::min()) number = 0;
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

/// The losses that a metric is of.
enum class Losses { both, softmax, least_squares };

/// Whether doubling the nodes of a quadrature must not change it: no number of its own, or none beside the largest of its
/// probe at the step, where single ones may pass through zero.
enum class Certified { no, alone, beside };

struct MetricTraits {
  bool predicted = false;  ///< theory fills <name>_predicted
  Certified certified = Certified::no;
  Losses losses = Losses::both;

  bool is_of(bool squares) const {
    return losses == Losses::both || (losses == Losses::least_squares) == squares;
  }
};

struct MetricRow : CatalogueRow, MetricTraits {
  std::string long_name;
  std::string units;
  Along along;                             ///< what it is measured for at a step
  std::optional<ClassMeasure> of_classes;  ///< how it is computed from the classes; else a probe measures it
  bool of_matrices = false;                ///< stored twice, as update_<name> and weight_<name>

  MetricRow(CatalogueRow description, std::string name_in_plots, std::string unit, ClassMeasure measure,
            MetricTraits traits = {});
  MetricRow(CatalogueRow description, std::string name_in_plots, std::string unit,
            Along along = Along::nothing, MetricTraits traits = {});

  bool per_class() const { return along == Along::class_groups; }
  const ClassMeasure& classes() const { return of_classes.value(); }
};

const std::vector<MetricRow>& metric_catalogue();

using MetricRows = std::vector<const MetricRow*>;

/// The total of each of these metrics of classes over the first weights.size() cells.
template <class Real>
std::vector<Real> totals(const MetricRows& metrics, const SeenClasses<Real>& seen,
                         const CellWeights<Real>& weights);

/// Those of the classes that a loss has, in the order of the catalogue, and those among them that theory predicts.
const MetricRows& class_metrics(bool squares = false);
const MetricRows& predicted_metrics(bool squares = false);

/// The rows of the classes of a state: loss, error ...
const std::vector<MetricRow>& class_metric_rows();

}  // namespace rarefact
