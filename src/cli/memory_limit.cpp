#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "cli/job.hpp"

namespace rarefact {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number in a file; infinite where there is none, as in "max".
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : unlimited;
}

/// The least limit of a group and those above it. A container may show its own group as the topmost one,
/// under another path than it has outside.
double least_limit(const std::filesystem::path& top, const std::string& group, const char* file) {
  double least = unlimited;
  for (std::filesystem::path path = group;; path = path.parent_path()) {
    least = std::min(least, limit_in(top / path.relative_path() / file));
    if (path.relative_path().empty()) return least;
  }
}

double control_group_bytes(const std::filesystem::path& root) {
  double least = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  // "0::/path" in version 2, "7:memory:/path" in version 1, where other lines are of other controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    const std::filesystem::path top = root / "sys/fs/cgroup";
    if (controllers == ",,") least = std::min(least, least_limit(top, path, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_limit(top / "memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

double memory_limit_bytes(const std::filesystem::path& root) {
  const double installed =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  // The rest is for the system, the program and what is read and written.
  return 0.9 * std::min(installed, control_group_bytes(root));
}

}  // namespace rarefact
