#pragma once

/// Execution of instructions, tile by tile along the planes of matrices.

#include <atomic>

#include "core/parallel.hpp"
#include "model/random_rounding.hpp"
#include "optim/formula/planes.hpp"
#include "optim/formula/tile_builder.hpp"

namespace rarefact::formula {

template <class M>
class TileProgram final : public TileBuilder<ScalarOf<M>> {
  using Real = ScalarOf<M>;
  using Base = TileBuilder<Real>;
  using Source = TileSource<Real>;
  using Base::instructions_, Base::group_, Base::schedule_, Base::trait, Base::has_vectors_;

 public:
  TileProgram(const Compiled& rule, const Schedule& schedule, const TileGroup& group,
              std::vector<Value<M>>& values, const std::vector<Numbers<Real>*>& numbers)
      : Base(rule, schedule, group, numbers), values_(values) {}

  /// The value that a node is written to; that of the state if it overwrites one.
  Value<M>& target(int i) const {
    const int in_place = schedule_.in_place[i];
    return value(in_place < 0 ? i : in_place);
  }

  /// First nodes of the program, or -1.
  struct Faults {
    int divided_by_zero = -1;  ///< a nonzero number is divided by 0
    int not_finite = -1;       ///< the stored value of an entry is not finite
  };

  /// Runs the program; `shape` has the planes of the results. Results are rounded at random if `rounding` is
  /// given.
  Faults run(const M* shape, Index length, const Workers& workers, const RandomRounding* rounding) const {
    FirstInstructions first;
    const bool matrices = group_.rows != axis::single && group_.columns != axis::single;
    const std::vector<Plane> planes =
        matrices ? planes_of(*shape) : std::vector<Plane>{{length, length, nullptr, true}};
    for (std::size_t p = 0; p < planes.size(); ++p) {
      Plane plane = planes[p];
      if (plane.size == 0) continue;
      if (!has_vectors_ && !plane.flat()) plane = {plane.size, plane.size, nullptr, true};
      const auto body = [&](Index begin, Index end) { tiles(plane, p, begin, end, shape, rounding, first); };
      const Index entries = 64 * tile_length, a_column = std::max<Index>(1, plane.size / plane.columns);
      workers.for_tiles(plane.columns, std::max<Index>(1, entries / a_column), body);
    }
    const auto node_at = [this](int instruction) {
      return instruction == FirstInstructions::none ? -1 : instructions_[instruction].of;
    };
    return {node_at(first.divided_by_zero), node_at(first.not_finite)};
  }

 private:
  /// The first faulty instructions, over all threads.
  struct FirstInstructions {
    std::atomic<int> divided_by_zero = none, not_finite = none;
    static constexpr int none = std::numeric_limits<int>::max();

    static void note(std::atomic<int>& first, int instruction) {
      for (int now = first; instruction < now && !first.compare_exchange_weak(now, instruction);) {
      }
    }
  };

  Value<M>& value(int i) const { return values_[i]; }

