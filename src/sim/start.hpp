#pragma once

/// W or its factors at step 0, and W as it is stored, in the coordinates of a memory.

#include <stdexcept>

#include "rarefact/result.hpp"
#include "sim/direction_measures.hpp"
#include "sim/product_updates.hpp"
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
Factors<typename Memory::State> start_of(const Memory& memory, const TrainingPlan& plan) {
  using M = typename Memory::State;
  const Experiment& e = plan.experiment;
  const ParameterValues& parameters = e.init.parameters;
  if (e.starts_at_zero()) return {memory.zero()};
  if (e.init.kind == "aligned") {
    M identity = task_identity(memory, parameters.number("scale"));
    if (!e.is_product()) return {memory.to_ambient(identity)};
    return {memory.of_answers(identity), memory.by_queries(identity)};
  }
  if constexpr (std::is_same_v<M, DenseMatrix>) {
    const Matrix zero = memory.zero().entries;
    const auto inner = static_cast<Index>(inner_dimension(e, plan.spectrum));
    if (!e.is_product()) return {DenseMatrix{*plan.inputs.start(0, zero.rows(), zero.cols())}};
    return {DenseMatrix{*plan.inputs.start(0, zero.rows(), inner)},
            DenseMatrix{*plan.inputs.start(1, inner, zero.cols())}};
  } else if constexpr (requires { memory.attribute_start(1.0); }) {
    if (start_row(e.init.kind).of_attributes)
      return {memory.attribute_start(e.init.parameters.number("scale"))};
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
