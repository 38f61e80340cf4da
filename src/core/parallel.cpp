#include "core/parallel.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/text.hpp"

namespace rarefact {

namespace {

/// Counts the tiles that this thread is working on (nested).
struct NestingGuard {
  static thread_local int depth;
  NestingGuard() { ++depth; }
  ~NestingGuard() { --depth; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;
};
thread_local int NestingGuard::depth = 0;

/// Threads of a run besides its workers, for timers and writers.
constexpr int other_threads = 8;

/// The number of threads, at most `wanted`, that the system grants besides the caller's and `other_threads`.
/// oneTBB ends the process if it gets fewer threads than expected, so all are started and ended here first.
int granted_threads(int wanted) {
  std::mutex gate;
  std::vector<std::jthread> threads;
  const std::lock_guard hold(gate);
  try {
    while (static_cast<int>(threads.size()) < wanted + other_threads)
      threads.emplace_back([&gate] { const std::lock_guard wait(gate); });
  } catch (const std::system_error&) {
  }
  return std::clamp(static_cast<int>(threads.size()) - other_threads, 0, wanted);
}

}  // namespace

struct Workers::Arena {
  explicit Arena(int threads) : arena(threads) {}
  tbb::task_arena arena;
};

Workers::Workers(int threads) : threads_(threads) {
  if (threads < 1) throw bad_input("the number of threads must be at least 1, not {}", threads);
  // oneTBB prints a warning where it cannot give so many threads.
  const int usable = std::min(threads, cores());
  const int granted = usable > 1 ? 1 + granted_threads(usable - 1) : 1;
  if (granted > 1) arena_ = std::make_unique<Arena>(granted);
}

Workers::~Workers() = default;

int Workers::cores() {
  return tbb::info::default_concurrency();
}

const Workers& Workers::serial() {
  static const Workers serial_workers(1);
  return serial_workers;
}

void Workers::run_tiles(Index count, Index tile, const std::function<void(Index, Index)>& body) const {
  const Index tiles = count / tile + (count % tile != 0 ? 1 : 0);
  const auto run_tile = [&](Index t) {
    const NestingGuard within;
    body(t * tile, t + 1 < tiles ? (t + 1) * tile : count);
  };
  if (!arena_ || tiles <= 1) {
    for (Index t = 0; t < tiles; ++t) run_tile(t);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  // oneTBB is built without the thread sanitizer, which would report every hand-over of work as a race. Under the
  // sanitizer, std::threads run the tiles instead.
  std::atomic<Index> next = 0;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads_));
  const auto run_some = [&](std::exception_ptr& failure) {
    try {
      for (Index t = next++; t < tiles; t = next++) run_tile(t);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::exception_ptr& failure : failures) threads.emplace_back(run_some, std::ref(failure));
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
#else
  const auto run_all = [&] { tbb::parallel_for(Index{0}, tiles, run_tile); };
  arena_->arena.execute([&] {
    // A thread that waits for the last tiles of an inner loop must not start a tile of the enclosing loop, so
    // it is isolated. A thread that waits for the outermost loop may help with any tile.
    if (NestingGuard::depth > 0) {
      tbb::this_task_arena::isolate(run_all);
    } else {
      run_all();
    }
  });
#endif
}

}  // namespace rarefact
