#pragma once

#include <vector>

namespace rarefact {

/// The t with P(|T| <= t) = level for Student's T with `freedom` > 0 degrees of freedom; 0 < level < 1.
double student_t(double freedom, double level);

/// A mean and half the width of its 95 % confidence interval, which is infinite for a single number.
struct MeanInterval {
  double mean, half_width;
};
MeanInterval mean_interval(const std::vector<double>& numbers);

}  // namespace rarefact
