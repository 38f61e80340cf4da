#pragma once

/// Probes: each measures quantities of a training at its recorded steps and declares its needs. A probe is a
/// row of step_probes.cpp or spectral_probes.cpp.

#include "algebra/singular_values.hpp"
#include "core/transform.hpp"
#include "experiment/experiment.hpp"
#include "metrics/metric.hpp"

namespace rarefact {

/// ϱ at the threshold and as defined (wang2025, section 5.1).
struct RhoMeasures {
  double infimum, at_threshold, deficit, scale;
};

/// The loss along the update that follows a step: L(W - ηD) - L(W) = -gain + penalty + remainder.
struct CurvatureMeasures {
  double first_order_gain, curvature_penalty, taylor_remainder, nds, nds_effective;
};

/// Noisy test queries: how often the right answer of every cell has the largest logit, its mean by probability, and the
/// standard errors of both (empty and NaN without draws).
struct RobustMeasures {
  std::vector<double> top1, deviation;
  double total, total_deviation;
};

/// A recorded step of a training: W, and the next update W ← W - ηD. Values are computed on request, and NaN
/// if the engine does not have them; requests that requirements refuse before a run throw std::logic_error.
class Moment {
 public:
  virtual ~Moment() = default;
  /// ϱ of the logits at W, for this ε.
  virtual RhoMeasures rho(double epsilon) = 0;
  /// With noise σ, by so many draws, or by the integral if 0.
  virtual RobustMeasures robust(double noise, std::int64_t draws) = 0;
  virtual double balance() = 0;       ///< ‖UᵀU - VVᵀ‖_F, of W = U V
  virtual double root_balance() = 0;  ///< ‖√(UᵀU) - √(VVᵀ)‖_F

  // For probes with needs.update.
  virtual SingularValues weight_values() = 0;  ///< of W
  virtual SingularValues update_values() = 0;  ///< of D
  virtual double update_size() = 0;        ///< the intended size of singular values of D, if all are equal
  virtual double update_leakage() = 0;     ///< ‖uᵀD‖/‖D‖_F, u the left null direction of ∇L
  virtual double weight_deviation() = 0;   ///< max_kl |S_kl/a - δ_kl|, a the mean of S_ll
  virtual double update_deviation() = 0;   ///< max_kl |δ_kl + (Ẽᵀ D E)_kl|
  virtual std::vector<double> push() = 0;  ///< -(Ẽᵀ D E)_ll, of every cell
  virtual double alignment() = 0;          ///< ⟨D, msgn ∇L⟩/rank ∇L, ∇L that of the population
  virtual CurvatureMeasures curvature() = 0;
  virtual double
  twin_gain() = 0;  ///< the most by which the update multiplies a difference of identical classes
};

/// Receives the measurements of probes at a recorded step.
class Measurements {
 public:
  virtual ~Measurements() = default;
  virtual void number(const std::string& variable, double value) = 0;
  /// One value per cell of the memory; a result has one per row.
  virtual void cells(const std::string& variable, const std::vector<double>& per_cell) = 0;
};

/// The needs of a probe, at every recorded step unless stated otherwise.
struct Needs {
  bool update = false;           ///< needs D, also after the last step
  bool logits = false;           ///< needs all logits of the state
  bool singular_values = false;  ///< of square matrices
  bool polar_factor = false;     ///< of the population's gradient, from scratch
  bool expansion = false;        ///< two more passes over all logits
  double logit_matrices = 0;     ///< matrices in the task basis that it computes
  double row_values = 0;         ///< stored for every row of the result
  Needs& operator+=(const Needs& more);
};

/// The properties that decide which probes a training has.
struct ProbeCase {
  const Experiment& experiment;
  double matrix_rows = std::numeric_limits<double>::infinity();  ///< the size of the singular value problem
  bool merges_identical = false;  ///< the engine stores identical queries or answers once
  bool updates = true;            ///< updates are made singly, so they can be measured
  bool repetition = false;        ///< only what has digits of its own
};

struct Probe {
  std::vector<MetricRow> rows;
  Needs needs;
  bool (*wanted)(const ProbeCase&);
  std::vector<double (*)(Moment&)> numbers = {};  ///< of every row, if they are numbers of their own
  void (*observe)(Moment&, const Experiment&, Measurements&) = nullptr;  ///< otherwise
  bool has_digits = false;  ///< measured in repetitions too, for NAME_digits of its variables
};

/// All probes, in the order in which a result lists their variables.
const std::vector<Probe>& probes();

/// The probes of one training.
struct Probes {
  const Experiment* experiment = nullptr;
  std::vector<const Probe*> chosen = {};
  Needs needs = {};  ///< the union of all

  /// Runs the probes that need the next update, or the others.
  void observe(bool update, Moment& moment, Measurements& found) const;
};
Probes wanted_probes(const ProbeCase& query);

/// A variable, and the member of a probe's measures that holds it.
template <class Seen>
struct Reading {
  MetricRow row;
  double Seen::*number;
};
template <class Seen>
using Readings = std::vector<Reading<Seen>>;

template <class Seen>
std::vector<MetricRow> rows_of(const Readings<Seen>& readings) {
  return mapped(readings, &Reading<Seen>::row);
}
template <class Seen>
void write(const Readings<Seen>& readings, const Seen& seen, Measurements& found) {
  for (const Reading<Seen>& reading : readings) found.number(reading.row.name, seen.*reading.number);
}

}  // namespace rarefact
