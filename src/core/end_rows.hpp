#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rarefact {

/// The row of the most frequent classes and that of the rarest.
struct EndRows {
  std::size_t head = 0, tail = 0;
};

/// By the probability of a class of each row, whatever their order. Of rows that are as likely to rounding the first is the
/// head and the last the tail. Precondition: there are rows.
inline EndRows end_rows(const std::vector<double>& probability) {
  constexpr double rounding = 1e-12;
  const auto [least, most] = std::ranges::minmax(probability);
  EndRows ends;
  while (probability[ends.head] < most * (1 - rounding)) ++ends.head;
  ends.tail = probability.size() - 1;
  while (probability[ends.tail] > least * (1 + rounding)) --ends.tail;
  return ends;
}

}  // namespace rarefact
