#include "algebra/singular_values.hpp"

#include <algorithm>
#include <numeric>

namespace rarefact {

SingularValues sorted(SingularValues unordered) {
  std::vector<std::size_t> order(unordered.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return unordered.values[a] > unordered.values[b]; });
  SingularValues result;
  for (const std::size_t i : order) {
    result.values.push_back(unordered.values[i]);
    result.multiplicities.push_back(unordered.multiplicities[i]);
  }
  return result;
}

}  // namespace rarefact
