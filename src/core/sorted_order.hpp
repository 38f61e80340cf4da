#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace rarefact {

/// The numbers 0 to size - 1 in the order of their keys; those with equal keys ascend.
template <class Number, class Less, class Key = std::identity>
std::vector<Number> sorted_order(Number size, const Less& less, const Key& key = {}) {
  std::vector<Number> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Number{0});
  std::ranges::stable_sort(order, less, key);
  return order;
}

}  // namespace rarefact
