#include "verify/seed_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "theory/power_fit.hpp"

namespace rarefact::judge {

namespace {

/// The mean over seeds at every abscissa that all seeds have.
std::map<double, double> mean_curve(const SeedCurves& curves) {
  std::map<double, double> mean = curves.begin()->second;
  for (auto point = mean.begin(); point != mean.end();) {
    double sum = 0;
    bool everywhere = true;
    for (const auto& [seed, curve] : curves) {
      const auto found = curve.find(point->first);
      everywhere = everywhere && found != curve.end();
      if (everywhere) sum += found->second;
    }
    point->second = sum / static_cast<double>(curves.size());
    point = everywhere ? std::next(point) : mean.erase(point);
  }
  return mean;
}

LineFit<double> fit_of(const std::map<double, double>& curve) {
  std::vector<double> x, y;
  for (const auto& [abscissa, value] : curve) {
    x.push_back(abscissa);
    y.push_back(value);
  }
  return fit_power(x, y);
}

bool measured(const Finding& exponent) {
  return exponent.low && exponent.high && exponent.verdict == Verdict::evidence;
}

std::string interval_text(const Finding& exponent) {
  return fmt::format("[{:.4g}, {:.4g}]", *exponent.low, *exponent.high);
}

/// A finding that a sound program cannot miss; `distance` is how far the interval is on the right side.
Finding sanity(std::string quantity, const Finding& exponent, double distance, std::string rule) {
  Finding finding{.quantity = std::move(quantity), .measured = distance, .rule = std::move(rule)};
  if (exponent.verdict == Verdict::inconclusive) return finding;
  finding.verdict = distance > 0 ? Verdict::holds : Verdict::fails;
  return finding;
}

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

SeedMean seed_mean(const std::vector<double>& numbers) {
  if (numbers.empty()) throw std::invalid_argument("a mean of no seeds");
  const auto n = static_cast<double>(numbers.size());
  double mean = 0, squares = 0;
  for (const double one : numbers) mean += one / n;
  for (const double one : numbers) squares += (one - mean) * (one - mean);
  if (numbers.size() == 1)
    return {mean, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const boost::math::students_t student(n - 1);
  const double half = quantile(complement(student, 0.025)) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

Finding evidence_of_exponent(std::string quantity, const SeedCurves& curves, double claimed,
                             std::string published) {
  Finding finding{.quantity = std::move(quantity), .measured = nothing, .published = std::move(published)};
  if (curves.size() < 2) {
    finding.rule = fmt::format("an interval over seeds wants two of them, found: {}", curves.size());
    return finding;
  }
  std::vector<double> slopes;
  for (const auto& [seed, curve] : curves) {
    if (curve.size() < 3) {
      finding.rule = fmt::format("an exponent wants three points, found: {}", curve.size());
      return finding;
    }
    for (const auto& [x, y] : curve) {
      if (y > 0 && std::isfinite(y)) continue;
      finding.measured = y;
      finding.rule = fmt::format("positive numbers wanted, {:g} found at {:g}, seed {}", y, x, seed);
      finding.verdict = Verdict::fails;
      return finding;
    }
    slopes.push_back(fit_of(curve).slope);
  }
  const SeedMean mean = seed_mean(slopes);
  const std::map<double, double> of_mean = mean_curve(curves);
  finding.measured = mean.mean;
  finding.low = mean.low;
  finding.high = mean.high;
  finding.verdict = Verdict::evidence;
  finding.rule = fmt::format(
      "{} slopes, one a seed; the interval [{:.4g}, {:.4g}] {} {:.4g}", slopes.size(), mean.low, mean.high,
      mean.low <= claimed && claimed <= mean.high ? "contains" : "is without", claimed);
  if (of_mean.size() >= 3) {
    const std::vector<double> local = fit_of(of_mean).local_slopes;
    finding.rule += fmt::format(
        "; {} points from {:g} to {:g}, local slopes of the mean {:.3g} (first) to {:.3g} (last)",
        of_mean.size(), of_mean.begin()->first, of_mean.rbegin()->first, local.front(), local.back());
  }
  return finding;
}

Finding interval_above(std::string quantity, const Finding& exponent, double bound) {
  if (!measured(exponent)) return sanity(std::move(quantity), exponent, nothing, exponent.rule);
  return sanity(std::move(quantity), exponent, *exponent.low - bound,
                fmt::format("the interval {} has to lie above {:g}", interval_text(exponent), bound));
}

Finding interval_below(std::string quantity, const Finding& exponent, double bound) {
  if (!measured(exponent)) return sanity(std::move(quantity), exponent, nothing, exponent.rule);
  return sanity(std::move(quantity), exponent, bound - *exponent.high,
                fmt::format("the interval {} has to lie below {:g}", interval_text(exponent), bound));
}

Finding intervals_apart(std::string quantity, const Finding& larger, const Finding& smaller) {
  for (const Finding* one : {&larger, &smaller}) {
    if (!measured(*one)) return sanity(std::move(quantity), *one, nothing, one->rule);
  }
  return sanity(
      std::move(quantity), larger, *larger.low - *smaller.high,
      fmt::format("the interval {} has to lie above {}", interval_text(larger), interval_text(smaller)));
}

}  // namespace rarefact::judge
