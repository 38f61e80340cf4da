// Relations between measured and claimed values. NaN never passes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/student_t.hpp"
#include "core/transform.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

/// |value - reference| / |reference|; 0 where the two are equal, infinite if the quotient is NaN.
double relative_difference(double value, double reference) {
  if (value == reference) return 0;
  const double difference = std::abs(value - reference) / std::abs(reference);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

Finding undecided(std::string rule) {
  return {.measured = missing, .rule = std::move(rule)};
}

/// The mean of independent numbers, one per seed, with its 95 % interval (Student t); a single number itself.
Finding seed_mean(const std::vector<double>& numbers) {
  if (numbers.size() == 1)
    return {.measured = numbers[0],
            .low = numbers[0],
            .high = numbers[0],
            .rule = "one number, not over seeds",
            .verdict = Verdict::evidence};
  const auto [mean, half_width] = mean_interval(numbers);
  return {.measured = mean,
          .low = mean - half_width,
          .high = mean + half_width,
          .rule = fmt::format("mean of {} seeds", numbers.size()),
          .verdict = Verdict::evidence};
}

}  // namespace

const std::vector<Part::Relation>& Part::relations() {
  static const std::vector<Relation> rows = {
      {"equals", {"within", "plus_minus", "sharp"}, &Part::equals},
      {"at_most", {}, &Part::at_most_or_least},
      {"at_least", {}, &Part::at_most_or_least},
      {"between", {}, &Part::between},
      {"bounded", {"growth", "ends_at", "within"}, &Part::bounded},
      {"mean_equals", {"plus_minus", "widest", "geometric"}, &Part::of_seeds},
      {"interval_above", {}, &Part::of_seeds},
      {"interval_below", {}, &Part::of_seeds},
      {"evidence", {"geometric", "claimed_below", "claimed_above"}, &Part::of_seeds}};
  return rows;
}

Finding Part::finding() {
  const auto most = parse_number<double>(entry_.text("at_most")),
             least = parse_number<double>(entry_.text("at_least"));
  if (most && least && *most < *least) entry_.refuse("at_least", "above at_most: no number satisfies both");
  std::vector<Finding> all;
  const bool evidence = entry_.text("evidence") == "true";
  for (const Relation& relation : relations()) {
    if (relation.name == "evidence" ? evidence && all.empty() : entry_.has(relation.name))
      all.push_back((this->*relation.judge)(relation.name));
  }
  if (all.empty()) entry_.refuse("id", "nothing is claimed about the measured number");
  Finding finding = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    finding.verdict = std::max(finding.verdict, all[i].verdict);
    finding.rule += "; " + all[i].rule;
  }
  if (finding.verdict == Verdict::holds && std::ranges::count(all, Verdict::sharp, &Finding::verdict) > 0)
    finding.verdict = Verdict::sharp;
  if (evidence) finding.verdict = std::max(finding.verdict, Verdict::evidence);
  if (few_points() && finding.verdict < Verdict::inconclusive) {
    finding.verdict = Verdict::inconclusive;
    finding.rule += fmt::format("; {}", few_points_rule);
  }
  return finding;
}

/// Equality of every entry within a tolerance, relative or absolute: sharp, or holds if key `sharp` is false.
Finding Part::equals(const std::string& key) {
  const bool relative = entry_.has("within");
  const std::string allowed = relative ? "within" : "plus_minus";
  if (!entry_.has(allowed)) entry_.refuse(key, "within or plus_minus is missing beside it");
  const std::vector<Compared> all = compared({key, allowed});
  if (all.empty()) return undecided(nothing_left);
  const auto difference = [&](const Compared& item) {
    const double measured = item.measured[0], other = item.number(key), apart = std::abs(measured - other);
    if (measured == other) return 0.0;
    return relative && other != 0 && !std::isnan(apart) ? relative_difference(measured, other) : apart;
  };
  const auto tolerance = [&](const Compared& item) { return item.number(allowed); };
  const double largest = greatest(mapped(all, difference)), loosest = greatest(mapped(all, tolerance));
  const bool holds =
      std::ranges::all_of(all, [&](const Compared& item) { return difference(item) <= tolerance(item); });
  const bool sharp = !entry_.has("sharp") || condition("sharp");
  Finding finding{.measured = largest, .sharp = 0.0};
  finding.verdict = !holds ? Verdict::fails : sharp ? Verdict::sharp : Verdict::holds;
  if (all.size() > 1) {
    finding.rule = fmt::format("largest {} difference of {} numbers at most {:g}",
                               relative ? "relative" : "absolute", all.size(), loosest);
    finding.agrees_to = loosest;
    return finding;
  }
  finding.measured = all[0].measured[0];
  finding.sharp = all[0].number(key);
  finding.rule = fmt::format("{} difference {:.2g}, allowed {:g}",
                             relative && finding.sharp != 0 ? "relative" : "absolute", largest, loosest);
  if (finding.sharp == 0 && loosest > 0) finding.agrees_to = loosest;
  if (fits_.size() == 1) {
    const std::vector<double>& slopes = fits_[0].local_slopes;
    finding.low = fits_[0].slope_low;
    finding.high = fits_[0].slope_high;
    finding.rule += fmt::format("; {} points, local slopes {:.4f} (first) to {:.4f} (last)",
                                slopes.size() + 1, slopes.front(), slopes.back());
  }
  return finding;
}

