#pragma once

#include <string>
#include <vector>

#include "sim/result.hpp"

namespace rarefact {

/// What no result can hold, one sentence each: steps that do not ascend from 0 or more, optimizer labels that
/// are empty or twice there, probabilities outside (0, 1], errors outside [0, 1]. NaN stands for "no value"
/// in an error.
std::vector<std::string> implausible_values(const Result& result);

}  // namespace rarefact
