#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "core/text.hpp"

namespace rarefact {

namespace {

std::string rest_text(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

ProgressStyle progress_style(const std::string& option, const std::ostream& err) {
  using std::chrono::milliseconds;
  if (option == "none") return {};
  if (option == "plain") return {.pause = milliseconds(5000), .tells_ends = true};
  if (option == "json") return {.pause = milliseconds(200), .tells_ends = true, .events = true};
  const bool terminal = &err == &std::cerr && ::isatty(STDERR_FILENO) == 1;
  return {.pause = milliseconds(terminal ? 100 : 30000), .writes_over = terminal};
}

void tell(std::ostream& err, const ProgressStyle& style, const std::string& lines) {
  if (!style.events) {
    err << lines << std::flush;
    return;
  }
  for (const std::string_view line : split_text(lines, '\n')) {
    constexpr std::string_view mark = "warning: ";
    const bool warning = line.starts_with(mark);
    if (!line.empty())
      print_event(err, {{"event", warning ? "warning" : "note"},
                        {"message", line.substr(warning ? mark.size() : 0)}});
  }
}

ProgressPrinter::ProgressPrinter(std::ostream& err, const ProgressStyle& style) : err_(err), style_(style) {
  if (style_.pause.count() == 0) return;
  clock_.emplace(style_.pause, [this] {
    const std::lock_guard lock(mutex_);
    print();
  });
}

ProgressPrinter::~ProgressPrinter() {
  clock_.reset();
  clear();
}

void ProgressPrinter::clear() {
  if (shown_ > 0) (err_.put('\r') << std::string(shown_, ' ')).put('\r').flush();
  shown_ = 0;
}

void ProgressPrinter::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear();
  tell(err_, style_, line + "\n");
}

void ProgressPrinter::operator()(const std::string& optimizer, std::int64_t done, std::int64_t of) {
  const std::lock_guard lock(mutex_);
  optimizer_ = optimizer;
  step_ = done;
  steps_ = of;
  // A log always gets a line at the end of a run.
  if (style_.tells_ends && done == of) print();
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
  if (style_.tells_ends && done_ == of_) print();
}

Json ProgressPrinter::standing() const {
  if (of_ == 0 && optimizer_.empty()) return {};
  if (of_ == 0) return {{"event", "progress"}, {"optimizer", optimizer_}, {"step", step_}, {"steps", steps_}};
  const std::size_t now = done_ - earlier_;  // other processes' points were not begun here
  const double each = seconds_spent() / static_cast<double>(now);
  return {{"event", "progress"},
          {"points", of_},
          {"done", done_},
          {"running", begun_ > now ? begun_ - now : 0},
          {"seconds_left", now > 0 ? Json(static_cast<double>(of_ - done_) * each) : Json()}};
}

std::string ProgressPrinter::line(const Json& now) const {
  if (of_ == 0) return fmt::format("{}: step {} of {}", optimizer_, step_, steps_);
  std::string text = fmt::format("{} of {} points", done_, of_);
  if (const std::size_t running = now["running"]; running > 0) text += fmt::format(", {} running", running);
  const double spent = seconds_spent();
  if (now["seconds_left"].is_null()) return text + fmt::format(", {} so far", rest_text(spent));
  return text + fmt::format(", {:.3g} a second, {} left", static_cast<double>(done_ - earlier_) / spent,
                            rest_text(now["seconds_left"]));
}

double ProgressPrinter::seconds_spent() const {
  return std::max(1e-3, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
}

void ProgressPrinter::print() {
  Json now = standing();
  if (now.is_null()) return;
  if (style_.events) {
    // No event if nothing has changed.
    if (now != told_) print_event(err_, now);
    told_ = std::move(now);
    return;
  }
  const std::string text = line(now);
  if (!style_.writes_over) {
    err_ << text << std::endl;
    return;
  }
  const std::string blanks(shown_ > text.size() ? shown_ - text.size() : 0, ' ');
  err_.put('\r') << text << blanks << std::flush;
  shown_ = text.size() + blanks.size();
}

}  // namespace rarefact
