#pragma once

/// How far a run is, on stderr.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>

#include "sweep/interval_clock.hpp"

namespace rarefact {

enum class ProgressStyle {
  none,
  line,   ///< one line that is written over, for a terminal
  plain,  ///< a line now and then and one at every end, for a log
  rare,   ///< a line every 30 seconds
};

/// The style for --progress: auto is `line` where `err` is the program's stderr and that is a terminal, else
/// `rare`. InputError if it is not auto, plain or none.
ProgressStyle progress_style(const std::string& option, const std::ostream& err);

/// The time between two lines of a style.
struct ProgressPauses {
  std::chrono::milliseconds line{100}, plain{5000}, rare{30000};
};

/// Notes the calls of a simulation, and says from time to time how things stand. May be called from several
/// threads.
class ProgressPrinter {
 public:
  ProgressPrinter(std::ostream& err, ProgressStyle style, const ProgressPauses& pauses = {});
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  /// Takes the last line back.
  ~ProgressPrinter();

  void operator()(const std::string& optimizer, std::int64_t done, std::int64_t of);
  /// What follows are the points of a sweep, `earlier` of which were done before.
  void begin_points(std::size_t of, std::size_t earlier);
  void point_begun();
  /// So many points are done now, earlier ones included.
  void points(std::size_t done);
  /// A line that is no progress, whatever the style.
  void say(const std::string& line);

 private:
  void clear();
  void print();
  std::string standing() const;

  std::ostream& err_;
  const ProgressStyle style_;
  std::mutex mutex_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string optimizer_;
  std::int64_t step_ = 0, steps_ = 0;
  // Points come from several threads, the largest number last or not.
  std::size_t done_ = 0, of_ = 0, earlier_ = 0, begun_ = 0;
  std::size_t shown_ = 0;  // length of the line that is on the terminal
  std::optional<IntervalClock> clock_;
};

}  // namespace rarefact
