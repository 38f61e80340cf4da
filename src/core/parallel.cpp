#include "rarefact/core/parallel.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <vector>

#include "rarefact/core/error.hpp"

namespace rarefact {

struct Workers::Arena {
  explicit Arena(int threads) : arena(threads) {}
  tbb::task_arena arena;
};

Workers::Workers(int threads) : threads_(threads) {
  if (threads < 1) throw InputError(fmt::format("the number of threads must be at least 1, not {}", threads));
  // Asking oneTBB for more than it will give makes it print a warning.
  const int usable = std::min(threads, tbb::info::default_concurrency());
  if (usable > 1) arena_ = std::make_unique<Arena>(usable);
}

Workers::~Workers() = default;

const Workers& Workers::serial() {
  static const Workers one(1);
  return one;
}

void Workers::for_tiles(Index count, Index tile, const std::function<void(Index, Index)>& body) const {
  const Index tiles = count / tile + (count % tile != 0 ? 1 : 0);
  const auto run_tile = [&](Index t) { body(t * tile, t + 1 < tiles ? (t + 1) * tile : count); };
  if (!arena_ || tiles <= 1) {
    for (Index t = 0; t < tiles; ++t) run_tile(t);
    return;
  }
  arena_->arena.execute([&] {
    // Isolated: while it waits for the last tiles, this thread must not pick up a tile of an enclosing loop.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(Index{0}, tiles, run_tile); });
  });
}

double Workers::sum_tiles(Index count, Index tile, const std::function<double(Index, Index)>& part) const {
  std::vector<double> parts(static_cast<std::size_t>(count / tile + (count % tile != 0 ? 1 : 0)));
  for_tiles(count, tile, [&](Index begin, Index end) {
    parts[static_cast<std::size_t>(begin / tile)] = part(begin, end);
  });
  double sum = 0;
  for (const double x : parts) sum += x;
  return sum;
}

}  // namespace rarefact
