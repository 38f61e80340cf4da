#include "theory/power_fit.hpp"

#include <cmath>
#include <numeric>

#include "core/student_t.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

using Numbers = std::vector<double>;

void require_points(const Numbers& x, const Numbers& y, double level) {
  require_legal(x.size() == y.size(), "a fit needs one y for every x, not {} for {}", y.size(), x.size());
  require_legal(x.size() >= 3, "a fit needs at least 3 points, not {}", x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    require_legal(std::isfinite(x[i]) && std::isfinite(y[i]), "point {} of a fit is not finite", i + 1);
    require_legal(i == 0 || x[i] > x[i - 1], "x of a fit must ascend; point {} does not", i + 1);
  }
  require_legal(level > 0 && level < 1, "the level of an interval must lie in (0, 1), not {}", level);
}

Numbers logarithms(const Numbers& values, const char* name) {
  Numbers result;
  for (const double value : values) {
    require_legal(value > 0, "{} of point {} is not positive: it has no logarithm", name, result.size() + 1);
    result.push_back(std::log(value));
  }
  return result;
}

double mean(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

LineFit fit_line(const Numbers& x, const Numbers& y, double level) {
  require_points(x, y, level);
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
  const double half_width = student_t(freedom, level) * std::sqrt(squares / freedom / xx);
  fit.slope_low = fit.slope - half_width;
  fit.slope_high = fit.slope + half_width;
  return fit;
}

LineFit fit_power(const Numbers& x, const Numbers& y, double level) {
  return fit_line(logarithms(x, "x"), logarithms(y, "y"), level);
}

}  // namespace rarefact
