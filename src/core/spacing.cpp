#include "core/spacing.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace rarefact {

namespace {

double rounded(long double x) {
  return *parse_number<double>(fmt::format("{:.14e}", static_cast<double>(x)));
}

/// a + part (b - a), where a result as small as the rounding of the ends is set to 0.
double between(double a, double b, long double part) {
  const long double x = a + (static_cast<long double>(b) - a) * part;
  return std::abs(x) < 1e-15L * std::max(std::abs(a), std::abs(b)) ? 0 : rounded(x);
}

/// a (b/a)^part. In double precision the logarithm would lose digits that are shown.
double between_in_ratios(double a, double b, long double part) {
  const long double low = std::log10(static_cast<long double>(a)),
                    high = std::log10(static_cast<long double>(b));
  return rounded(std::pow(10.0L, low + (high - low) * part));
}

std::vector<double> spaced(double a, double b, double n, double (*at)(double, double, long double)) {
  std::vector<double> values = {a};
  for (double i = 1; i < n; ++i)
    values.push_back(i == n - 1 ? b : at(a, b, static_cast<long double>(i) / (n - 1)));
  return values;
}

}  // namespace

std::vector<double> evenly_spaced(double a, double b, double n) {
  return spaced(a, b, n, between);
}

std::vector<double> log_spaced(double a, double b, double n) {
  return spaced(a, b, n, between_in_ratios);
}

}  // namespace rarefact
