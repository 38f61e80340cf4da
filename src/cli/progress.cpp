#include "rarefact/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "rarefact/core/error.hpp"

namespace rarefact {

namespace {

constexpr std::chrono::milliseconds line_pause(100);
constexpr std::chrono::seconds plain_pause(5);
constexpr std::chrono::seconds rare_pause(30);

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

ProgressPrinter::~ProgressPrinter() {
  if (shown_ > 0) err_ << "\r" << std::string(shown_, ' ') << "\r" << std::flush;
}

void ProgressPrinter::operator()(const std::string& optimizer, std::int64_t done, std::int64_t of) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  print(fmt::format("{}: step {} of {}", optimizer, done, of), done == of);
}

void ProgressPrinter::points(std::size_t done, std::size_t of, std::size_t earlier) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  if (done <= most_points_) return;
  most_points_ = done;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  const double rate = static_cast<double>(done - earlier) / std::max(spent.count(), 1e-3);
  const double left = static_cast<double>(of - done) / rate;
  const std::string time = left < 120 ? fmt::format("{:.0f} s", left) : fmt::format("{:.0f} min", left / 60);
  print(fmt::format("{} of {} points, {:.3g} a second, {} left", done, of, rate, time), done == of);
}

void ProgressPrinter::print(const std::string& text, bool end) {
  const auto now = std::chrono::steady_clock::now();
  const bool plain = style_ == ProgressStyle::plain, rare = style_ == ProgressStyle::rare;
  const std::chrono::milliseconds pause = rare ? rare_pause : plain ? plain_pause : line_pause;
  // What takes less than a pause needs no line in a log.
  const bool due = now - (rare ? std::max(last_, start_) : last_) >= pause;
  if (!due && !(plain && end)) return;
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
