#pragma once

#include <cmath>
#include <limits>

namespace rarefact {

/// |value - reference| / |reference|; 0 where the two are equal, infinite if the quotient is NaN.
inline double relative_difference(double value, double reference) {
  if (value == reference) return 0;
  const double difference = std::abs(value - reference) / std::abs(reference);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace rarefact
