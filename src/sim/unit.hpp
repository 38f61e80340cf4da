#pragma once

/// A unit of work: an optimizer with a step size on an engine, as the shown run or a variant that checks it.

#include "experiment/step_sizes.hpp"
#include "metrics/metric.hpp"
#include "sim/answer_groups.hpp"
#include "sim/checkpoint.hpp"
#include "sim/cost.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

struct Setup;

/// The learning problem and the rows that show it, shared by all optimizers of an experiment.
struct LearningProblem {
  /// All arguments must outlive it.
  LearningProblem(const Experiment& experiment, const Setup& setup, ArrayReader reader,
                  const Workers& workers);

  const Experiment& experiment;
  const Spectrum& spectrum;
  const Workers& workers;
  const std::vector<std::int64_t>& steps;  ///< recorded
  ClassRows rows;
  LossScale loss;
  std::vector<double> row_least;        ///< L_l* of every row; empty if L* is the same for all
  std::vector<ClassBand> bands;         ///< of run.bands
  std::vector<double> band_least;       ///< mean L_l* of each
  std::optional<AnswerGroups> answers;  ///< nullopt: the identity law
  std::vector<std::size_t> among_all;   ///< see ShownAnswers
  mutable SharedInputs inputs;          ///< computed at the first request
};

inline constexpr std::int64_t tame_moves = 3;

/// How a run differs from the run that is shown, whose accuracy it measures.
struct Variant {
  std::int64_t nodes = 0;  ///< of a quadrature; else 0
  int repetition = 0;      ///< number of the random rounding; 0: ordinary rounding
  /// The step size is the next larger double, so that a difference shows how the steps amplify rounding.
  bool perturbed = false;
  bool leaps_earlier = false;
  bool no_epsilon = false;  ///< the ε of its rule is 0
  /// Steps of a tame repetition: frequencies are nearly equal and logits at most 1, so that no direction is lost. W moves,
  /// by 1, only in the first `tame_moves` steps, after which its rank no longer changes. 0: an ordinary repetition.
  std::int64_t tame_steps = 0;
  Index max_rank = any_rank;  ///< PolarHint::max_rank
  bool shown() const { return repetition == 0 && !leaps_earlier && !no_epsilon; }
};

struct Unit {
  const LearningProblem* problem;
  const OptimizerChoice* choice;
  Reduction reduction;
  double step_size = 0;
  Variant variant = {};

  const OptimizerRow& rule() const { return optimizer_row(choice->rule); }
  Symmetries symmetries() const { return query().symmetries; }
  EngineQuery query() const { return {problem->experiment, problem->spectrum, *choice}; }
  StepSchedule schedule() const {
    return schedule_of(*choice, step_size, problem->experiment, problem->spectrum);
  }
  EngineCost cost() const;
  Unit perturbed() const;
  /// True if it makes many updates at once.
  bool leaps() const { return why_single(query(), reduction.way).empty(); }
};

/// Observers of a running unit; they do not affect results.
struct Watch {
  Checkpoints* checkpoints = nullptr;  ///< from which it resumes; null: no state is stored
  std::string name = {};               ///< its states are stored under this name and the variant's
  std::function<void(std::int64_t done)> progress = {};  ///< may throw StoppedEarly
};

/// Trains a unit and returns its measured series, status, updates and, for quadratures, nodes. Repetitions have
/// only the probes with digits of their own, and checks of leaps have none. quadrature_error is infinite if the
/// directions of a quadrature jump.
Trajectory run(const Unit& unit, const Watch& watch = {});

}  // namespace rarefact
