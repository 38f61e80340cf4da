#pragma once

/// W or its factors at step 0, and W as it is stored, in the coordinates of a memory.

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

/// W(0), or U(0) of W = U diag(b).
template <class Memory>
typename Memory::State one_start(const Memory& memory, const TrainingPlan& plan) {
  using M = typename Memory::State;
  const Experiment& e = plan.experiment;
  if (e.starts_at_zero()) return memory.zero();
  if (e.init.kind == "aligned")
    return memory.to_ambient(task_identity(memory, e.init.parameters.number("scale")));
  if constexpr (std::is_same_v<M, DenseMatrix>) {
    const Matrix zero = memory.zero().entries;
    return DenseMatrix{*plan.inputs.start(0, zero.rows(), zero.cols())};
  } else if constexpr (Memory::kind == MemoryKind::symmetric) {
    if (start_row(e.init.kind).of_attributes)
      return memory.attribute_start(e.init.parameters.number("scale"));
  }
  throw std::logic_error("a start with all entries is not in this algebra");
}

/// diag(b), with the trained gains of attributes.
template <class Memory>
typename Memory::State gains_of(const Memory& memory, const TrainingPlan& plan) {
  const std::array<double, 2> b = attribute_gains(plan.experiment.query_embedding.parameters);
  if constexpr (std::is_same_v<typename Memory::State, DenseMatrix>) {
    const auto [subjects, relations] = plan.spectrum.grid->count;
    Vector all = Vector::Constant(static_cast<Index>(subjects + relations), b[0]);
    all.tail(static_cast<Index>(relations)).setConstant(b[1]);
    return DenseMatrix{Matrix(all.asDiagonal())};
  } else if constexpr (Memory::kind == MemoryKind::symmetric) {
    return memory.gain_matrix(b);
  }
  throw std::logic_error("gains are not in this algebra");
}

template <class Memory>
Factors<typename Memory::State> start_of(const Memory& memory, const TrainingPlan& plan) {
  using M = typename Memory::State;
  const Experiment& e = plan.experiment;
  if (e.train_gains)
    return {one_start(memory, plan), gains_of(memory, plan), identity_like(gains_of(memory, plan))};
  if (!e.is_product()) return {one_start(memory, plan)};
  if (e.init.kind == "aligned") {
    const M identity = task_identity(memory, e.init.parameters.number("scale"));
    return {memory.of_answers(identity), memory.by_queries(identity)};
  }
  if constexpr (std::is_same_v<M, DenseMatrix>) {
    const Matrix zero = memory.zero().entries;
    const auto inner = static_cast<Index>(inner_dimension(e, plan.spectrum));
    return {DenseMatrix{*plan.inputs.start(0, zero.rows(), inner)},
            DenseMatrix{*plan.inputs.start(1, inner, zero.cols())}};
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
