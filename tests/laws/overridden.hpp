#pragma once

/// Runs of an experiment file with some of its keys overridden.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rarefact/error.hpp"
#include "rarefact/result.hpp"

namespace laws {

using Overrides = std::vector<std::string>;

inline Overrides operator+(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// What a run gives; nothing where its engine refuses it.
inline std::optional<rarefact::Trajectory> unless_refused(const std::function<rarefact::Trajectory()>& run) {
  try {
    return run();
  } catch (const rarefact::InputError&) {
    return {};
  }
}

}  // namespace laws
