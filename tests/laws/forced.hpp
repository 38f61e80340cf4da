#pragma once

/// What the refusal of an engine protects from: the run on that engine all the same.

#include "laws/experiments.hpp"
#include "sim/resolve.hpp"
#include "sim/unit.hpp"

namespace laws {

/// On columns or on the symmetric engine, exact or not: rotations are taken out of the problem, correlations stay.
inline Result forced(const Experiment& e, const std::string& engine) {
  Setup setup;
  setup.spectrum = classes_of(e);
  setup.steps = recorded_steps(e.record, e.steps);
  const LearningProblem problem(e, setup, {}, Workers::serial());
  const OptimizerChoice& choice = e.optimizers.front();
  Result result;
  result.runs.resize(1);
  result.runs[0].trajectories = {run({&problem,
                                      &choice,
                                      {.way = row_named(engine_catalogue(), engine, "engine").ways.front()},
                                      choice.step_size.number})};
  return result;
}

}  // namespace laws
