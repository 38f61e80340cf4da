#pragma once

/// The outcome of an optimizer: the run that is shown, and the accuracy of its numbers according to other runs.

#include <list>
#include <memory>
#include <mutex>

#include "sim/resolve.hpp"
#include "sim/unit.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// How units are run.
using UnitRunner = std::function<Trajectory(const Unit&)>;

/// One step size.
struct Attempted {
  Unit unit;  ///< as it was run in the end
  Trajectory trajectory;
};

/// Runs a unit of an engine that was chosen for it. A quadrature is run on the experiment's number of nodes, or doubled from
/// 32 on until the tolerance is met or doubling no longer helps: quadrature_error is its disagreement with half as many
/// nodes, at least 1e-11; 0 where every class was a node; infinite where it is above largest_certificate, or neighbouring
/// classes were pushed opposite ways. One that misses its tolerance is run on the fallback instead; without one it is
/// `uncertified`, or `failed` if it was chosen for the user. Leaps are compared with another unit that makes them earlier,
/// with the next larger step size: fast_forward_error is their disagreement and 1e-11 for roundings (more of a momentum above
/// 0.991), which single updates carry along and do not add up.
Attempted attempt(Unit unit, const EngineChoice& engine, const UnitRunner& run);

/// Fills in the digits that are left of a run that is kept, by repetitions of it, where they are wanted.
void measure_digits(Attempted& kept, const UnitRunner& run);

/// Adds the predictions that apply to it, and returns them.
std::vector<const PredictionRow*> predict_beside(Attempted& kept);

/// The best of its runs, a function of the experiment without the other optimizers.
struct OptimizerOutcome {
  Experiment alone;  ///< with this optimizer only, and no name
  Trajectory trajectory = {};
  std::vector<const PredictionRow*> predictions = {};
};

/// Those of the points of a sweep that were read last, at most 256 of them and 64 MiB: where an axis is one optimizer's,
/// those of the others are the same in all points along it. Every member may be called from several threads.
class KnownOutcomes {
 public:
  /// Null where it is not known.
  std::shared_ptr<const OptimizerOutcome> find(const Experiment& alone);
  void keep(OptimizerOutcome outcome);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<const OptimizerOutcome>> latest_;  // first
  std::size_t bytes_ = 0;
};

}  // namespace rarefact
