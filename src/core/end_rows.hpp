#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rarefact {

/// The rows of the most frequent and of the rarest classes.
struct EndRows {
  std::size_t head = 0, tail = 0;
};

/// Finds the end rows by the probability of one class of each row; rows may be in any order. If probabilities
/// are equal up to rounding, the first row is the head and the last the tail. Precondition: there are rows.
inline EndRows end_rows(const std::vector<double>& probability) {
  constexpr double rounding = 1e-12;
  const auto [lowest, highest] = std::ranges::minmax(probability);
  EndRows ends;
  while (probability[ends.head] < highest * (1 - rounding)) ++ends.head;
  ends.tail = probability.size() - 1;
  while (probability[ends.tail] > lowest * (1 + rounding)) --ends.tail;
  return ends;
}

}  // namespace rarefact
