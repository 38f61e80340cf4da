#include "verify/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/power_fit.hpp"

namespace rarefact::judge {

namespace {

Verdict sharp_or_fails(bool holds) {
  return holds ? Verdict::sharp : Verdict::fails;
}

double relative_difference(double a, double b) {
  if (a == b) return 0;
  const double difference = std::abs(a - b) / (b == 0 ? 1 : std::abs(b));
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

/// "x from 30 to 3e+15".
std::string range_text(const std::vector<double>& x) {
  return fmt::format("{} points from {:g} to {:g}", x.size(), x.front(), x.back());
}

/// What a fit to numbers without a logarithm comes to; nothing where all have one.
std::optional<Finding> unfit(const std::string& quantity, const std::vector<double>& x,
                             const std::vector<double>& y) {
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (y[i] > 0 && std::isfinite(y[i])) continue;
    return Finding{.quantity = quantity,
                   .measured = y[i],
                   .rule = fmt::format("positive numbers wanted, {:g} found at {:g}", y[i], x[i]),
                   .verdict = Verdict::fails};
  }
  return std::nullopt;
}

}  // namespace

Finding equals(std::string quantity, double measured, double sharp, double tolerance) {
  const double difference = relative_difference(measured, sharp);
  return {.quantity = std::move(quantity),
          .measured = measured,
          .sharp = sharp,
          .rule = fmt::format("{} difference {:.2g}, allowed {:g}", sharp == 0 ? "absolute" : "relative",
                              difference, tolerance),
          .verdict = sharp_or_fails(difference <= tolerance),
          .agrees_to = sharp == 0 && tolerance > 0 ? std::optional<double>(tolerance) : std::nullopt};
}

Finding agree(std::string quantity, const std::vector<double>& measured, const std::vector<double>& exact,
              double tolerance) {
  double largest =
      measured.empty() || measured.size() != exact.size() ? std::numeric_limits<double>::infinity() : 0;
  for (std::size_t i = 0; i < std::min(measured.size(), exact.size()); ++i)
    largest = std::max(largest, relative_difference(measured[i], exact[i]));
  return {.quantity = std::move(quantity),
          .measured = largest,
          .sharp = 0.0,
          .rule = fmt::format("largest relative difference of {} numbers at most {:g}", measured.size(),
                              tolerance),
          .verdict = sharp_or_fails(largest <= tolerance),
          .agrees_to = tolerance};
}

Finding agree(std::string quantity, const std::vector<double>& measured, double exact, double tolerance) {
  return agree(std::move(quantity), measured, std::vector<double>(measured.size(), exact), tolerance);
}

namespace {

Finding compared(std::string quantity, double measured, const char* sign, double bound, bool holds) {
  return {.quantity = std::move(quantity),
          .measured = measured,
          .published = fmt::format("{} {:g}", sign, bound),
          .rule = fmt::format("measured {} {:g}", sign, bound),
          .verdict = holds ? Verdict::holds : Verdict::fails};
}

}  // namespace

Finding at_most(std::string quantity, double measured, double bound) {
  return compared(std::move(quantity), measured, "<=", bound, measured <= bound);
}

Finding at_least(std::string quantity, double measured, double bound) {
  return compared(std::move(quantity), measured, ">=", bound, measured >= bound);
}

Finding exponent(std::string quantity, const std::vector<double>& x, const std::vector<double>& y,
                 const ExponentClaim& claim) {
  using Kind = ExponentClaim::Kind;
  if (const auto finding = unfit(quantity, x, y)) return *finding;
  const LineFit<double> fit = fit_power(x, y);
  const char* sign = claim.kind == Kind::equal ? "" : claim.kind == Kind::at_most ? "<= " : ">= ";
  const double off = claim.kind == Kind::equal     ? std::abs(fit.slope - claim.published)
                     : claim.kind == Kind::at_most ? fit.slope - claim.published
                                                   : claim.published - fit.slope;
  std::optional<double> sharp = claim.sharp;
  if (!sharp && claim.kind == Kind::equal) sharp = claim.published;
  Verdict verdict = off <= claim.tolerance ? Verdict::holds : Verdict::fails;
  const bool close = sharp && std::abs(fit.slope - *sharp) <= claim.sharp_tolerance;
  if (verdict == Verdict::holds && close) verdict = Verdict::sharp;
  // Better known than published, and yet not measured: something is wrong with one of the two.
  if (verdict == Verdict::holds && claim.sharp && !close) verdict = Verdict::fails;
  return {.quantity = std::move(quantity),
          .measured = fit.slope,
          .low = fit.slope_low,
          .high = fit.slope_high,
          .published = fmt::format("{}{:g}", sign, claim.published),
          .sharp = claim.sharp,
          .rule = fmt::format("{}; local slopes {:.4f} (first) to {:.4f} (last); within {:g} of {:.4g}",
                              range_text(x), fit.local_slopes.front(), fit.local_slopes.back(),
                              claim.sharp ? claim.sharp_tolerance : claim.tolerance,
                              claim.sharp.value_or(claim.published)),
          .verdict = verdict};
}

Finding exponent(std::string quantity, const Points& points, const ExponentClaim& claim) {
  return exponent(std::move(quantity), keys(points), values(points), claim);
}

Finding bounded(std::string quantity, const std::vector<double>& x, const std::vector<double>& ratio,
                double most_growth, std::optional<double> sharp, double tolerance) {
  if (const auto finding = unfit(quantity, x, ratio)) return *finding;
  const Boundedness<double> all = boundedness(x, ratio);
  // What happens for large x decides; at least three points of it.
  const double middle = std::sqrt(x.front()) * std::sqrt(x.back());
  auto begin = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), middle) - x.begin());
  begin = std::min(begin, x.size() - 3);
  const auto from = static_cast<std::ptrdiff_t>(begin);
  const std::vector<double> high_x(x.begin() + from, x.end()), high_ratio(ratio.begin() + from, ratio.end());
  const LineFit<double> trend = boundedness(high_x, high_ratio).trend;
  // Few points have wide intervals, but on a curve without noise they need not all rise by chance.
  const bool rises = std::all_of(trend.local_slopes.begin(), trend.local_slopes.end(),
                                 [&](double slope) { return slope > most_growth; });
  const bool grows = trend.slope > most_growth && (trend.slope_low > 0 || rises);
  Verdict verdict = grows ? Verdict::fails : Verdict::holds;
  if (!grows && sharp) verdict = sharp_or_fails(relative_difference(ratio.back(), *sharp) <= tolerance);
  return {.quantity = std::move(quantity),
          .measured = sharp ? ratio.back() : all.greatest,
          .published = "bounded",
          .sharp = sharp,
          .rule = fmt::format(
              "{}: ratio from {:.4g} to {:.4g}, at the end {:.6g}; its exponent from {:.3g} on is {:.2g} "
              "[{:.2g}, {:.2g}], allowed {:g}",
              range_text(x), all.least, all.greatest, ratio.back(), high_x.front(), trend.slope,
              trend.slope_low, trend.slope_high, most_growth),
          .verdict = verdict};
}

Finding bounded(std::string quantity, const Points& ratio, double most_growth, std::optional<double> sharp,
                double tolerance) {
  return bounded(std::move(quantity), keys(ratio), values(ratio), most_growth, sharp, tolerance);
}

}  // namespace rarefact::judge
