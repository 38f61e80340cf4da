#pragma once

/// The inputs of a training besides memory and rule.

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
  bool measured = true;                ///< whether probes measure; not in repetitions for digits and checks
  Probes probes = {};                  ///< the probes, filled in where the memory is made
  bool reads_curvature = false;        ///< whether the rule uses the Hessian
  bool orthonormal = false;            ///< whether the embeddings are orthonormal
  bool diagonal = true;                ///< query l has answer l, so logits have a diagonal
  /// The largest rank of W; further singular values are rounding noise. Functions of gradients that are
  /// rotation-equivariant on answers keep their left null vector.
  double max_rank = std::numeric_limits<double>::infinity();
  WeightShape shape = {};  ///< of W in its own coordinates
  int repetition = 0;      ///< number of the repetition with random rounding; 0: no random rounding
  std::optional<ForwardPlan> forward =
      {};                    ///< for columns of two numbers; nullopt: updates are made one by one
  SampleSource sample = {};  ///< samples for the gradients; empty: the population
  /// Adds cells that are not in the state, such as the last class beyond the nodes of a quadrature.
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
