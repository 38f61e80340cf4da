#pragma once

/// A unit of work: one optimizer with one step size, on one engine, in one of the variants that are compared with each other.

#include "metrics/metric.hpp"
#include "sim/answer_groups.hpp"
#include "sim/checkpoint.hpp"
#include "sim/engines.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

/// The learning problem and the rows that show it: the same for all optimizers of an experiment, and a function of none.
struct LearningProblem {
  /// All of them outlive it.
  LearningProblem(const Experiment& experiment, const Spectrum& spectrum, std::vector<std::int64_t> steps,
                  ArrayReader reader, const Workers& workers);

  const Experiment& experiment;
  const Spectrum& spectrum;
  const Workers& workers;
  std::vector<std::int64_t> steps;  ///< recorded
  ClassRows rows;
  LossScale loss;
  std::vector<double> row_least;        ///< L_l* of every row; empty where it is L* of all
  std::optional<AnswerGroups> answers;  ///< nothing: the law of answers is the identity
  std::vector<std::size_t> among_all;   ///< see ShownAnswers
  mutable SharedInputs inputs;          ///< made when the first unit asks
};

/// The difference of a run from the one that is shown, whose accuracy it measures.
struct Variant {
  std::int64_t nodes = 0;     ///< of a quadrature
  int repetition = 0;         ///< rounds at random, in the way of this repetition; 0: as the machine does
  bool checks_leaps = false;  ///< leaps in another way
  bool shown() const { return repetition == 0 && !checks_leaps; }
};

struct Unit {
  const LearningProblem* problem;
  const OptimizerChoice* choice;
  Reduction reduction;
  double step_size = 0;
  Variant variant = {};

  const OptimizerRow& rule() const { return optimizer_row(choice->rule); }
  Symmetries symmetries() const { return rule().symmetries_of(choice->parameters); }
  EngineQuery query() const { return {problem->experiment, problem->spectrum, *choice}; }
  /// True if it makes many updates at once.
  bool leaps() const { return why_single(query(), reduction.way).empty(); }
};

/// How a unit is watched while it runs; none of it changes a bit.
struct Watch {
  Checkpoints* checkpoints = nullptr;                    ///< from which it goes on; null: no state is kept
  std::string name = {};                                 ///< its states are kept under this and the variant's
  std::function<void(std::int64_t done)> progress = {};  ///< may throw StoppedEarly
};

/// Trains it and fills in the measured series, status, updates, and of quadratures the nodes; of what is not shown no probe
/// measures anything. On nodes quadrature_error says what a run alone may know of it: infinite where nothing is certified.
Trajectory run(const Unit& unit, const Watch& watch = {});

}  // namespace rarefact
