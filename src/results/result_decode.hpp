#pragma once

/// Reading the layout of a result file, with everything that is wrong with it. Users call
/// results/result_file.hpp.

#include <filesystem>
#include <string>
#include <vector>

#include "results/result_file.hpp"

namespace rarefact {

/// What a file holds; meaningful only where there are no findings.
struct DecodedResult {
  StoredResult stored;
  std::vector<std::string> findings;
};

/// Reads every number of the file. FileError if the file cannot be opened for reading; all else is a finding.
DecodedResult decode_result(const std::filesystem::path& path);

/// The root attribute `experiment` alone. FileError where there is none to read.
std::string read_experiment_text(const std::filesystem::path& path);

/// What no result can hold, one sentence each: steps that do not ascend from 0 or more, optimizer labels that
/// are empty or twice there, probabilities outside (0, 1], errors outside [0, 1]. NaN stands for "no value"
/// in an error.
std::vector<std::string> implausible_values(const Result& result);

}  // namespace rarefact
