#include "verify/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/relative_difference.hpp"
#include "core/student_t.hpp"
#include "theory/power_fit.hpp"

namespace rarefact::judge {

Finding compared(double measured, double bound, bool at_most) {
  const bool holds = at_most ? measured <= bound : measured >= bound;
  return {.measured = measured,
          .rule = fmt::format("measured {} {:g}", at_most ? "<=" : ">=", bound),
          .verdict = holds ? Verdict::holds : Verdict::fails};
}

Finding bounded(const Points& ratio, double max_growth, std::optional<double> sharp, double tolerance) {
  for (const auto& [x, y] : ratio) {
    if (!(y > 0 && std::isfinite(y)))
      return {.measured = y,
              .rule = fmt::format("positive numbers wanted, {:g} found at {:g}", y, x),
              .verdict = Verdict::fails};
  }
  const auto [least, greatest] = std::ranges::minmax(values(ratio));
  // Large x decide; at least three points.
  auto from = ratio.lower_bound(std::sqrt(ratio.begin()->first) * std::sqrt(ratio.rbegin()->first));
  while (std::distance(from, ratio.end()) < 3) --from;
  const Points late(from, ratio.end());
  const LineFit trend = fit_power(keys(late), values(late));
  // Few points have wide intervals, but on a curve without noise they need not all rise by chance.
  const bool rises =
      std::ranges::all_of(trend.local_slopes, [&](double slope) { return slope > max_growth; });
  const bool grows = trend.slope > max_growth && (trend.slope_low > 0 || rises);
  const double last = ratio.rbegin()->second;
  const bool meets = sharp && (*sharp == 0 ? std::abs(last) : relative_difference(last, *sharp)) <= tolerance;
  return {
      .measured = sharp ? last : greatest,
      .published = "bounded",
      .sharp = sharp,
      .rule = fmt::format("{} points from {:g} to {:g}: ratio from {:.4g} to {:.4g}, at the end {:.6g}; its "
                          "exponent from {:.3g} on is {:.2g} [{:.2g}, {:.2g}], allowed {:g}",
                          ratio.size(), ratio.begin()->first, ratio.rbegin()->first, least, greatest, last,
                          from->first, trend.slope, trend.slope_low, trend.slope_high, max_growth),
      .verdict = grows || (sharp && !meets) ? Verdict::fails
                 : sharp                    ? Verdict::sharp
                                            : Verdict::holds};
}

Finding seed_mean(const std::vector<double>& numbers) {
  const auto [mean, half_width] = mean_interval(numbers);
  return {.measured = mean,
          .low = mean - half_width,
          .high = mean + half_width,
          .rule = fmt::format("mean of {} seeds", numbers.size()),
          .verdict = Verdict::evidence};
}

Finding seed_mean_equals(const std::vector<double>& numbers, double sharp, double tolerance, double widest) {
  Finding finding = seed_mean(numbers);
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

Finding apart(const Finding& measured, const Finding& bound, bool above) {
  const auto shown = [](const Finding& interval) {
    return interval.low == interval.high ? fmt::format("{:g}", *interval.low)
                                         : fmt::format("[{:.4g}, {:.4g}]", *interval.low, *interval.high);
  };
  const double distance = above ? *measured.low - *bound.high : *bound.low - *measured.high;
  return {.measured = distance,
          .rule = fmt::format("the interval {} has to lie {} {}", shown(measured), above ? "above" : "below",
                              shown(bound)),
          .verdict = distance > 0 ? Verdict::holds : Verdict::fails};
}

Finding exactly(double number) {
  return {.measured = number, .low = number, .high = number, .verdict = Verdict::evidence};
}

}  // namespace rarefact::judge
