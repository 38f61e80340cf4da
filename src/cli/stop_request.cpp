#include "cli/stop_request.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace rarefact {

namespace {

constexpr std::chrono::seconds grace(10);
constexpr std::chrono::milliseconds watch_pause(200);
constexpr std::array signals = {SIGTERM, SIGINT};

std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");
struct sigaction previous[signals.size()];

extern "C" void note_signal(int number) {
  received = number;
}

}  // namespace

StopRequest::StopRequest(std::optional<std::chrono::seconds> max_time, std::string resume)
    : resume_(std::move(resume)) {
  if (max_time) deadline_ = std::chrono::steady_clock::now() + *max_time;
  received = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    // Who presses Ctrl-C twice wants the end; a scheduler that repeats its SIGTERM may be in no hurry.
    action.sa_flags = SA_RESTART | (signals[i] == SIGINT ? static_cast<int>(SA_RESETHAND) : 0);
    ::sigaction(signals[i], &action, &previous[i]);
  }
  watcher_.emplace(watch_pause, [this] { watch(); });
}

StopRequest::~StopRequest() {
  watcher_.reset();
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &previous[i], nullptr);
}

bool StopRequest::asked() const {
  return received != 0 || (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
}

void StopRequest::check() const {
  if (asked()) throw StoppedEarly{};
}

std::string StopRequest::reason() const {
  const int number = received;
  return number == SIGTERM ? "SIGTERM" : number == SIGINT ? "SIGINT" : "--max-time";
}

std::string StopRequest::message() const {
  return fmt::format("stopped ({}): {}\n", reason(), resume_);
}

void StopRequest::watch() {
  if (!asked()) return;
  if (!since_) since_ = std::chrono::steady_clock::now();
  if (std::chrono::steady_clock::now() - *since_ < grace) return;
  const std::string text = message();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(static_cast<int>(ExitCode::stopped_early));
}

}  // namespace rarefact