/// A bound for every entry. Shows an entry that is NaN, else the one furthest on the wrong side.
Finding Part::at_most_or_least(const std::string& key) {
  const bool upper = key == "at_most";
  const std::vector<Compared> all = compared({key});
  if (all.empty()) return undecided(nothing_left);
  const Compared& worst = *std::ranges::max_element(all, {}, [&](const Compared& item) {
    const double excess = (item.measured[0] - item.number(key)) * (upper ? 1 : -1);
    return std::isnan(excess) ? static_cast<double>(INFINITY) : excess;
  });
  const double measured = worst.measured[0], bound = worst.number(key);
  const bool holds = upper ? measured <= bound : measured >= bound;
  return {.measured = measured,
          .rule = fmt::format("measured {} {:g}", upper ? "<=" : ">=", bound),
          .verdict = holds ? Verdict::holds : Verdict::fails};
}

Finding Part::between(const std::string& key) {
  std::vector<double> ends;
  for (const std::string& text : entry_.texts(key)) {
    if (const auto number = parse_number<double>(text)) ends.push_back(*number);
  }
  if (ends.size() != 2 || !(ends[0] < ends[1]))
    entry_.refuse(key, "expected two numbers, the smaller one first");
  const auto found = mapped(compared({}), [](const Compared& item) { return item.measured[0]; });
  if (found.empty()) return undecided(nothing_left);
  const double low = least(found), high = greatest(found);
  return {.measured = mean_interval(found).mean,
          .low = low,
          .high = high,
          .rule = fmt::format("{} numbers from {:.3g} to {:.3g}, within {:g} and {:g}", found.size(), low,
                              high, ends[0], ends[1]),
          .verdict = low > ends[0] && high < ends[1] ? Verdict::holds : Verdict::fails};
}

/// A claim with an O(.): the positive ratio measured/claimed is bounded over the range of x, which has at
/// least three values. The claim fails if the ratio grows: over the upper half of the range (in ln x) its
/// fitted exponent is above `growth` and the interval is above 0, or every local slope is above `growth`.
/// Shows the greatest ratio; if the ratio `ends_at` a sharp limit, the last one, which must be within a
/// tolerance of the limit.
Finding Part::bounded(const std::string& key) {
  Points ratio, limits, tolerances;
  for (const Compared& item : compared({key, "ends_at", "within"})) {
    const double x = item.number(key), y = item.measured[0];
    if (!(x > 0 && std::isfinite(x)))
      return {.measured = missing, .rule = fmt::format("x is {:g}", x), .verdict = Verdict::fails};
    const auto [at, made] = ratio.emplace(x, y);
    if (!made) at->second = greatest({at->second, y});
    limits[x] = item.number("ends_at");
    tolerances[x] = item.number("within", 0.01);
  }
  const double growth = single("growth", 0.01);
  if (ratio.size() < 3)
    return undecided(fmt::format("a bound needs at least three points, and has {}", ratio.size()));
  for (const auto& [x, y] : ratio) {
    if (!(y > 0 && std::isfinite(y)))
      return {.measured = y,
              .rule = fmt::format("positive numbers wanted, {:g} found at {:g}", y, x),
              .verdict = Verdict::fails};
  }
  // Large x decide; at least three points.
  const double first = ratio.begin()->first, end = ratio.rbegin()->first;
  auto from = ratio.lower_bound(std::sqrt(first) * std::sqrt(end));
  while (std::distance(from, ratio.end()) < 3) --from;
  const Points late(from, ratio.end());
  const LineFit trend = fit_power(keys(late), values(late));
  // Few points have wide intervals, but without noise they would not all rise by chance.
  const bool rises = std::ranges::all_of(trend.local_slopes, [&](double slope) { return slope > growth; });
  const bool grows = trend.slope > growth && (trend.slope_low > 0 || rises);
  const bool sharp = entry_.has("ends_at");
  const double last = ratio[end], limit = limits[end];
  const bool meets = (limit == 0 ? std::abs(last) : relative_difference(last, limit)) <= tolerances[end];
  const auto [low, high] = std::ranges::minmax(values(ratio));
  return {
      .measured = sharp ? last : high,
      .published = "bounded",
      .sharp = sharp ? std::optional(limit) : std::nullopt,
      .rule = fmt::format("{} points from {:g} to {:g}: ratio from {:.4g} to {:.4g}, at the end {:.6g}; its "
                          "exponent from {:.3g} on is {:.2g} [{:.2g}, {:.2g}], allowed {:g}",
                          ratio.size(), first, end, low, high, last, from->first, trend.slope,
                          trend.slope_low, trend.slope_high, growth),
      .verdict = grows || (sharp && !meets) ? Verdict::fails
                 : sharp                    ? Verdict::sharp
                                            : Verdict::holds};
}

