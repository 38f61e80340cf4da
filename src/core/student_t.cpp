#include "core/student_t.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rarefact {

double student_t(double freedom, double level) {
  return quantile(complement(boost::math::students_t(freedom), (1 - level) / 2));
}

MeanInterval mean_interval(const std::vector<double>& numbers) {
  if (numbers.empty()) throw std::invalid_argument("a mean of no numbers");
  const auto n = static_cast<double>(numbers.size());
  double scale = 0, mean = 0, squares = 0;
  for (const double value : numbers) {
    if (std::isnan(value)) return {value, value};
    scale = std::max(scale, std::abs(value));
  }
  if (n == 1) return {numbers[0], std::numeric_limits<double>::infinity()};
  if (scale == 0) return {0, 0};
  // In units of the largest number, because the square of 1e-200 underflows.
  for (const double value : numbers) mean += value / scale;
  mean /= n;
  for (const double value : numbers) squares += std::pow(value / scale - mean, 2);
  return {mean * scale, student_t(n - 1, 0.95) * std::sqrt(squares / (n - 1) / n) * scale};
}

}  // namespace rarefact
