#pragma once

/// A run on an exact engine: every class is held, or stands for equal ones.

#include "sim/engines.hpp"
#include "sim/class_rows.hpp"
#include "sim/training_plan.hpp"

namespace rarefact {

/// What a run on an exact engine needs to know.
struct ExactTask {
  const Experiment& experiment;
  const Spectrum& spectrum;
  const OptimizerChoice& choice;
  const Reduction& reduction;
  TrainingPlan plan;  ///< probes, sample and the shape of W are filled in
  const ClassRows& rows;
  LossScale loss;
  const std::vector<double>& row_least;  ///< L_l* of every row; empty where it is L* of all
  SharedInputs& inputs;
  const Workers& workers;
};

/// Runs it and fills in the measured series, status and status_step.
void run_exact(ExactTask task, Trajectory& trajectory);

}  // namespace rarefact
