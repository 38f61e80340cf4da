#pragma once

/// How far a run is, on stderr.

#include <chrono>
#include <iosfwd>
#include <mutex>
#include <string>

#include "rarefact/sim/simulate.hpp"

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

/// Turns the calls of a simulation into output, seldom enough to cost nothing. May be called from several
/// threads.
class ProgressPrinter {
 public:
  ProgressPrinter(std::ostream& err, ProgressStyle style) : err_(err), style_(style) {}
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  /// Takes the last line back.
  ~ProgressPrinter();

  void operator()(const std::string& optimizer, std::int64_t done, std::int64_t of);
  /// Points of a sweep, with their rate and the time that is left; `earlier` of them were done before.
  void points(std::size_t done, std::size_t of, std::size_t earlier = 0);

 private:
  /// Prints the text if that is due; the end of something is always worth a line in a log.
  void print(const std::string& text, bool end);

  std::ostream& err_;
  ProgressStyle style_;
  std::mutex mutex_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = {};
  std::size_t most_points_ = 0;  // points come from several threads, the largest number last or not
  std::size_t shown_ = 0;        // length of the line that is on the terminal
};

}  // namespace rarefact
