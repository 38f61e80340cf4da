#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace rarefact {

/// Counts intervals of wall time in a separate thread, and calls `tick`, if set, after each.
class IntervalClock {
 public:
  explicit IntervalClock(std::chrono::milliseconds interval, const std::function<void()>& tick = {})
      : thread_([this, interval, tick](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any ended;
          const auto never = [] { return false; };
          while (ended.wait_for(lock, stop, interval, never), !stop.stop_requested()) {
            count_.fetch_add(1, std::memory_order_relaxed);
            if (tick) tick();
          }
        }) {}
  IntervalClock(const IntervalClock&) = delete;
  IntervalClock& operator=(const IntervalClock&) = delete;

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_ = 0;
  std::jthread thread_;
};

}  // namespace rarefact
