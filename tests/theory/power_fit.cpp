#include "theory/power_fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;
using Points = std::vector<double>;

/// Whether the interval of the slope has the value.
bool contains(const LineFit& fit, double value) {
  return fit.slope_low <= value && value <= fit.slope_high;
}

TEST_CASE("a fit has the slope, and interval of the textbook formula") {
  // x = 1..5, y = 2, 4, 5, 4, 5: slope 0.6, residual sum of squares 2.4, standard error
  // √(2.4/3/10) = 0.282843; Student's t for 3 degrees of freedom is 3.182446 at 95 %.
  const Points x{1, 2, 3, 4, 5}, y{2, 4, 5, 4, 5};
  const auto fit = fit_line(x, y);
  CHECK(fit.slope == Approx(0.6).epsilon(1e-15));
  CHECK(fit.slope_high - fit.slope == Approx(3.182446305 * std::sqrt(0.08)).epsilon(1e-9));
  CHECK(fit.slope - fit.slope_low == Approx(fit.slope_high - fit.slope).epsilon(1e-14));
  CHECK(fit.local_slopes == Points{2, 1, -1, 1});
  CHECK(contains(fit, -0.2));
  CHECK_FALSE(contains(fit, -0.4));
}

TEST_CASE("an exact power law is recovered with an interval of rounding size") {
  Points x, y;
  for (int i = 0; i < 12; ++i) {
    x.push_back(std::pow(10.0, 25.0 * i + 1));
    y.push_back(3 * std::pow(x.back(), -0.3557));
  }
  const auto fit = fit_power(x, y);
  CHECK(fit.slope == Approx(-0.3557).epsilon(1e-14));
  CHECK(fit.slope_high - fit.slope_low < 1e-15);
  for (const double slope : fit.local_slopes) CHECK(slope == Approx(-0.3557).epsilon(1e-13));
}
