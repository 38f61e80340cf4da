#pragma once

/// Simulates an experiment: measured and predicted trajectories.

#include <functional>

#include "rarefact/result.hpp"
#include "sim/outcome.hpp"

namespace rarefact {

/// Called from time to time with the optimizer's label, the steps done and the number of steps. May be empty.
using Progress = std::function<void(const std::string& optimizer, std::int64_t done, std::int64_t of)>;

/// Hooks of a simulation; none changes a bit of its result.
struct RunHooks {
  Progress progress = {};
  Checkpoints* checkpoints = nullptr;  ///< from which it continues
  KnownOutcomes* known = nullptr;      ///< from other points
};

/// Runs every optimizer of the experiment, which `setup` resolves. `threads` does not change a bit of
/// the result, which has one run, and an empty `experiment` text, which the room experiment writes.
Result simulate(const Experiment& experiment, const Setup& setup, const FileReaders& readers, int threads,
                const RunHooks& hooks = {});

/// The same, after resolving the experiment.
Result simulate(const Experiment& experiment, const FileReaders& readers, int threads,
                const RunHooks& hooks = {});

}  // namespace rarefact
