#pragma once

/// Progress of a run, on stderr.

#include <cstddef>
#include <iosfwd>
#include <optional>

#include "cli/output.hpp"
#include "sweep/interval_clock.hpp"

namespace rarefact {

struct ProgressStyle {
  std::chrono::milliseconds pause{0};  ///< between two lines; 0: no output
  bool writes_over = false;            ///< one line that is overwritten, for a terminal
  bool tells_ends = false;             ///< also a line at every end, for a log
  bool events = false;                 ///< lines are events in JSON
};

/// The style for --progress. none; plain: a line every 5 seconds and at the end of each run; json: an event
/// five times a second and at each end; auto: a moving line on a terminal, else a line every 30 seconds.
ProgressStyle progress_style(const std::string& option, const std::ostream& err);

/// Prints messages for the user, one per line, or as events "warning" or "note".
void tell(std::ostream& err, const ProgressStyle& style, const std::string& lines);

/// Receives the progress of a simulation and prints it from time to time. May be called from several threads.
class ProgressPrinter {
 public:
  ProgressPrinter(std::ostream& err, const ProgressStyle& style);
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  /// Erases the last line.
  ~ProgressPrinter();

  void operator()(const std::string& optimizer, std::int64_t done, std::int64_t of);
  /// Starts a sweep of `of` points, `earlier` of which were done before.
  void begin_points(std::size_t of, std::size_t earlier);
  void point_begun();
  /// Sets the number of finished points, including earlier ones.
  void points(std::size_t done);
  /// Prints a line of other output, in any style.
  void say(const std::string& line);

 private:
  void clear();
  void print();
  double seconds_spent() const;
  Json standing() const;                    ///< an event, or null if there is none yet
  std::string line(const Json& now) const;  ///< text of that event

  std::ostream& err_;
  const ProgressStyle style_;
  std::mutex mutex_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string optimizer_;
  std::int64_t step_ = 0, steps_ = 0;
  // Numbers come from several threads, not necessarily in order.
  std::size_t done_ = 0, of_ = 0, earlier_ = 0, begun_ = 0;
  Json told_;              // the last event
  std::size_t shown_ = 0;  // length of the current line on the terminal
  std::optional<IntervalClock> clock_;
};

}  // namespace rarefact
