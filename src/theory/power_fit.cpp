#include "theory/power_fit.hpp"

#include <cmath>
#include <numeric>

#include "core/student_t.hpp"
#include "core/transform.hpp"

namespace rarefact {

namespace {

using Numbers = std::vector<double>;

Numbers logarithms(const Numbers& values) {
  return mapped(values, [](double value) { return std::log(value); });
}

double mean(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

LineFit fit_line(const Numbers& x, const Numbers& y) {
  const double center_x = mean(x), center_y = mean(y);
  double xx = 0, xy = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - center_x) * (x[i] - center_x);
    xy += (x[i] - center_x) * (y[i] - center_y);
  }
  LineFit fit{.slope = xy / xx};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = (y[i] - center_y) - fit.slope * (x[i] - center_x);
    squares += residual * residual;
    if (i > 0) fit.local_slopes.push_back((y[i] - y[i - 1]) / (x[i] - x[i - 1]));
  }
  const auto freedom = static_cast<double>(x.size() - 2);
  const double half_width = student_t(freedom, 0.95) * std::sqrt(squares / freedom / xx);
  fit.slope_low = fit.slope - half_width;
  fit.slope_high = fit.slope + half_width;
  return fit;
}

LineFit fit_power(const Numbers& x, const Numbers& y) {
  return fit_line(logarithms(x), logarithms(y));
}

}  // namespace rarefact
