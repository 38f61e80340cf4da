#pragma once

#include <cstddef>

namespace rarefact {

/// The first index below `count` at which the test holds, or `count` if there is none.
template <class Test>
std::size_t first_index(std::size_t count, const Test& holds) {
  std::size_t index = 0;
  while (index < count && !holds(index)) ++index;
  return index;
}

}  // namespace rarefact
