#pragma once

/// Runs that several points of a sweep share: where an axis is one optimizer's, the runs of the others are the same in
/// all points along it.

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "experiment/experiment.hpp"
#include "rarefact/result.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// What an optimizer has come to.
struct KnownRun {
  Experiment
      alone;  ///< with this optimizer only, and no name: what the run is a function of on exact engines
  Trajectory trajectory;
  std::vector<const PredictionRow*> predictions;
};

/// The runs that were asked for last, at most 256 of them and 64 MiB. Every member may be called from several threads.
class KnownRuns {
 public:
  /// Null where it is not known.
  std::shared_ptr<const KnownRun> find(const Experiment& alone);
  void keep(KnownRun run);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<const KnownRun>> latest_;  // first
  std::size_t bytes_ = 0;
};

}  // namespace rarefact
