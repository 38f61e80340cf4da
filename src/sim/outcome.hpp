#pragma once

/// The outcome of an optimizer: the run that is shown, with its accuracy as measured by further runs.

#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "sim/resolve.hpp"
#include "sim/unit.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// Trains a unit.
using UnitRunner = std::function<Trajectory(const Unit&)>;

/// The run for one step size.
struct Attempted {
  Unit unit;  ///< as finally run
  Trajectory trajectory;
  /// twin_gain of a dense run whose digits are not measured, by engine symmetric, or ∞ where queries share attributes and the
  /// two differ; empty if that is not possible.
  std::vector<double> twin_gains = {};
  /// The first step at which repetitions for digits recover, or tie, other numbers of facts.
  std::optional<std::int64_t> undecided = {};
};

/// Runs a unit on the engine chosen for it. A quadrature is run on the experiment's number of nodes, or
/// doubled from 32 until it meets the tolerance or doubling no longer helps. quadrature_error is its
/// disagreement with half as many nodes, at least 1e-11; 0 if every class was a node; infinite above
/// largest_certificate, or if neighbouring classes were pushed in opposite directions. If it misses its
/// tolerance, the fallback is run instead; without a fallback it is `uncertified`, or `failed` if quadrature
/// was chosen automatically. Leaps are compared with a run that leaps earlier, with the next larger step
/// size: fast_forward_error is their disagreement plus 1e-11 for rounding (more for momentum above 0.991).
Attempted attempt(Unit unit, const EngineChoice& engine, const UnitRunner& run);

/// True if columns of a gradient are sums of others' columns, so that rounding may hide a direction: embeddings that are not
/// orthonormal, or a product, in which each factor has the gradient times the other.
bool mixes_columns(const Experiment& experiment);

/// The ranks that the rule decided on; if it decided on none, as where it decomposes signs or quotients, those of the recorded
/// updates.
std::vector<RankFrom> ranks_shown(const LearningProblem& problem, const Trajectory& trajectory);

/// The first step at which the rule finds more directions than at first, and their numbers; of rules that decompose no
/// matrix those of the recorded updates. The gradient of a population rarely gains a direction, but rounding that breaks
/// a symmetry adds one.
struct RankGrowth {
  std::int64_t step;
  double before, after;
};
std::optional<RankGrowth> rank_growth(const Attempted& kept);
std::string text_of(const RankGrowth& growth);

/// True if rounding separates identical classes, or may have hidden a direction of the gradient.
bool shows_lost_digits(const Attempted& kept);

/// Measures the digits of a run that is kept, by repetitions, if wanted, if the rank of its update grows or, under
/// run.digits = "noted", if the run shows a sign of lost digits.
void measure_digits(Attempted& kept, const UnitRunner& run);

/// Adds the predictions that apply to the run, and returns them.
std::vector<const PredictionRow*> predict_beside(Attempted& kept);

/// Sets the source of the step size and, for a complete run, the notes: its best step size is at the edge of
/// those tried; ε changes the errors of classes, by a run without it; rounding separates identical classes.
void add_notes(Attempted& kept, const UnitRunner& run);

/// The best run of an optimizer, a function of the experiment without the other optimizers.
struct OptimizerOutcome {
  Experiment alone;  ///< with this optimizer only, and no name
  Trajectory trajectory = {};
  std::vector<const PredictionRow*> predictions = {};
};

/// A cache of the outcomes used last by the points of a sweep, at most 256 and 64 MiB: along an axis of one
/// optimizer, the others have the same outcome at all points. Members may be called from several threads.
class KnownOutcomes {
 public:
  /// Null if it is not cached.
  std::shared_ptr<const OptimizerOutcome> find(const Experiment& alone);
  void keep(std::shared_ptr<const OptimizerOutcome> outcome);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<const OptimizerOutcome>> latest_;  // most recent first
  std::size_t bytes_ = 0;
};

}  // namespace rarefact
