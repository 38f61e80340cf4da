#pragma once

/// What a training needs besides memory and rule.

#include <functional>
#include <limits>
#include <optional>

#include "metrics/probe.hpp"
#include "model/sampler.hpp"
#include "optim/schedule.hpp"
#include "optim/update_rule.hpp"
#include "sim/checkpoint.hpp"
#include "sim/fast_forward.hpp"
#include "sim/inputs.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

struct TrainingPlan {
  std::int64_t steps = 0;
  double step_size = 0;                   ///< η
  const ScheduleRow* schedule = nullptr;  ///< of η_t; null: constant
  double schedule_offset = 1;
  std::vector<std::int64_t> recorded;  ///< ascending, last one = steps
  bool measured = true;                ///< by probes, too; not in the repetitions that digits and checks take
  Probes probes = {};                  ///< those, filled in by who knows the memory
  bool reads_curvature = false;        ///< the rule, of the Hessian
  bool orthonormal = false;            ///< the embeddings
  bool diagonal = true;                ///< the queries are the answers: logits have a diagonal
  /// Of W: what is more is rounding. A function of gradients that rotates answers keeps their left null vector.
  double most_rank = std::numeric_limits<double>::infinity();
  WeightShape shape = {};  ///< of W in its own coordinates
  int repetition = 0;      ///< rounds at random, in the way of this repetition; 0: as the machine does
  std::optional<ForwardPlan> forward =
      {};                    ///< of columns of two numbers; nothing: updates are made one by one
  SampleSource sample = {};  ///< whose gradient a step takes; empty: the population's
  /// Adds cells that the state does not hold, such as the last class beyond the nodes of a quadrature.
  std::function<OneStepLogits<double>(OneStepLogits<double>)> complete_logits = {};
  std::function<void(std::int64_t done)> progress = {};  ///< may throw StoppedEarly
  Checkpoints* checkpoints = nullptr;                    ///< null: no state is kept
  std::string name = {};                                 ///< of the states

  /// η_t of the update that follows step t.
  template <class Real>
  Real step_size_at(std::int64_t step) const {
    if (!schedule) return step_size;
    return step_size * schedule->template factor_at<Real>({step, steps, schedule_offset});
  }
};

}  // namespace rarefact
