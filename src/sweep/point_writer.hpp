#pragma once

/// Stores finished points in a separate thread, so that computing never waits for the disk.

#include <condition_variable>
#include <exception>
#include <thread>

#include "io/atomic_file.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

/// Points that finish within a tenth of a second, at most eight, are stored together: appended and synced at once. A
/// kill loses only those being stored, those that wait and unfinished ones. Members may be called from several threads.
class PointWriter {
 public:
  /// `stored` is called with the total number of durable points whenever it grows. Throws FileError.
  PointWriter(PointStore& store, std::function<void(std::size_t)> stored);
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;
  /// Stores the remaining points and releases other locks. Errors are lost: call finish() first.
  ~PointWriter();

  /// Locks the point: tells `rarefact status` and other runs on any machine that this process computes it.
  /// `skip` if another process has stored it, `later` while another process has locked it. Throws
  /// FileError if an existing point cannot be read.
  Turn begin(const PointId& id);

  /// Adds a finished point; waits while too many are pending. Throws FileError if storing an earlier one
  /// failed.
  void put(const PointId& id, Result result);
  /// Adds the points of a sweep.
  PointSink sink();

  /// Waits until all is stored. Throws FileError if storing failed; everything that could be stored is.
  void finish();

 private:
  struct Job {
    PointId id;
    std::vector<std::byte> bytes;
  };
  void work();
  bool append(std::span<Job> jobs);
  void stop();

  PointStore& store_;
  AppendFile file_;
  PointLocks locks_;
  std::function<void(std::size_t)> stored_;
  std::mutex mutex_, storing_;  ///< for waiting points, and for stored and locked ones
  std::condition_variable changed_;
  std::vector<Job> waiting_;
  std::exception_ptr failure_;
  std::size_t count_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace rarefact
