#include "verify/judge.hpp"

#include <fmt/format.h>

#include "core/relative_difference.hpp"
#include "core/student_t.hpp"

namespace rarefact::judge {

namespace {

Verdict sharp_or_fails(bool holds) {
  return holds ? Verdict::sharp : Verdict::fails;
}

/// Relative, but absolute from 0.
double difference_from(double expected, double measured) {
  if (expected != 0) return relative_difference(measured, expected);
  return std::isnan(measured) ? INFINITY : std::abs(measured);
}

std::string range_text(const Points& points) {
  return fmt::format("{} points from {:g} to {:g}", points.size(), points.begin()->first,
                     points.rbegin()->first);
}

/// What a fit to numbers without a logarithm comes to; nothing where all have one.
std::optional<Finding> unfit(const std::string& quantity, const Points& points) {
  for (const auto& [x, y] : points) {
    if (y > 0 && std::isfinite(y)) continue;
    return Finding{.quantity = quantity,
                   .measured = y,
                   .rule = fmt::format("positive numbers wanted, {:g} found at {:g}", y, x),
                   .verdict = Verdict::fails};
  }
  return std::nullopt;
}

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

Finding bounded(std::string quantity, const Points& ratio, double max_growth, std::optional<double> sharp,
                double tolerance) {
  if (const auto finding = unfit(quantity, ratio)) return *finding;
  fit_power(keys(ratio), values(ratio));  // refuses too few
  const auto [least, greatest] = std::ranges::minmax(values(ratio));
  // What happens for large x decides; at least three points of it.
  auto from = ratio.lower_bound(std::sqrt(ratio.begin()->first) * std::sqrt(ratio.rbegin()->first));
  while (std::distance(from, ratio.end()) < 3) --from;
  const Points late(from, ratio.end());
  const LineFit trend = fit_power(keys(late), values(late));
  // Few points have wide intervals, but on a curve without noise they need not all rise by chance.
  const bool rises =
      std::ranges::all_of(trend.local_slopes, [&](double slope) { return slope > max_growth; });
  const bool grows = trend.slope > max_growth && (trend.slope_low > 0 || rises);
  const double last = ratio.rbegin()->second;
  Verdict verdict = grows ? Verdict::fails : Verdict::holds;
  if (!grows && sharp) verdict = sharp_or_fails(difference_from(*sharp, last) <= tolerance);
  return {.quantity = std::move(quantity),
          .measured = sharp ? last : greatest,
          .published = "bounded",
          .sharp = sharp,
          .rule = fmt::format(
              "{}: ratio from {:.4g} to {:.4g}, at the end {:.6g}; its exponent from {:.3g} on is {:.2g} "
              "[{:.2g}, {:.2g}], allowed {:g}",
              range_text(ratio), least, greatest, last, from->first, trend.slope, trend.slope_low,
              trend.slope_high, max_growth),
          .verdict = verdict};
}

Finding seed_mean(std::string quantity, const std::vector<double>& numbers) {
  const auto [mean, half_width] = mean_interval(numbers);
  return {.quantity = std::move(quantity),
          .measured = mean,
          .low = mean - half_width,
          .high = mean + half_width,
          .rule = fmt::format("mean of {} seeds", numbers.size()),
          .verdict = Verdict::evidence};
}

Finding seed_mean_equals(std::string quantity, const std::vector<double>& numbers, double sharp,
                         double tolerance, double widest) {
  Finding finding = seed_mean(std::move(quantity), numbers);
  const double low = *finding.low, high = *finding.high;
  finding.sharp = sharp;
  finding.rule = fmt::format("mean of {} seeds, [{:.4g}, {:.4g}] meets {:.4g} ± {:g}; at most {:g} wide",
                             numbers.size(), low, high, sharp, tolerance, widest);
  finding.verdict = !(low <= sharp + tolerance && high >= sharp - tolerance) ? Verdict::fails
                    : !(high - low <= widest)                                ? Verdict::inconclusive
                    : low <= sharp && sharp <= high                          ? Verdict::sharp
                                                                             : Verdict::holds;
  return finding;
}

namespace {

/// A bound as an interval of one number.
Finding at(double bound) {
  return {.low = bound, .high = bound, .verdict = Verdict::evidence};
}

std::string interval_text(const Finding& exponent) {
  return fmt::format("[{:.4g}, {:.4g}]", exponent.low.value_or(NAN), exponent.high.value_or(NAN));
}

/// The interval of `larger` has to lie above that of `smaller`.
Finding ordered(std::string quantity, const Finding& larger, const Finding& smaller, std::string rule) {
  for (const Finding* finding : {&larger, &smaller}) {
    if (finding->low && finding->high && finding->verdict == Verdict::evidence) continue;
    return {.quantity = std::move(quantity),
            .measured = NAN,
            .rule = finding->rule,
            .verdict = std::max(finding->verdict, Verdict::inconclusive)};
  }
  const double distance = *larger.low - *smaller.high;
  return {.quantity = std::move(quantity),
          .measured = distance,
          .rule = std::move(rule),
          .verdict = distance > 0 ? Verdict::holds : Verdict::fails};
}

}  // namespace

Finding interval_above(std::string quantity, const Finding& exponent, double bound) {
  return ordered(std::move(quantity), exponent, at(bound),
                 fmt::format("the interval {} has to lie above {:g}", interval_text(exponent), bound));
}

Finding interval_below(std::string quantity, const Finding& exponent, double bound) {
  return ordered(std::move(quantity), at(bound), exponent,
                 fmt::format("the interval {} has to lie below {:g}", interval_text(exponent), bound));
}

Finding intervals_apart(std::string quantity, const Finding& larger, const Finding& smaller) {
  return ordered(
      std::move(quantity), larger, smaller,
      fmt::format("the interval {} has to lie above {}", interval_text(larger), interval_text(smaller)));
}

}  // namespace rarefact::judge
