#pragma once

/// The only training loop: an experiment in, measured and predicted trajectories out.

#include <cstdint>
#include <functional>
#include <string>

#include "experiment/experiment.hpp"
#include "io/array_file.hpp"
#include "sim/checkpoint.hpp"
#include "sim/result.hpp"

namespace rarefact {

/// Called from time to time with the optimizer's label and the steps done of how many. May be empty.
using Progress = std::function<void(const std::string& optimizer, std::int64_t done, std::int64_t of)>;

/// The engine one optimizer of an experiment runs on, and why; or why it cannot run.
struct EngineChoice {
  std::string optimizer;
  std::string engine;       ///< columns | symmetric | dense
  std::string reason;       ///< one sentence
  double memory_bytes = 0;  ///< of the state and its work space
};

/// The engine of every optimizer of the experiment, in order. InputError (all problems) where an explicit
/// engine would not be exact, or the engine, which does not depend on the limit, would need more than
/// `memory_limit_bytes`. Allocates nothing large.
std::vector<EngineChoice> choose_engines(const Experiment& experiment, const FileReaders& readers,
                                         double memory_limit_bytes);

/// Runs every optimizer of the experiment. `threads` changes the time, never a bit of the result; nor do
/// `checkpoints`, if there are some, from which it goes on.
/// The returned Result has one run, and an empty `experiment` text (io owns the text form).
Result simulate(const Experiment& experiment, const FileReaders& readers, int threads,
                const Progress& progress = {}, Checkpoints* checkpoints = nullptr);

}  // namespace rarefact
