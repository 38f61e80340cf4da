#include "verify/claim_finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "core/relative_difference.hpp"
#include "core/transform.hpp"
#include "verify/judge.hpp"

namespace rarefact::claims {

namespace {

Finding undecided(std::string rule) {
  return {.measured = NAN, .rule = std::move(rule)};
}

/// For each entry of a shape, in which seeds have length 1, the numbers of all seeds.
std::vector<std::vector<double>> by_seed(const Array& array, const Shape& shape, std::size_t seed) {
  Shape with_seeds = shape;
  with_seeds[seed] = array.shape[seed];
  const Array all = expanded(array, with_seeds);
  const std::vector<std::size_t> places = places_in(shape, with_seeds);
  std::vector<std::vector<double>> numbers(count_of(shape));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.there[i]) numbers[places[i]].push_back(all.numbers[i]);
  }
  return numbers;
}

}  // namespace

bool Part::few_points() const {
  return std::ranges::any_of(cases_, [](const Case& in) { return in.evaluate.few_points(); });
}

Array Part::value(Case& in, const std::string& key, std::string text) {
  for (const auto& [name, chosen] : in.texts) boost::replace_all(text, "{" + name + "}", chosen);
  return entry_.at(key, [&] {
    Array found = in.evaluate.number(parsed_condition(text));
    if (key == "measured") fits_.insert(fits_.end(), in.evaluate.fits().begin(), in.evaluate.fits().end());
    return found;
  });
}

Array Part::beside(const Array& measured, Case& in, const std::string& key) {
  Array other = value(in, key);
  std::vector<bool> more(measured.shape.size(), false);
  for (std::size_t d = 0; d < more.size(); ++d) more[d] = measured.shape[d] == 1 && other.shape[d] > 1;
  const bool tolerance = key == "within" || key == "plus_minus" || key == "widest";
  other = entry_.at(key, [&] {
    return reduced(other, more, [&](const std::vector<double>& all) -> std::optional<double> {
      const double low = least(all), high = greatest(all);
      if (!tolerance && high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))
        throw bad_input("it is {:g} to {:g} where what is measured is one number", low, high);
      return high;
    });
  });
  if (tolerance && key != "widest") {
    for (const double value : entries(other))
      tolerance_ = std::isfinite(value) ? std::max(tolerance_, value) : tolerance_;
  }
  return expanded(other, measured.shape);
}

std::vector<Part::Number> Part::numbers(const std::string& other, const std::string& tolerance) {
  std::vector<Number> all;
  fits_.clear();
  for (Case& in : cases_) {
    const Array measured = value(in, "measured");
    const Array against = other.empty() ? measured : beside(measured, in, other);
    const Array allowed = tolerance.empty() ? measured : beside(measured, in, tolerance);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (!measured.there[i] || in.evaluate.data().rehearsal()) continue;
      if (!against.there[i]) entry_.refuse(other, "it is absent where there is something measured");
      all.push_back({measured.numbers[i], against.numbers[i], allowed.there[i] ? allowed.numbers[i] : NAN});
    }
  }
  return all;
}

double Part::single(const std::string& key, double otherwise) {
  if (!entry_.has(key)) return otherwise;
  const std::vector<double> all = entries(value(cases_.front(), key));
  if (all.empty()) return NAN;
  if (least(all) < greatest(all)) entry_.refuse(key, "it is several numbers, and one belongs here");
  return greatest(all);
}

Finding Part::equal() {
  const bool relative = entry_.has("within");
  if (!relative && !entry_.has("plus_minus"))
    entry_.refuse("equals", "within or plus_minus is missing beside it");
  const std::vector<Number> all = numbers("equals", relative ? "within" : "plus_minus");
  if (all.empty()) return undecided(nothing_left);
  const auto difference = [&](const Number& number) {
    const double apart = std::abs(number.measured - number.other);
    if (number.measured == number.other) return 0.0;
    if (std::isnan(apart)) return apart;
    return relative && number.other != 0 ? relative_difference(number.measured, number.other) : apart;
  };
  const double largest = greatest(mapped(all, difference)), most = greatest(mapped(all, &Number::tolerance));
  const bool holds =
      std::ranges::all_of(all, [&](const Number& number) { return difference(number) <= number.tolerance; });
  const bool sharp = !entry_.has("sharp") || condition("sharp");
  Finding finding{.measured = largest, .sharp = 0.0};
  finding.verdict = !holds ? Verdict::fails : sharp ? Verdict::sharp : Verdict::holds;
  if (all.size() > 1) {
    finding.rule = fmt::format("largest {} difference of {} numbers at most {:g}",
                               relative ? "relative" : "absolute", all.size(), most);
    finding.agrees_to = most;
    return finding;
  }
  finding.measured = all[0].measured;
  finding.sharp = all[0].other;
  finding.rule = fmt::format("{} difference {:.2g}, allowed {:g}",
                             relative && all[0].other != 0 ? "relative" : "absolute", largest, most);
  if (all[0].other == 0 && most > 0) finding.agrees_to = most;
  if (fits_.size() == 1) {
    finding.low = fits_[0].slope_low;
    finding.high = fits_[0].slope_high;
    finding.rule += fmt::format("; {} points, local slopes {:.4f} (first) to {:.4f} (last)",
                                fits_[0].local_slopes.size() + 1, fits_[0].local_slopes.front(),
                                fits_[0].local_slopes.back());
  }
  return finding;
}

