#pragma once

/// W at step 0, and W as it is stored, in the coordinates of a memory.

#include <stdexcept>

#include "rarefact/result.hpp"
#include "sim/direction_measures.hpp"
#include "sim/training_plan.hpp"

namespace rarefact {

/// c I in the task basis.
template <class Memory>
typename Memory::State task_identity(const Memory& memory, double c) {
  using Real = ScalarOf<typename Memory::State>;
  auto identity = identity_like(memory.logits(memory.zero()));
  combine(identity, Real(c), Real(0), identity);
  return identity;
}

template <class Memory>
typename Memory::State start_of(const Memory& memory, const TrainingPlan& plan) {
  const ChosenRow& init = plan.experiment.init;
  if (plan.experiment.starts_at_zero()) return memory.zero();
  if (init.kind == "aligned")
    return memory.to_ambient(task_identity(memory, init.parameters.number("scale")));
  if constexpr (std::is_same_v<typename Memory::State, DenseMatrix>) {
    const Matrix zero = memory.zero().entries;
    return {*plan.inputs.start(0, zero.rows(), zero.cols())};
  } else if constexpr (requires { memory.attribute_start(1.0); }) {
    if (start_row(init.kind).of_attributes) return memory.attribute_start(init.parameters.number("scale"));
  }
  throw std::logic_error("a start with all entries is not in this algebra");
}

/// Row by row.
inline StoredMatrix stored(const DenseMatrix& x) {
  const Matrix rows = x.entries.transpose();
  return {static_cast<std::size_t>(x.entries.rows()),
          static_cast<std::size_t>(x.entries.cols()),
          {rows.data(), rows.data() + rows.size()}};
}
template <class M>
StoredMatrix stored(const M&) {
  throw std::logic_error("this algebra does not have all entries of W");
}

}  // namespace rarefact
