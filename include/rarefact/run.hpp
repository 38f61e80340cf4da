#pragma once

/// Running experiments from a C++ program. Results are written and read with rarefact/result.hpp.

#include <filesystem>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

struct RunOptions {
  int threads = 0;                          ///< 0: one for each processor; never changes a bit of the result
  std::vector<std::string> overrides = {};  ///< "key=value" as after --set
};

/// Runs an experiment file, with every point of its [sweep], and returns the numbers that `rarefact run`
/// writes. Before running anything, throws InputError with the problems of the file and of the first ten
/// points that cannot run.
Result run(const std::filesystem::path& experiment, const RunOptions& options = {});

}  // namespace rarefact