Finding Part::compared(const std::string& key) {
  const std::vector<Number> all = numbers(key, "");
  if (all.empty()) return undecided(nothing_left);
  // NaN, and the number furthest on the wrong side, count as the worst.
  const Number worst = *std::ranges::max_element(all, {}, [&](const Number& number) {
    const double excess = (number.measured - number.other) * (key == "at_most" ? 1 : -1);
    return std::isnan(excess) ? static_cast<double>(INFINITY) : excess;
  });
  return judge::compared(worst.measured, worst.other, key == "at_most");
}

Finding Part::between() {
  std::vector<double> ends;
  for (const std::string& text : entry_.texts("between")) {
    if (const auto number = parse_number<double>(text)) ends.push_back(*number);
  }
  if (ends.size() != 2) entry_.refuse("between", "expected two numbers");
  const std::vector<double> found = mapped(numbers("", ""), &Number::measured);
  if (found.empty()) return undecided(nothing_left);
  Finding finding = judge::seed_mean(found);
  finding.low = least(found);
  finding.high = greatest(found);
  finding.rule = fmt::format("{} numbers from {:.3g} to {:.3g}, within {:g} and {:g}", found.size(),
                             *finding.low, *finding.high, ends[0], ends[1]);
  finding.verdict = *finding.low > ends[0] && *finding.high < ends[1] ? Verdict::holds : Verdict::fails;
  return finding;
}

Finding Part::bounded() {
  Points points;
  for (const Number& number : numbers("bounded", "")) {
    if (!(number.other > 0 && std::isfinite(number.other)))
      return {.measured = NAN, .rule = fmt::format("x is {:g}", number.other), .verdict = Verdict::fails};
    auto [at, made] = points.emplace(number.other, number.measured);
    if (!made) at->second = greatest({at->second, number.measured});
  }
  std::optional<double> sharp;
  double tolerance = 0.01;
  for (const char* key : {"ends_at", "within"}) {
    if (!entry_.has("ends_at")) break;
    for (const Number& number : numbers(key, "bounded")) {
      if (number.tolerance == points.rbegin()->first)
        (key[0] == 'e' ? sharp.emplace() : tolerance) = number.other;
    }
  }
  const double growth = single("growth", 0.01);
  if (points.size() < 3)
    return undecided(fmt::format("a bound needs at least three points, and has {}", points.size()));
  return judge::bounded(points, growth, sharp, tolerance);
}

Finding Part::seeds_of(const std::vector<double>& x, const std::vector<double>& other, double tolerance,
                       double widest, const std::string& key) {
  Finding finding = judge::seed_mean(x);
  if (!std::ranges::all_of(x, [](double number) { return std::isfinite(number); }))
    return {.measured = finding.measured, .rule = "a number of a seed is none", .verdict = Verdict::fails};
  if (key.starts_with("interval")) {
    const bool number = least(other) == greatest(other);
    return judge::apart(finding, number ? judge::exactly(other[0]) : judge::seed_mean(other),
                        key == "interval_above");
  }
  if (key == "mean_equals") finding = judge::seed_mean_equals(x, other[0], tolerance, widest);
  if (entry_.yes("geometric")) {
    for (double* value : {&finding.measured, &*finding.low, &*finding.high}) *value = std::exp(*value);
  }
  const bool beyond = (entry_.has("claimed_below") && finding.low > single("claimed_below", 0)) ||
                      (entry_.has("claimed_above") && finding.high < single("claimed_above", 0));
  if (beyond && finding.verdict == Verdict::evidence) finding.verdict = Verdict::against;
  return finding;
}

