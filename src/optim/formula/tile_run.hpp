#pragma once

/// How a TileProgram runs: tile by tile along the planes of its matrices.

#include "optim/formula/tile_program.hpp"

namespace rarefact::formula {

/// One number a column, repeated for the n numbers from `first` on of a plane whose columns begin there.
template <class Real>
Run<Real> spread_along(const std::vector<Index>& begin, const VectorOf<Real>& numbers, Index first, Index n,
                       Real* out) {
  auto column = std::upper_bound(begin.begin(), begin.end(), first) - begin.begin() - 1;
  for (Index i = 0; i < n; ++i) {
    while (begin[static_cast<std::size_t>(column) + 1] <= first + i) ++column;
    out[i] = numbers(column);
  }
  return {out};
}

template <class M>
int TileProgram<M>::run(const M* shape, Index length, const Workers& workers) const {
  std::atomic<int> failed = -1;
  const bool matrices = group_.rows != leg::one && group_.columns != leg::one;
  const std::vector<Plane> planes = matrices ? planes_of(*shape) : std::vector<Plane>{{1, length, 1}};
  for (std::size_t p = 0; p < planes.size(); ++p) {
    Plane plane = planes[p];
    if (!has_vectors_ && !plane.flat()) plane = {1, plane.rows * plane.columns, 1};
    const auto body = [&](Index begin, Index end) { tiles(planes[p], plane, p, begin, end, shape, failed); };
    const Index entries = 64 * tile_length;
    workers.for_tiles(plane.columns, std::max<Index>(1, entries / plane.rows), body);
  }
  return failed;
}

template <class M>
void TileProgram<M>::tiles(const Plane& whole, const Plane& plane, std::size_t p, Index begin, Index end,
                           const M* shape, std::atomic<int>& failed) const {
  static thread_local std::vector<Real> scratch;
  static thread_local std::vector<Real*> results;
  static thread_local std::vector<Real> spread;
  scratch.resize(instructions_.size() * static_cast<std::size_t>(tile_length));
  results.resize(instructions_.size());
  if (whole.begin) spread.resize(4 * static_cast<std::size_t>(tile_length));
  Index offset = 0;
  int now = -1;
  const std::function<void(Index)> divided_by_zero = [&](Index i) {
    const Index at = offset + i;
    if (shape == nullptr || is_entry(*shape, p, at % whole.rows, at / whole.rows)) failed = now;
  };
  const auto tile = [&](Index row, Index column, Index n) {
    offset = column * plane.rows + row;
    for (std::size_t k = 0; k < instructions_.size(); ++k) {
      const Instruction& here = instructions_[k];
      results[k] = here.node < 0 ? scratch.data() + k * static_cast<std::size_t>(tile_length)
                                 : stored_numbers(here.node, p) + offset;
      Run<Real> x[4];
      for (int j = 0; j < 4 && here.x[j].kind != Source::none; ++j)
        x[j] = whole.begin && here.x[j].kind == Source::across
                   ? spread_along(*whole.begin, value(here.x[j].at).numbers, offset, n,
                                  spread.data() + static_cast<std::size_t>(j * tile_length))
                   : run_of(here.x[j], results, p, offset, plane, row, column);
      now = here.of;
      run_tile(here.operation, x, results[k], n, divided_by_zero);
    }
  };
  if (plane.flat()) {
    for (Index i = begin; i < end; i += tile_length) tile(0, i, std::min(tile_length, end - i));
    return;
  }
  // A column at a time, of own blocks a block: what runs along the rows follows it.
  for (Index column = begin; column < end; ++column) {
    for (Index row = 0; row < plane.rows; row += tile_length)
      tile(row, column, std::min(tile_length, plane.rows - row));
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
      return {results[static_cast<std::size_t>(x.at)]};
    case Source::plane:
      return {(trait(x.at).matrix() ? numbers_of(value(x.at).held(), p) : value(x.at).numbers.data()) +
              offset};
    case Source::across:
      return {value(x.at).numbers.data() + column, !plane.flat()};
    case Source::along:
      return {value(x.at).numbers.data() + plane.row(row, column), plane.flat() && plane.block == 0};
    default:
      return {&x.number, true};
  }
}

}  // namespace rarefact::formula
