#pragma once

#include "core/relative_difference.hpp"

namespace rarefact {

/// Smaller numbers are not certified: they fade into subnormal ones and 0.
inline constexpr double least_certified = 1e-300;

/// The difference between a run's number and that of a run that checks it, relative to the run's.
inline double certified_difference(double run, double check) {
  if (std::abs(run) < least_certified && std::abs(check) < least_certified) return 0;
  return relative_difference(check, run);
}

}  // namespace rarefact
