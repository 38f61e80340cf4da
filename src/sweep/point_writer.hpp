#pragma once

/// Stores points as they are finished, in threads of its own, so that nobody waits for the disk.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sweep/interval_clock.hpp"
#include "sweep/point_store.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

/// Finished points that wait in memory.
inline constexpr std::size_t most_waiting = 8;

/// A point has its name only after its file was written, synced and read back; the names are then synced
/// themselves, those of several points at once where they are waiting. Every member may be called from
/// several threads.
class PointWriter {
 public:
  /// `stored` is called after points have become durable, with how many in all.
  PointWriter(const PointStore& store, std::function<void(std::size_t)> stored);
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;
  /// Stores what was put and takes the marks of the other points back. Errors are lost: call finish() first.
  ~PointWriter();

  /// Claims the point: says, to `rarefact status` and other runs on any machine, that this process computes it. `skip` if
  /// another one has stored it meanwhile, `later` while another one computes it: it holds a lock on its mark, which it
  /// loses when it dies, and keeps the mark recent, which it does not while it is suspended. FileError if a point that is
  /// there cannot be read.
  Turn begin(const PointId& id);

  /// Hands over a finished point; waits while many are waiting. FileError if storing an earlier one failed.
  void put(const PointId& id, const std::string& canonical_text, Result result);

  /// Waits until all is stored. FileError if storing failed; what was whole has its name even then.
  void finish();

 private:
  struct Job {
    PointId id;
    std::string canonical_text;
    Result result;
  };
  void work();
  void store(std::vector<Job> jobs);
  void remove_mark(const PointId& id);
  void stop();

  const PointStore& store_;
  std::function<void(std::size_t)> stored_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::map<PointId, int> marked_;  ///< descriptors that hold the locks
  std::exception_ptr failure_;
  std::size_t count_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
  std::optional<IntervalClock> marking_;  ///< keeps the marks recent
};

}  // namespace rarefact
