#pragma once

/// The twin of a dense run: the same run on engine symmetric, which keeps identical queries and answers equal, where rounding
/// separates those of the dense run. Its twin_gain tells from which step on, if digits do not.

#include "sim/unit.hpp"

namespace rarefact {

/// The experiment of the twin; nullopt if digits tell, engine symmetric is not possible, or nothing is identical: only answer
/// laws have identical queries and answers.
std::optional<Experiment> twin_of(const EngineQuery& query, const Reduction& reduction,
                                  const EngineCost& cost);

/// Estimated seconds of the twin; 0 without one.
double twin_seconds(const EngineQuery& query, const Reduction& reduction, const EngineCost& cost);

/// twin_gain of the twin; empty without one. StoppedEarly from `watch` reaches the caller.
std::vector<double> twin_gains(const Unit& unit, const FileReaders& readers, Watch watch);

}  // namespace rarefact