Finding Part::of_seeds(const std::string& key) {
  std::vector<Finding> findings;
  for (Case& in : cases_) {
    const std::optional<std::size_t> seed = in.evaluate.data().axis_of("seed");
    if (!seed) entry_.refuse("measured", "the sweep has no seeds");
    const Array measured = value(in, "measured");
    Shape shape = measured.shape;
    shape[*seed] = 1;
    const Array mean = of_shape(shape);
    const auto other = [&](const std::string& name, double otherwise) {
      return entry_.has(name) ? beside(mean, in, name) : expanded(constant(shape.size(), otherwise), shape);
    };
    const Array tolerance = other("plus_minus", 0), widest = other("widest", INFINITY),
                bound =
                    key.starts_with("interval") ? value(in, key) : other(key == "mean_equals" ? key : "", 0);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d != *seed && bound.shape[d] > shape[d])
        entry_.refuse(key, "it differs along a dimension that what is measured has not");
    }
    const auto all = by_seed(measured, shape, *seed), limits = by_seed(bound, shape, *seed);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].empty() || in.evaluate.data().rehearsal()) continue;
      if (all[i].size() < 2) return undecided("an interval over seeds needs at least two");
      if (limits[i].empty()) entry_.refuse(key, "it is absent where there is something measured");
      findings.push_back(seeds_of(all[i], limits[i], tolerance.numbers[i], widest.numbers[i], key));
    }
  }
  if (findings.empty()) return undecided(nothing_left);
  if (few_points()) return undecided(few_points_rule);
  // Of bounds a distance is measured, and the least is the worst.
  Finding worst = *std::ranges::max_element(findings, {}, [&](const Finding& finding) {
    return std::pair(finding.verdict, key.starts_with("interval") ? -finding.measured : 0.0);
  });
  if (findings.size() > 1) worst.rule += fmt::format("; the worst of {}", findings.size());
  return worst;
}

Finding Part::finding() {
  std::vector<Finding> all;
  for (const std::string& key : relations()) {
    if (!entry_.has(key)) continue;
    all.push_back(key == "equals"          ? equal()
                  : key.starts_with("at_") ? compared(key)
                  : key == "between"       ? between()
                  : key == "bounded"       ? bounded()
                                           : of_seeds(key));
  }
  if (entry_.yes("evidence") && all.empty()) all.push_back(of_seeds("evidence"));
  if (all.empty()) entry_.refuse("id", "nothing is claimed of what is measured");
  Finding finding = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    finding.verdict = std::max(finding.verdict, all[i].verdict);
    finding.rule += "; " + all[i].rule;
  }
  if (finding.verdict == Verdict::holds && std::ranges::count(all, Verdict::sharp, &Finding::verdict) > 0)
    finding.verdict = Verdict::sharp;
  if (entry_.yes("evidence")) finding.verdict = std::max(finding.verdict, Verdict::evidence);
  if (few_points() && finding.verdict < Verdict::inconclusive) {
    finding.verdict = Verdict::inconclusive;
    finding.rule += fmt::format("; {}", few_points_rule);
  }
  return finding;
}

std::string Part::interpolated(const std::string& key) {
  std::string text = entry_.text(key);
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    std::string inside = text.substr(open + 1, close - open - 1), form = "{:g}";
    if (const std::size_t colon = inside.find(':'); colon != std::string::npos) {
      form = "{" + inside.substr(colon) + "}";
      inside.resize(colon);
    }
    const auto chosen = cases_.front().texts.find(inside);
    std::string shown = chosen == cases_.front().texts.end() ? "" : chosen->second;
    for (std::size_t c = 0; c < cases_.size() && shown.empty(); ++c) {
      const Array found = entry_.at(key, [&] { return cases_[c].evaluate(parsed_condition(inside)); });
      const auto there = std::ranges::find(found.there, 1);
      if (there == found.there.end()) continue;
      const double number = found.numbers[static_cast<std::size_t>(there - found.there.begin())];
      try {
        shown = found.is_text ? text_of(number) : fmt::format(fmt::runtime(form), number);
      } catch (const fmt::format_error&) {
        entry_.refuse(key, fmt::format("\"{}\" is no format of a number", form));
      }
    }
    text.replace(open, close + 1 - open, shown);
    open += shown.size();
  }
  return text;
}

bool Part::condition(const std::string& key) {
  if (!entry_.has(key) || entry_.text(key) == "false") return false;
  if (entry_.yes(key)) return true;
  const std::vector<double> holds = entries(value(cases_.front(), key));
  return !holds.empty() && std::ranges::all_of(holds, [](double value) { return value == 1; });
}

Points Part::curve(const std::string& text) {
  Points points;
  for (Case& in : cases_) {
    const Array x = value(in, "x"), y = value(in, "y", text);
    const Shape shape = joint_shape({&x, &y});
    const Array from = expanded(x, shape), to = expanded(y, shape);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from.there[i] && to.there[i] && !std::isnan(from.numbers[i]))
        points[from.numbers[i]] = to.numbers[i];
    }
  }
  return points;
}

}  // namespace rarefact::claims
