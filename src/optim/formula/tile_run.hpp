#pragma once

/// How a TileProgram runs: tile by tile along the planes of its matrices.

#include "optim/formula/tile_program.hpp"

namespace rarefact::formula {

template <class M>
typename TileProgram<M>::Faults TileProgram<M>::run(const M* shape, Index length,
                                                    const Workers& workers) const {
  FirstInstructions first;
  const bool matrices = group_.rows != leg::one && group_.columns != leg::one;
  const std::vector<Plane> planes =
      matrices ? planes_of(*shape) : std::vector<Plane>{{length, length, nullptr, true}};
  for (std::size_t p = 0; p < planes.size(); ++p) {
    Plane plane = planes[p];
    if (plane.size == 0) continue;
    if (!has_vectors_ && !plane.flat()) plane = {plane.size, plane.size, nullptr, true};
    const auto body = [&](Index begin, Index end) { tiles(plane, p, begin, end, shape, first); };
    const Index entries = 64 * tile_length, a_column = std::max<Index>(1, plane.size / plane.columns);
    workers.for_tiles(plane.columns, std::max<Index>(1, entries / a_column), body);
  }
  const auto node_at = [this](int instruction) {
    return instruction == FirstInstructions::none ? -1 : instructions_[instruction].of;
  };
  return {node_at(first.divided_by_zero), node_at(first.not_finite)};
}

template <class M>
void TileProgram<M>::tiles(const Plane& plane, std::size_t p, Index begin, Index end, const M* shape,
                           FirstInstructions& first) const {
  static thread_local VectorOf<Real> scratch;  // aligned, as results must not depend on addresses
  static thread_local std::vector<Real*> results;
  scratch.resize(std::max(scratch.size(), static_cast<Index>(instructions_.size()) * tile_length));
  results.resize(instructions_.size());
  Index offset = 0;
  int now = -1;
  const std::function<void(Index)> divided_by_zero = [&](Index i) {
    if (shape == nullptr || is_entry(*shape, p, offset + i))
      FirstInstructions::note(first.divided_by_zero, now);
  };
  const auto tile = [&](Index row, Index column, Index n) {
    offset = plane.begin(column) + row;
    for (std::size_t k = 0; k < instructions_.size(); ++k) {
      const Instruction& here = instructions_[k];
      results[k] = here.node < 0 ? scratch.data() + k * static_cast<std::size_t>(tile_length)
                                 : stored_numbers(here.node, p) + offset;
      Run<Real> x[4];
      for (int j = 0; j < 4 && here.x[j].kind != Source::none; ++j)
        x[j] = run_of(here.x[j], results, p, offset, plane, row, column);
      now = static_cast<int>(k);
      run_tile(here.operation, x, results[k], n, divided_by_zero);
    }
    note_not_finite(results, n, p, offset, shape, first);
  };
  if (plane.flat()) {
    for (Index i = begin; i < end; i += tile_length) tile(0, i, std::min(tile_length, end - i));
    return;
  }
  // A column at a time, of own blocks a block: what runs along the rows follows it.
  for (Index column = begin; column < end; ++column) {
    const Index rows = plane.rows(column);
    for (Index row = 0; row < rows; row += tile_length) tile(row, column, std::min(tile_length, rows - row));
  }
}

template <class M>
void TileProgram<M>::note_not_finite(const std::vector<Real*>& results, Index n, std::size_t p, Index offset,
                                     const M* shape, FirstInstructions& first) const {
  using std::isfinite;
  for (std::size_t stored = 0; stored < results.size(); ++stored) {
    // 0·∞ and 0·NaN are NaN.
    const Eigen::Map<const VectorOf<Real>> numbers(results[stored], n);
    if (instructions_[stored].node < 0 || (Real(0) * numbers).sum() == Real(0)) continue;
    for (Index i = 0; i < n; ++i) {
      if (isfinite(numbers(i)) || (shape != nullptr && !is_entry(*shape, p, offset + i))) continue;
      std::size_t k = 0;
      while (isfinite(results[k][i])) ++k;
      FirstInstructions::note(first.not_finite, static_cast<int>(k));
    }
  }
}

template <class M>
ScalarOf<M>* TileProgram<M>::stored_numbers(int i, std::size_t plane) const {
  return trait(i).matrix() ? numbers_of(target(i).matrix, plane) : value(i).numbers.data();
}

template <class M>
Run<ScalarOf<M>> TileProgram<M>::run_of(const Source& x, const std::vector<Real*>& results, std::size_t p,
                                        Index offset, const Plane& plane, Index row, Index column) const {
  switch (x.kind) {
    case Source::result:
      return {results[x.at]};
    case Source::plane:
      return {(trait(x.at).matrix() ? numbers_of(value(x.at).held(), p) : value(x.at).numbers.data()) +
              offset};
    case Source::across:
      return {value(x.at).numbers.data() + column, !plane.flat()};
    case Source::along:
      return {value(x.at).numbers.data() + plane.first_row(column) + row, plane.flat() && !plane.diagonal};
    default:
      return {&x.number, true};
  }
}

}  // namespace rarefact::formula
