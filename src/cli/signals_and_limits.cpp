#include "cli/signals_and_limits.hpp"

#include <signal.h>
#include <unistd.h>

#include <fstream>

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

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number in a file; infinite if there is none, as for "max".
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : unlimited;
}

/// The least limit of a group and its parents. A container may see its own group as the topmost, under another path.
double min_limit(const std::filesystem::path& top, const std::string& group, const char* file) {
  double limit = unlimited;
  for (std::filesystem::path path = group;; path = path.parent_path()) {
    limit = std::min(limit, limit_in(top / path.relative_path() / file));
    if (path.relative_path().empty()) return limit;
  }
}

double control_group_bytes(const std::filesystem::path& root) {
  double limit = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  // "0::/path" in version 2, "7:memory:/path" in version 1, where other lines are for other controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    const std::filesystem::path top = root / "sys/fs/cgroup";
    if (controllers == ",,") limit = std::min(limit, min_limit(top, path, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      limit = std::min(limit, min_limit(top / "memory", path, "memory.limit_in_bytes"));
  }
  return limit;
}

}  // namespace

StopRequest::StopRequest(std::optional<std::chrono::seconds> max_time) {
  if (max_time) deadline_ = std::chrono::steady_clock::now() + *max_time;
  received = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    // A second Ctrl-C ends the process at once; a repeated SIGTERM of a scheduler does not.
    action.sa_flags = SA_RESTART | (signals[i] == SIGINT ? static_cast<int>(SA_RESETHAND) : 0);
    ::sigaction(signals[i], &action, &previous[i]);
  }
  watcher_.emplace(watch_pause, [this] { watch(); });
}

StopRequest::~StopRequest() {
  watcher_.reset();
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &previous[i], nullptr);
}

bool StopRequest::requested() const {
  return received != 0 || (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
}

void StopRequest::check() const {
  if (requested()) throw StoppedEarly{};
}

std::string StopRequest::reason() const {
  const int number = received;
  return number == SIGTERM ? "SIGTERM" : number == SIGINT ? "SIGINT" : "--max-time";
}

std::string StopRequest::message(const std::string& place) const {
  return fmt::format("stopped ({}): the same command continues from what is stored{}\n", reason(), place);
}

void StopRequest::watch() {
  if (!requested()) return;
  if (!since_) since_ = std::chrono::steady_clock::now();
  if (std::chrono::steady_clock::now() - *since_ < grace) return;
  const std::string text = sanitize_text(message());
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(static_cast<int>(ExitCode::stopped_early));
}

std::string processor_name() {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

double memory_limit_bytes(const std::filesystem::path& root) {
  const double installed =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  // The rest is for the system, the program, and files being read and written.
  return 0.9 * std::min(installed, control_group_bytes(root));
}

}  // namespace rarefact
