#pragma once

/// Experiments run from a C++ program; what they give is written and read with rarefact/result.hpp.

#include <filesystem>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

struct RunOptions {
  int threads = 0;                          ///< 0: one a processor; never changes a bit of the result
  std::vector<std::string> overrides = {};  ///< "key=value" as after --set
};

/// Runs an experiment file, every point of its [sweep], and holds the result: the numbers `rarefact run` writes.
/// InputError with the problems of the file and of the first ten points that cannot run, before any runs.
Result run(const std::filesystem::path& experiment, const RunOptions& options = {});

}  // namespace rarefact
