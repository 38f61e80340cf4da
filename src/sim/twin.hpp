#pragma once

/// The twin of a dense run: the same run on engine symmetric, which keeps identical queries and answers equal, where rounding
/// separates those of the dense run. Its twin_gain tells from which step on, if digits do not; of queries that share attributes,
/// which have no gain, the losses and errors of both.

#include "sim/unit.hpp"

namespace rarefact {

/// The experiment of the twin; nullopt if digits tell, engine symmetric is not possible, or nothing is identical: only answer
/// laws have identical queries and answers, and only queries of attributes share them.
std::optional<Experiment> twin_of(const EngineQuery& query, const Reduction& reduction,
                                  const EngineCost& cost);

/// Estimated seconds of the twin; 0 without one.
double twin_seconds(const EngineQuery& query, const Reduction& reduction, const EngineCost& cost);

/// twin_gain of the twin of a trajectory; of attributes ∞ at the steps at which losses or errors of a class have fewer than
/// 3 digits in common, and 0 at the others. Empty without a twin. StoppedEarly from `watch` reaches the caller.
std::vector<double> twin_gains(const Unit& unit, const Trajectory& trajectory, const FileReaders& readers,
                               Watch watch);

}  // namespace rarefact
