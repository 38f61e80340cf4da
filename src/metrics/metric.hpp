#pragma once

/// The metrics catalogue: every variable a result file can hold for a step. A row carries the function that
/// computes it. Metrics of the classes of a state are a function of one class, and how the values of all classes
/// become a number: states of exact engines, nodes of a quadrature and predictions share the rows.

#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "core/real50.hpp"
#include "metrics/spectral.hpp"
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

enum class MetricKind {
  trajectory,  ///< of the classes of a state: loss, error ...
  spectral,    ///< of singular values; stored as update_<name> and weight_<name>
  task,        ///< of update and weight in the task basis; measured with the spectral ones
  step,        ///< of the update, for every class; measured where run.push is true
  retrieval,   ///< ϱ of the weight's direction; measured where run.rho_epsilon > 0
  digits,      ///< of the others, from repetitions of the run; measured where run.digits says
  answers,     ///< of laws of answers; measured where the law is not the identity
  curvature,   ///< of the loss along the next update; measured where run.curvature is true
  alignment,   ///< of the update; measured where run.alignment is true
};

/// What a step shows in the task basis.
struct TaskMeasures {
  double update_identity_deviation, weight_identity_deviation, update_orthogonality_residual,
      update_null_space_leakage;
};

/// ϱ both ways.
struct RhoMeasures {
  double infimum, at_threshold, deficit, scale;
};

/// What a step shows where the law of answers is not the identity.
struct LawMeasures {
  double top1_error, twin_gain;
  std::vector<double> answer_error,
      answer_loss;  ///< mean of one answer of each answer group; NaN where q_k = 0
};

/// The loss along the update that follows a step: L(W - ηD) - L(W) = -gain + penalty + remainder.
struct CurvatureMeasures {
  double first_order_gain, curvature_penalty, taylor_remainder, nds, nds_effective;
};

/// How the push of every class is measured: the update's logits tell.
struct PushMeasure {};

/// Digits are those in which repetitions of a run agree.
struct DigitsMeasure {
  const char* of = "";  ///< a metric of classes; empty: the least of all that are measured
};

/// How an update is compared with the population's gradient: matrices tell.
struct AlignmentMeasure {};

/// One number of a step, or one of each answer group.
using AnswerMeasure = std::variant<double LawMeasures::*, std::vector<double> LawMeasures::*>;

/// The function of each kind of metric, in the order of MetricKind.
using Measure =
    std::variant<ClassMeasure, SpectralMeasure, double TaskMeasures::*, PushMeasure, double RhoMeasures::*,
                 DigitsMeasure, AnswerMeasure, double CurvatureMeasures::*, AlignmentMeasure>;

/// The losses that a metric is of.
enum class Losses { both, softmax, least_squares };

struct MetricTraits {
  bool predicted = false;  ///< theory fills <name>_predicted
  bool certified = false;  ///< doubling the nodes of a quadrature must not change it
  Losses losses = Losses::both;

  bool is_of(bool squares) const {
    return losses == Losses::both || (losses == Losses::least_squares) == squares;
  }
};

struct MetricRow : CatalogueRow, MetricTraits {
  std::string long_name;
  std::string units;
  Measure measure;
  MetricKind kind;
  Along along;  ///< what it is measured for at a step

  MetricRow(CatalogueRow description, std::string long_name, std::string units, const Measure& measure,
            MetricTraits traits = {});

  bool per_class() const { return along == Along::class_groups; }
  const ClassMeasure& classes() const { return std::get<ClassMeasure>(measure); }
  double of(const Levels& seen) const {
    const auto& spectral = std::get<SpectralMeasure>(measure);
    return seen.all.empty() ? spectral.of_zero : spectral.of(seen);
  }
  double of(const TaskMeasures& seen) const { return seen.*std::get<double TaskMeasures::*>(measure); }
  double of(const RhoMeasures& seen) const { return seen.*std::get<double RhoMeasures::*>(measure); }
  double of(const CurvatureMeasures& seen) const {
    return seen.*std::get<double CurvatureMeasures::*>(measure);
  }
  /// One number, or one of each answer group.
  std::vector<double> of(const LawMeasures& seen) const;
};

const std::vector<MetricRow>& metric_catalogue();

using MetricRows = std::vector<const MetricRow*>;

/// The total of each of these metrics of classes over the first weights.size() cells.
template <class Real>
std::vector<Real> totals(const MetricRows& metrics, const SeenClasses<Real>& seen,
                         const CellWeights<Real>& weights);

/// The rows of a kind, in the order of the catalogue.
MetricRows metrics_of(MetricKind kind);
/// Those of kind trajectory that a loss has, and those among them that theory predicts.
const MetricRows& class_metrics(bool squares = false);
const MetricRows& predicted_metrics(bool squares = false);

/// Rows of the catalogue, by file.
std::vector<MetricRow> class_metric_rows();
std::vector<MetricRow> spectral_rows();

}  // namespace rarefact
