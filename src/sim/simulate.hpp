#pragma once

/// Simulates an experiment: measured and predicted trajectories.

#include <cstdint>
#include <functional>
#include <string>

#include "rarefact/result.hpp"
#include "sim/outcome.hpp"

namespace rarefact {

/// Called from time to time with the optimizer's label, the steps done and the number of steps. May be empty.
using Progress = std::function<void(const std::string& optimizer, std::int64_t done, std::int64_t of)>;

/// Runs every optimizer of the experiment, which `setup` resolves. `threads` changes the time but not a bit of the
/// result; nor do `checkpoints`, from which it continues, or outcomes known from other points. The returned
/// Result has one run, and an empty `experiment` text, which the room experiment writes.
Result simulate(const Experiment& experiment, const Setup& setup, const FileReaders& readers, int threads,
                const Progress& progress = {}, Checkpoints* checkpoints = nullptr,
                KnownOutcomes* known = nullptr);

/// The same, after resolving the experiment.
Result simulate(const Experiment& experiment, const FileReaders& readers, int threads,
                const Progress& progress = {}, Checkpoints* checkpoints = nullptr,
                KnownOutcomes* known = nullptr);

}  // namespace rarefact
