// Relations between measured and claimed values, all of them finite (Part::compared).

#include "core/student_t.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

/// "worst of 36 at K = 10: measured 44, "; the beginning of a rule.
std::string worst_of(std::size_t count, const std::string& place, double measured) {
  const std::string worst = count > 1 ? fmt::format("worst of {}{}: ", count, place) : "";
  return fmt::format("{}measured {:.6g}, ", worst, measured);
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

/// True if points along an axis that differ in seeds alone share one of several seeds that vary.
bool shares_seeds(const Frame& frame, std::size_t axis) {
  std::vector<std::vector<Number>> seeds;
  std::vector<std::vector<Number>> others(frame.points[axis]);
  for (const std::string& key : frame.keys[axis]) {
    const std::vector<Number> own = frame.key(key).entries;
    const bool varies = std::ranges::any_of(own, [&](const Number& x) { return x != own.front(); });
    if (is_seed(key) && varies) seeds.push_back(own);
    for (std::size_t i = 0; i < own.size() && !is_seed(key); ++i) others[i].push_back(own[i]);
  }
  for (const std::vector<Number>& own : seeds) {
    std::set<std::pair<std::vector<Number>, Number>> seen;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (seeds.size() > 1 && !seen.emplace(others[i], own[i]).second) return true;
  }
  return false;
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
  for (const Case& in : cases_) data(in).forget_unfinished();
  std::vector<Finding> all;
  const bool evidence = entry_.text("evidence") == "true";
  for (const Relation& relation : relations()) {
    if (relation.name == "evidence" ? evidence && all.empty() : entry_.has(relation.name))
      all.push_back((this->*relation.judge)(relation.name));
  }
  if (all.empty()) entry_.refuse("id", "nothing is claimed about the measured number");
  Finding finding = all.front();
  if (!unevaluated_.empty()) all.push_back({.rule = unevaluated_, .verdict = Verdict::inconclusive});
  if (!unmeasured_.empty()) all.push_back({.rule = unmeasured_, .verdict = finding.verdict});
  for (std::size_t i = 1; i < all.size(); ++i) {
    finding.verdict = std::max(finding.verdict, all[i].verdict);
    finding.wide = finding.wide || all[i].wide;
    finding.rule += (finding.rule.empty() ? "" : "; ") + all[i].rule;
  }
  if (finding.verdict == Verdict::holds && std::ranges::count(all, Verdict::sharp, &Finding::verdict) > 0)
    finding.verdict = Verdict::sharp;
  if (finding.wide) {
    if (finding.verdict == Verdict::sharp) finding.verdict = Verdict::holds;
    finding.rule += "; tolerance above a twentieth: never sharp";
  }
  if (evidence) finding.verdict = std::max(finding.verdict, Verdict::evidence);
  if (few_points() && finding.verdict < Verdict::inconclusive) {
    finding.verdict = Verdict::inconclusive;
    finding.rule += fmt::format("; {}", few_points_rule);
  }
  if (std::ranges::any_of(cases_, [](const Case& in) { return data(in).read_unfinished(); })) {
    finding.verdict = std::max(finding.verdict, Verdict::inconclusive);
    finding.rule += "; it reads runs that did not complete";
  }
  if (const std::string beyond = beyond_records(); !beyond.empty()) {
    finding.verdict = std::max(finding.verdict, Verdict::inconclusive);
    finding.rule += beyond;
  }
  return finding;
}

/// Equality of every entry within a tolerance, relative or absolute: sharp, or holds if key `sharp` is false.
/// Shows the entry whose difference is largest for its tolerance.
Finding Part::equals(const std::string& key) {
  const bool relative = entry_.has("within");
  const std::string allowed = relative ? "within" : "plus_minus";
  if (!entry_.has(allowed)) entry_.refuse(key, "within or plus_minus is missing beside it");
  const std::vector<Compared> all = compared({key, allowed});
  if (all.empty()) return undecided(nothing_left);
  const auto difference = [&](const Compared& item) {
    const double measured = item.measured[0], other = item.number(key);
    return std::abs(measured - other) / (relative && other != 0 ? std::abs(other) : 1);
  };
  const auto excess = [&](const Compared& item) {
    const double apart = difference(item);
    return apart == 0 ? 0 : apart / item.number(allowed);
  };
  const Compared& worst = *std::ranges::max_element(all, {}, excess);
  const double measured = worst.measured[0], expected = worst.number(key), apart = difference(worst),
               tolerance = worst.number(allowed);
  const bool sharp = !entry_.has("sharp") || condition("sharp");
  Finding finding{.measured = apart, .sharp = 0.0, .agrees_to = tolerance};
  finding.wide = std::ranges::any_of(all, [&](const Compared& item) {
    const double constant = item.number(key), width = item.number(allowed);
    return is_wide(relative && constant != 0 ? width * std::abs(constant) : width, constant);
  });
  finding.verdict = !(apart <= tolerance) ? Verdict::fails : sharp ? Verdict::sharp : Verdict::holds;
  finding.rule = fmt::format("{}expected {:.6g}; ", worst_of(all.size(), place(worst), measured), expected);
  const std::string must = all.size() > 1 ? "all must" : "they must";
  if (tolerance == 0)
    finding.rule += must + " agree exactly";
  else
    finding.rule += fmt::format("{} agree up to a {}difference of {:g}", must,
                                relative && expected != 0 ? "relative " : "", tolerance);
  if (all.size() > 1) return finding;
  finding.measured = measured;
  finding.sharp = expected;
  finding.rule += fmt::format(", and differ by {:.2g}", apart);
  if (!(expected == 0 && tolerance > 0)) finding.agrees_to = {};
  if (fits_.size() == 1) {
    const std::vector<double>& slopes = fits_[0].local_slopes;
    if (fits_[0].slope == measured) {
      finding.low = fits_[0].slope_low;
      finding.high = fits_[0].slope_high;
    }
    finding.rule += fmt::format("; {} points, local slopes {:.4f} (first) to {:.4f} (last)",
                                slopes.size() + 1, slopes.front(), slopes.back());
  }
  return finding;
}

/// A bound for every entry. Shows the one furthest on the wrong side.
Finding Part::at_most_or_least(const std::string& key) {
  const bool upper = key == "at_most";
  const std::vector<Compared> all = compared({key});
  if (all.empty()) return undecided(nothing_left);
  const Compared& worst = *std::ranges::max_element(all, {}, [&](const Compared& item) {
    return (item.measured[0] - item.number(key)) * (upper ? 1 : -1);
  });
  const double measured = worst.measured[0], bound = worst.number(key);
  const bool holds = (upper ? measured <= bound : measured >= bound) || equal(measured, bound);
  return {.measured = measured,
          .rule = fmt::format("{}which must be at {} {:g}", worst_of(all.size(), place(worst), measured),
                              upper ? "most" : "least", bound),
          .verdict = holds ? Verdict::holds : Verdict::fails};
}

/// Shows the mean and the range of all entries.
Finding Part::between(const std::string& key) {
  std::vector<double> ends;
  for (const std::string& text : entry_.texts(key)) {
    const auto number = parse_number<double>(text);
    if (number && std::isfinite(*number)) ends.push_back(*number);
  }
  if (ends.size() != 2 || !(ends[0] <= ends[1]))
    entry_.refuse(key, "expected two numbers, the smaller one first");
  const std::vector<Compared> all = compared({});
  if (all.empty()) return undecided(nothing_left);
  const auto outside = [&](const Compared& item) {
    return std::max(ends[0] - item.measured[0], item.measured[0] - ends[1]);
  };
  const Compared& worst = *std::ranges::max_element(all, {}, outside);
  const auto found = mapped(all, [](const Compared& item) { return item.measured[0]; });
  std::string rule = fmt::format("{}which must lie from {:g} to {:g}",
                                 worst_of(all.size(), place(worst), worst.measured[0]), ends[0], ends[1]);
  if (all.size() > 1) rule += fmt::format("; all lie from {:.6g} to {:.6g}", least(found), greatest(found));
  const double low = least(found), high = greatest(found);
  const bool one = equal(low, high);
  return {
      .measured = one ? found[0] : mean_interval(found).mean,
      .low = one ? std::nullopt : std::optional(low),
      .high = one ? std::nullopt : std::optional(high),
      .rule = std::move(rule),
      .verdict = outside(worst) <= 0 || equal(worst.measured[0], ends[0]) || equal(worst.measured[0], ends[1])
                     ? Verdict::holds
                     : Verdict::fails};
}

std::pair<Finding, double> Part::of_seeds(const Compared& item, const std::string& key) {
  Finding finding = seed_mean(item.measured);
  double &low = *finding.low, &high = *finding.high;
  if (!std::isfinite(high - low)) return {undecided("the interval is not finite"), 0};
  if (key.starts_with("interval")) {
    const bool above = key == "interval_above";
    const std::vector<double>& other = item.beside.at(key);
    Finding bound = seed_mean(other);
    std::string shown = fmt::format("the interval [{:.4g}, {:.4g}]", *bound.low, *bound.high);
    if (least(other) == greatest(other)) {
      bound.low = bound.high = other[0];
      shown = fmt::format("{:g}", other[0]);
    }
    const double distance = above ? low - *bound.high : *bound.low - high;
    finding.rule += fmt::format(" {:.4g} in [{:.4g}, {:.4g}], which must lie {} {}", finding.measured, low,
                                high, above ? "above" : "below", shown);
    finding.verdict = distance > 0 ? Verdict::holds : Verdict::fails;
    return {finding, distance};
  }
  if (key == "mean_equals") {
    // Sharp if the interval contains the number; holds if within the tolerance. A wider interval would always pass.
    const double sharp = item.number(key), tolerance = item.number("plus_minus", 0),
                 widest = item.number("widest", INFINITY);
    finding.sharp = sharp;
    finding.wide = is_wide(tolerance + (high - low) / 2, sharp);
    finding.rule += fmt::format(" {:.4g} in [{:.4g}, {:.4g}], which must meet {:.4g} ± {:g}",
                                finding.measured, low, high, sharp, tolerance);
    if (std::isfinite(widest)) finding.rule += fmt::format(" and be at most {:g} wide", widest);
    const auto meets = [&](double within) { return low <= sharp + within && high >= sharp - within; };
    const double rounding = 1e-12 * std::abs(sharp);  // where all seeds give the same number
    finding.verdict = !meets(tolerance + rounding) ? Verdict::fails
                      : !(high - low <= widest)    ? Verdict::inconclusive
                      : meets(rounding)            ? Verdict::sharp
                                                   : Verdict::holds;
  }
  if (entry_.text("geometric") == "true")
    for (double* value : {&finding.measured, &low, &high}) *value = std::exp(*value);
  const bool beyond = (entry_.has("claimed_below") && low > single("claimed_below", 0)) ||
                      (entry_.has("claimed_above") && high < single("claimed_above", 0));
  if (beyond && finding.verdict == Verdict::evidence) finding.verdict = Verdict::against;
  if (item.measured.size() == 1) finding.low = finding.high = {};
  return {finding, 0};
}

/// Judges the mean over seeds of every entry, and shows the worst; evidence may be without seeds.
Finding Part::of_seeds(const std::string& key) {
  std::vector<std::string> keys;
  if (key != "evidence") keys = {key, "plus_minus", "widest"};
  const bool seeds = !keys.empty() || std::ranges::any_of(cases_, [](const Case& in) {
    return !in.evaluate.frame().seed_axes().empty();
  });
  for (const Case& in : cases_) {
    const Frame& frame = in.evaluate.frame();
    const Dimensions axes = frame.seed_axes();
    if (std::ranges::count_if(axes, [&](std::size_t axis) { return frame.points[axis] > 1; }) > 1 ||
        std::ranges::any_of(axes, [&](std::size_t axis) { return shares_seeds(frame, axis); }))
      return undecided("runs of crossed seeds are not independent, so they have no interval");
  }
  const std::vector<Compared> all = compared(keys, seeds);
  std::vector<std::pair<Finding, double>> findings;
  for (const Compared& item : all) {
    if (seeds && item.measured.size() < 2) return undecided("an interval over seeds needs at least two");
    findings.push_back(of_seeds(item, key));
  }
  if (findings.empty()) return undecided(nothing_left);
  if (few_points()) return undecided(few_points_rule);
  const auto worst = std::ranges::max_element(
      findings, {}, [](const auto& found) { return std::pair(found.first.verdict, -found.second); });
  Finding finding = worst->first;
  if (all.size() > 1)
    finding.rule += fmt::format("; the worst of {}{}", all.size(),
                                place(all[static_cast<std::size_t>(worst - findings.begin())]));
  return finding;
}

}  // namespace rarefact::claims
