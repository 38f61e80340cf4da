#pragma once

/// A unit with the inputs of its training besides memory and rule; filled in by unit.cpp.

#include "metrics/probe.hpp"
#include "model/smooth_law.hpp"
#include "sim/fast_forward.hpp"
#include "sim/rank_bound.hpp"
#include "sim/unit.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

struct TrainingPlan {
  const Unit& unit;
  const Watch& watch;
  Trajectory& trajectory;
  WeightShape shape;  ///< of W in its own coordinates
  const LearningProblem& problem = *unit.problem;
  const Experiment& experiment = problem.experiment;
  const Spectrum& spectrum = problem.spectrum;
  SharedInputs& inputs = problem.inputs;
  const EngineQuery query = unit.query();
  const Symmetries symmetries = unit.symmetries();
  const StepSchedule schedule = unit.schedule();
  LossScale loss = problem.loss;
  bool softmax = !experiment.loss->of_outputs;
  bool orthonormal = false;         ///< the embeddings are orthonormal, and the loss is softmax
  DenseEmbeddings embeddings = {};  ///< of dense matrices
  Index known_rank = any_rank;      ///< PolarHint::known_rank
  RankBounds max_ranks = {std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::infinity()};  ///< where they are needed
  double gradient_rank = std::numeric_limits<double>::infinity();    ///< gradient_rank(), for alignment
  /// For columns of two numbers; nullopt: updates are made one by one.
  std::optional<ForwardPlan> forward = {};
  double matrix_rows = std::numeric_limits<double>::infinity();  ///< of the singular value problem
  const SampledClasses* sampled = nullptr;   ///< the sampled classes, if only those are stored
  bool alike_queries = false;                ///< one cell stands for all queries
  std::optional<QuadratureRule> nodes = {};  ///< of a quadrature
  Probes probes = {};                        ///< none in repetitions for digits and in checks
  SampleSource sample = {};                  ///< samples for the gradients; empty: the population
  /// Adds cells that are not in the state, such as the last class beyond the nodes of a quadrature.
  std::function<OneStepLogits<double>(OneStepLogits<double>)> complete_logits = {};
};

}  // namespace rarefact
