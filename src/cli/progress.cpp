#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "core/error.hpp"

namespace rarefact {

namespace {

std::string time_text(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

ProgressStyle progress_style(const std::string& option, const std::ostream& err) {
  if (option == "none") return ProgressStyle::none;
  if (option == "plain") return ProgressStyle::plain;
  if (option != "auto") {
    throw InputError(fmt::format("--progress: got \"{}\"; expected auto, plain or none", option));
  }
  const bool terminal = &err == &std::cerr && ::isatty(STDERR_FILENO) == 1;
  return terminal ? ProgressStyle::line : ProgressStyle::rare;
}

ProgressPrinter::ProgressPrinter(std::ostream& err, ProgressStyle style, const ProgressPauses& pauses)
    : err_(err), style_(style), pauses_(pauses) {
  if (style_ != ProgressStyle::none) thread_ = std::thread([this] { keep_printing(); });
}

ProgressPrinter::~ProgressPrinter() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
  clear();
}

std::chrono::milliseconds ProgressPrinter::pause_of_style() const {
  return style_ == ProgressStyle::rare    ? pauses_.rare
         : style_ == ProgressStyle::plain ? pauses_.plain
                                          : pauses_.line;
}

void ProgressPrinter::keep_printing() {
  // Ten times a second is for steps that move, a clock need not; a line in a log may be a tenth late.
  const std::chrono::milliseconds pause =
      style_ == ProgressStyle::line ? 10 * pauses_.line : pause_of_style() / 10;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, pause, [&] { return over_; })) print(false);
}

void ProgressPrinter::clear() {
  if (shown_ > 0) err_ << "\r" << std::string(shown_, ' ') << "\r" << std::flush;
  shown_ = 0;
}

void ProgressPrinter::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear();
  err_ << line << std::endl;
}

void ProgressPrinter::operator()(const std::string& optimizer, std::int64_t done, std::int64_t of) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  step_ = fmt::format("{}: step {} of {}", optimizer, done, of);
  print(done == of);
}

void ProgressPrinter::begin_points(std::size_t of, std::size_t earlier) {
  const std::lock_guard lock(mutex_);
  of_ = of;
  done_ = earlier_ = earlier;
}

void ProgressPrinter::point_begun() {
  const std::lock_guard lock(mutex_);
  ++begun_;
}

void ProgressPrinter::points(std::size_t done) {
  const std::lock_guard lock(mutex_);
  if (done <= done_) return;
  done_ = done;
  print(done_ == of_);
}

std::string ProgressPrinter::standing() const {
  if (of_ == 0) return step_;
  const std::size_t now = done_ - earlier_;
  std::string text = fmt::format("{} of {} points", done_, of_);
  if (begun_ > now) text += fmt::format(", {} running", begun_ - now);
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (now == 0) return text + fmt::format(", {} so far", time_text(spent));
  const double rate = static_cast<double>(now) / std::max(spent, 1e-3);
  return text +
         fmt::format(", {:.3g} a second, {} left", rate, time_text(static_cast<double>(of_ - done_) / rate));
}

void ProgressPrinter::print(bool end) {
  if (style_ == ProgressStyle::none) return;
  const auto now = std::chrono::steady_clock::now();
  const bool plain = style_ == ProgressStyle::plain, rare = style_ == ProgressStyle::rare;
  // What takes less than a pause needs no line in a log.
  const bool due = now - (rare ? std::max(last_, start_) : last_) >= pause_of_style();
  if (!due && !(plain && end)) return;
  const std::string text = standing();
  if (text.empty()) return;
  last_ = now;
  if (plain || rare) {
    err_ << text << std::endl;
    return;
  }
  const std::string blanks(shown_ > text.size() ? shown_ - text.size() : 0, ' ');
  err_ << "\r" << text << blanks << std::flush;
  shown_ = text.size() + blanks.size();
}

}  // namespace rarefact