  /// Processes columns begin to end of a plane in tiles.
  void tiles(const Plane& plane, std::size_t p, Index begin, Index end, const M* shape,
             const RandomRounding* rounding, FirstInstructions& first) const {
    static thread_local VectorOf<Real> scratch;  // aligned, so that results do not depend on addresses
    static thread_local std::vector<Real*> results;
    using std::abs;
    const Index needed = (static_cast<Index>(instructions_.size()) + 1) * tile_length;
    if (scratch.size() < needed) scratch.resize(needed);
    Real* const sizes = scratch.data() + needed - tile_length;
    results.resize(instructions_.size());
    Index offset = 0;
    int now = -1;
    const auto note_zero = [&](Index i) {
      if (shape == nullptr || is_entry(*shape, p, offset + i))
        FirstInstructions::note(first.divided_by_zero, now);
    };
    const std::function<void(Index)> divided_by_zero = std::ref(note_zero);
    const auto tile = [&](Index row, Index column, Index n) {
      offset = plane.begin(column) + row;
      for (std::size_t k = 0; k < instructions_.size(); ++k) {
        const auto& here = instructions_[k];
        results[k] = here.node < 0 ? scratch.data() + k * static_cast<std::size_t>(tile_length)
                                   : stored_numbers(here.node, p) + offset;
        Run<Real> x[4];
        for (std::size_t j = 0; j < here.arguments; ++j)
          x[j] = run_of(here.x[j], results, p, offset, plane, row, column);
        now = static_cast<int>(k);
        const Tile<Real> numbers{here.operation, x, here.arguments, results[k], n, divided_by_zero};
        // In a repetition: what a sum takes for an exact zero may have been rounded away; of gradients it is one.
        // A product may have underflowed.
        const Op op = this->node(here.of).op;
        const bool sum = !trait(here.of).gradient && here.operation.kernel == Kernels<Real>::exact_zeros;
        const bool conversion = here.operation.kernel == Kernels<Real>::convert,
                   hides = rounding && (sum || op->multiplies);
        if (hides) {  // before a state is overwritten
          const Tile<Real> into{here.operation, x, here.arguments, sizes, n, divided_by_zero};
          sum ? Kernels<Real>::larger_term(into) : Kernels<Real>::underflowing(into);
        }
        here.operation.kernel(numbers);
        if (rounding && (conversion || !op->exact)) {
          const std::uint64_t kind = 2 * (static_cast<std::uint64_t>(group_.nodes.front()) << 16 | k) + 1;
          for (Index i = 0; hides && i < n; ++i)
            sizes[i] = results[k][i] != Real(0) ? Real(abs(results[k][i])) : sizes[i];
          // The size of an entry that underflowed is unknown, so neighbours are moved by different amounts.
          const Real least = std::numeric_limits<Real>::min();
          for (Index i = 0; conversion && i < n; ++i) {
            const auto part = static_cast<double>(1 + (static_cast<Index>(p) + offset + i) % 3);
            sizes[i] = abs(results[k][i]) == least ? Real(least / std::numeric_limits<Real>::epsilon() / part)
                                                   : Real(0);
          }
          rounding->results(kind, (p << 40) + static_cast<std::uint64_t>(offset), results[k], n,
                            hides || conversion ? sizes : nullptr);
        }
      }
      note_not_finite(results, n, p, offset, shape, first);
    };
    if (plane.flat()) {
      for (Index i = begin; i < end; i += tile_length) tile(0, i, std::min(tile_length, end - i));
      return;
    }
    // One column (of diagonal blocks, one block column) at a time, so that vectors along the rows match.
    for (Index column = begin; column < end; ++column) {
      const Index rows = plane.rows(column);
      for (Index row = 0; row < rows; row += tile_length)
        tile(row, column, std::min(tile_length, rows - row));
    }
  }

  /// Checks n numbers of stored values, from `offset` of plane p on, for entries that are not finite.
  void note_not_finite(const std::vector<Real*>& results, Index n, std::size_t p, Index offset,
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

  Real* stored_numbers(int i, std::size_t plane) const {
    return trait(i).matrix() ? numbers_of(target(i).matrix, plane) : value(i).numbers.data();
  }

  Run<Real> run_of(const Source& x, const std::vector<Real*>& results, std::size_t p, Index offset,
                   const Plane& plane, Index row, Index column) const {
    switch (x.kind) {
      case Source::result:
        return {results[x.at]};
      case Source::plane:
        return {(trait(x.at).matrix() ? numbers_of(value(x.at).stored(), p) : value(x.at).numbers.data()) +
                offset};
      case Source::across:
        return {value(x.at).numbers.data() + column, !plane.flat()};
      case Source::along:
        return {value(x.at).numbers.data() + plane.first_row(column) + row, plane.flat() && !plane.diagonal};
      default:
        return {x.at < 0 ? &x.number : value(x.at).numbers.data(), true};
    }
  }

  std::vector<Value<M>>& values_;
};

}  // namespace rarefact::formula
