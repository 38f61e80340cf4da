#pragma once

/// Parallel loops whose results do not depend on the number of threads: the work is cut into tiles of a fixed
/// size, each tile is computed by one thread from beginning to end, and what tiles return is combined in
/// their order.

#include <functional>
#include <memory>

#include "core/types.hpp"

namespace rarefact {

/// A pool of threads, passed down as `const Workers&`. The functions below may be called from several threads
/// and from within their own tiles (runs in parallel, each with parallel steps); a thread that waits for the
/// tiles of an inner loop helps with those and never starts another tile of the outer one, so memory stays
/// bounded by one outer tile a thread.
class Workers {
 public:
  /// At most `threads` >= 1 threads, the caller's included, no more than the machine has cores and no more than the
  /// system grants; 1 is plain serial execution in the caller. InputError if threads < 1.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }

  /// One thread, for whoever has no pool to pass.
  static const Workers& serial();

  /// Calls body(begin, end) once for every tile [0, tile), [tile, 2 tile), ... of [0, count), the last one
  /// cut short. Tiles must not write to the same place. If bodies throw, one of the exceptions reaches the
  /// caller (the first tile's when serial) and tiles not yet begun are dropped. Preconditions: count >= 0,
  /// tile >= 1.
  void for_tiles(Index count, Index tile, const std::function<void(Index begin, Index end)>& body) const;

 private:
  struct Arena;  // oneTBB stays out of the headers
  int threads_;
  std::unique_ptr<Arena> arena_;  // none when serial
};

}  // namespace rarefact
