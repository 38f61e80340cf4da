#pragma once

/// Matrices of independent standard normal entries, and the largest entry of one.

#include "core/random.hpp"
#include "core/types.hpp"

namespace reference {

/// The same one for the same name, step and size.
inline rarefact::Matrix random_matrix(rarefact::Index rows, rarefact::Index columns, const char* name,
                                      std::uint64_t step = 0) {
  rarefact::Matrix x(rows, columns);
  rarefact::RandomStream(7, name).fill_normal(step, {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

inline double largest(const rarefact::Matrix& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
}

}  // namespace reference
