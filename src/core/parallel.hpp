#pragma once

/// Parallel loops whose results do not depend on the number of threads: tiles of fixed size are each computed by one
/// thread from beginning to end, and their results combined in order.

#include <functional>
#include <memory>

#include "core/types.hpp"

namespace rarefact {

/// A pool of threads, passed down as `const Workers&`. The functions below may be called from several threads and
/// from within their own tiles; a thread that waits for the tiles of an inner loop helps with those and starts no
/// other tile of the outer loop, so memory is bounded by one outer tile per thread.
class Workers {
 public:
  /// Uses at most `threads` >= 1 threads, including the caller's, but no more than the machine has cores or
  /// the system grants. With 1 the caller executes everything serially. Throws InputError if threads < 1.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }

  /// The cores that this process may use.
  static int cores();

  /// A single thread, for callers without a pool.
  static const Workers& serial();

  /// Calls body(begin, end) once for every tile [0, tile), [tile, 2 tile), ... of [0, count). Tiles must not write to
  /// the same place. If bodies throw, one of the exceptions reaches the caller (the first tile's when serial), and
  /// tiles not yet begun are dropped. Preconditions: count >= 0, tile >= 1.
  template <class Body>
  void for_tiles(Index count, Index tile, const Body& body) const {
    run_tiles(count, tile, std::ref(body));  // a copy of the body would take memory at each step
  }

  /// Calls body(i) for every i < count; those of a tile in order, by one thread.
  template <class Body>
  void for_each(std::size_t count, Index tile, const Body& body) const {
    for_tiles(static_cast<Index>(count), tile, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
    });
  }

 private:
  void run_tiles(Index count, Index tile, const std::function<void(Index begin, Index end)>& body) const;
  struct Arena;  // defined in parallel.cpp, which alone includes oneTBB
  int threads_;
  std::unique_ptr<Arena> arena_;  // none when serial
};

}  // namespace rarefact
