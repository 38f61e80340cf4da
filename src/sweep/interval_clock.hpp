#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace rarefact {

/// Counts intervals of wall time, in a thread of its own, and calls `tick`, if there is one, after each.
class IntervalClock {
 public:
  explicit IntervalClock(std::chrono::milliseconds interval, std::function<void()> tick = {})
      : tick_(std::move(tick)), thread_([this, interval] {
          std::unique_lock lock(mutex_);
          while (!ended_.wait_for(lock, interval, [this] { return over_; })) {
            count_.fetch_add(1, std::memory_order_relaxed);
            if (tick_) tick_();
          }
        }) {}
  IntervalClock(const IntervalClock&) = delete;
  IntervalClock& operator=(const IntervalClock&) = delete;
  ~IntervalClock() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  const std::function<void()> tick_;
  std::atomic<std::uint64_t> count_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace rarefact
