#pragma once

/// Operations the plain way, for what is written out.

#include "algebra/operations.hpp"
#include "reference/random_matrix.hpp"

namespace plain_operations {

using namespace rarefact;
using reference::largest;

inline const Workers& serial = Workers::serial();
inline constexpr Aggregate all_measures[] = {Aggregate::sum, Aggregate::euclidean, Aggregate::largest};

/// Of all entries, the plain way.
inline double plain(const Matrix& x, Aggregate how) {
  if (how == Aggregate::sum) return x.sum();
  return how == Aggregate::euclidean ? x.norm() : largest(x);
}

inline double root_of(double sigma) {
  return std::sqrt(sigma);
}

}  // namespace plain_operations