/// Judges one entry from its seeds.
Finding Part::of_seeds(const Compared& item, const std::string& key) {
  Finding finding = seed_mean(item.measured);
  double &low = *finding.low, &high = *finding.high;
  if (!std::ranges::all_of(item.measured, [](double number) { return std::isfinite(number); }))
    return {.measured = finding.measured, .rule = "a number of a seed is none", .verdict = Verdict::fails};
  if (key.starts_with("interval")) {
    const bool above = key == "interval_above";
    const std::vector<double>& other = item.beside.at(key);
    Finding bound = seed_mean(other);
    std::string shown = fmt::format("[{:.4g}, {:.4g}]", *bound.low, *bound.high);
    if (least(other) == greatest(other)) {
      bound.low = bound.high = other[0];
      shown = fmt::format("{:g}", other[0]);
    }
    const double distance = above ? low - *bound.high : *bound.low - high;
    return {.measured = distance,
            .rule = fmt::format("the interval [{:.4g}, {:.4g}] has to lie {} {}", low, high,
                                above ? "above" : "below", shown),
            .verdict = distance > 0 ? Verdict::holds : Verdict::fails};
  }
  if (key == "mean_equals") {
    // Sharp if the interval contains the number; holds if it comes within the tolerance for finite sizes. A
    // wider interval would always pass.
    const double sharp = item.number(key), tolerance = item.number("plus_minus", 0),
                 widest = item.number("widest", INFINITY);
    finding.sharp = sharp;
    finding.rule = fmt::format("mean of {} seeds, [{:.4g}, {:.4g}] meets {:.4g} ± {:g}; at most {:g} wide",
                               item.measured.size(), low, high, sharp, tolerance, widest);
    finding.verdict = !(low <= sharp + tolerance && high >= sharp - tolerance) ? Verdict::fails
                      : !(high - low <= widest)                                ? Verdict::inconclusive
                      : low <= sharp && sharp <= high                          ? Verdict::sharp
                                                                               : Verdict::holds;
  }
  if (entry_.text("geometric") == "true") {
    for (double* value : {&finding.measured, &low, &high}) *value = std::exp(*value);
  }
  const bool beyond = (entry_.has("claimed_below") && low > single("claimed_below", 0)) ||
                      (entry_.has("claimed_above") && high < single("claimed_above", 0));
  if (beyond && finding.verdict == Verdict::evidence) finding.verdict = Verdict::against;
  if (item.measured.size() == 1) finding.low = finding.high = {};
  return finding;
}

/// Judges the mean over seeds of every entry, and shows the worst; evidence may be without seeds.
Finding Part::of_seeds(const std::string& key) {
  std::vector<std::string> keys;
  if (key != "evidence") keys = {key, "plus_minus", "widest"};
  const bool seeds = !keys.empty() || std::ranges::any_of(cases_, [](const Case& in) {
    return in.evaluate.frame().axis_of("seed").has_value();
  });
  std::vector<Finding> findings;
  for (const Compared& item : compared(keys, seeds)) {
    if (seeds && item.measured.size() < 2) return undecided("an interval over seeds needs at least two");
    findings.push_back(of_seeds(item, key));
  }
  if (findings.empty()) return undecided(nothing_left);
  if (few_points()) return undecided(few_points_rule);
  // For bounds `measured` is a distance, of which the least is the worst.
  Finding worst = *std::ranges::max_element(findings, {}, [&](const Finding& finding) {
    return std::pair(finding.verdict, key.starts_with("interval") ? -finding.measured : 0.0);
  });
  if (findings.size() > 1) worst.rule += fmt::format("; the worst of {}", findings.size());
  return worst;
}

}  // namespace rarefact::claims
