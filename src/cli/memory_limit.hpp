#pragma once

/// How much memory this process may use.

#include <filesystem>

namespace rarefact {

/// Nine tenths of the machine's memory, or of what the control group of the process is allowed (a container,
/// a job of Slurm), if that is less. It refuses what does not fit, and changes no result. `root`: of the file
/// system with /proc and /sys.
double memory_limit_bytes(const std::filesystem::path& root = "/");

}  // namespace rarefact
