#include "theory/power_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/real50.hpp"
#include "core/student_t.hpp"

namespace rarefact {

namespace {

using std::abs, std::isfinite, std::log, std::sqrt;

template <class Real>
void require_points(const std::vector<Real>& x, const std::vector<Real>& y, double level) {
  if (x.size() != y.size())
    throw std::invalid_argument(
        fmt::format("a fit needs one y for every x, not {} for {}", y.size(), x.size()));
  if (x.size() < 3)
    throw std::invalid_argument(fmt::format("a fit needs at least 3 points, not {}", x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!isfinite(x[i]) || !isfinite(y[i]))
      throw std::invalid_argument(fmt::format("point {} of a fit is not finite", i + 1));
    if (i > 0 && !(x[i] > x[i - 1]))
      throw std::invalid_argument(fmt::format("x of a fit must ascend; point {} does not", i + 1));
  }
  if (!(level > 0 && level < 1))
    throw std::invalid_argument(fmt::format("the level of an interval must lie in (0, 1), not {}", level));
}

template <class Real>
std::vector<Real> logarithms(const std::vector<Real>& values, const char* name) {
  std::vector<Real> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > Real(0)))
      throw std::invalid_argument(
          fmt::format("{} of point {} is not positive: it has no logarithm", name, i + 1));
    result.push_back(log(values[i]));
  }
  return result;
}

template <class Real>
Real mean(const std::vector<Real>& values) {
  Real sum(0);
  for (const Real& value : values) sum += value;
  return sum / Real(static_cast<double>(values.size()));
}

}  // namespace

template <class Real>
LineFit<Real> fit_line(const std::vector<Real>& x, const std::vector<Real>& y, double level) {
  require_points(x, y, level);
  const Real center_x = mean(x), center_y = mean(y);
  Real xx(0), xy(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - center_x) * (x[i] - center_x);
    xy += (x[i] - center_x) * (y[i] - center_y);
  }
  LineFit<Real> fit;
  fit.slope = xy / xx;
  fit.intercept = center_y - fit.slope * center_x;
  fit.largest_residual = Real(0);
  Real squares(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real residual = (y[i] - center_y) - fit.slope * (x[i] - center_x);
    squares += residual * residual;
    fit.largest_residual = std::max(fit.largest_residual, Real(abs(residual)));
    if (i > 0) fit.local_slopes.push_back((y[i] - y[i - 1]) / (x[i] - x[i - 1]));
  }
  const Real freedom(static_cast<double>(x.size() - 2));
  // In double: 16 digits of a quantile are more than an interval means, and 50 take half a minute to compile.
  const Real quantile_of_level(student_t(static_cast<double>(freedom), level));
  const Real half_width = quantile_of_level * sqrt(Real(squares / freedom / xx));
  fit.slope_low = fit.slope - half_width;
  fit.slope_high = fit.slope + half_width;
  return fit;
}

template <class Real>
LineFit<Real> fit_power(const std::vector<Real>& x, const std::vector<Real>& y, double level) {
  return fit_line(logarithms(x, "x"), logarithms(y, "y"), level);
}

template <class Real>
Boundedness<Real> boundedness(const std::vector<Real>& x, const std::vector<Real>& ratio, double level) {
  Boundedness<Real> result;
  result.trend = fit_power(x, ratio, level);
  const auto [least, greatest] = std::minmax_element(ratio.begin(), ratio.end());
  result.least = *least;
  result.greatest = *greatest;
  result.spread = *greatest / *least;
  return result;
}

using Reals = std::vector<double>;
using Reals50 = std::vector<Real50>;
template LineFit<double> fit_line(const Reals&, const Reals&, double);
template LineFit<Real50> fit_line(const Reals50&, const Reals50&, double);
template LineFit<double> fit_power(const Reals&, const Reals&, double);
template LineFit<Real50> fit_power(const Reals50&, const Reals50&, double);
template Boundedness<double> boundedness(const Reals&, const Reals&, double);
template Boundedness<Real50> boundedness(const Reals50&, const Reals50&, double);

}  // namespace rarefact
