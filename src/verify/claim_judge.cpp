#include "verify/claim_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <set>

#include "core/relative_difference.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "verify/judge.hpp"

namespace rarefact::claims {

namespace {

using Texts = std::map<std::string, std::string>;  ///< of {x}

constexpr const char* nothing_left = "nothing is left to compare";
constexpr const char* few_points_rule = "an exponent needs at least three points";

/// One number of what is measured, and the numbers beside it.
struct Number {
  double measured = 0, other = 0, tolerance = 0;
};

/// The findings of one entry for one value of what it is `per`.
class Part {
 public:
  Part(const Entry& entry, std::vector<Evaluator> evaluators, std::vector<Texts> choices)
      : entry_(entry), evaluators_(std::move(evaluators)), choices_(std::move(choices)) {}

  Finding finding();
  /// The largest tolerance of what has been compared.
  double tolerance() const { return tolerance_; }
  bool few_points() const { return std::ranges::any_of(evaluators_, &Evaluator::few_points); }
  /// A text whose expressions in braces are evaluated.
  std::string interpolated(const std::string& key);
  /// A key that is true, false or a condition.
  bool condition(const std::string& key);

 private:
  Array value(const Evaluator& evaluator, const std::string& key, const Texts& texts);
  /// Another value at the entries of what is measured. A tolerance may be larger elsewhere along dimensions that the
  /// measured has not; all else must be the same there.
  Array beside(const Array& measured, Evaluator& evaluator, const std::string& key, const Texts& texts);
  /// What is measured, and at each the number of `other` and the tolerance, where there are any.
  std::vector<Number> numbers(const std::string& other, const std::string& tolerance);
  double single(const std::string& key, double otherwise);
  Finding equal();
  Finding compared(const std::string& key);
  Finding between();
  Finding bounded();
  /// The mean over seeds of each entry, and its relation: mean_equals, interval_above, interval_below or, alone, evidence.
  Finding of_seeds(const std::string& key);
  Finding none(const std::string& rule) { return {.measured = NAN, .rule = rule}; }

  const Entry& entry_;
  std::vector<Evaluator> evaluators_;
  std::vector<Texts> choices_;
  std::vector<LineFit> fits_ = {};
  double tolerance_ = 0;
};

double number_of_text(const Entry& entry, const std::string& key, const std::string& text) {
  const std::optional<double> number = parse_number<double>(text);
  if (!number) entry.refuse(key, fmt::format("\"{}\" is no number", text));
  return *number;
}

Evaluator given(Evaluator evaluator, const Entry& entry, const Texts& texts) {
  for (const auto& [name, numbers] : entry.choices("grid"))
    evaluator.give(name, number_of_text(entry, "grid", texts.at(name)));
  return evaluator;
}

Array Part::value(const Evaluator& evaluator, const std::string& key, const Texts& texts) {
  std::string text = entry_.text(key);
  for (const auto& [name, chosen] : texts) boost::replace_all(text, "{" + name + "}", chosen);
  Evaluator evaluate = given(evaluator, entry_, texts);
  return entry_.at(key, [&] {
    Array found = evaluate(parsed_condition(text));
    if (found.is_text()) throw bad_input("\"{}\" is a text, and a number belongs here", text);
    if (key == "measured") fits_.insert(fits_.end(), evaluate.fits().begin(), evaluate.fits().end());
    return found;
  });
}

Array Part::beside(const Array& measured, Evaluator& evaluator, const std::string& key, const Texts& texts) {
  Array other = value(evaluator, key, texts);
  std::vector<bool> more(measured.shape.size(), false);
  bool any = false;
  for (std::size_t d = 0; d < more.size(); ++d) {
    more[d] = measured.shape[d] == 1 && other.shape[d] > 1;
    any = any || more[d];
  }
  const bool tolerance = key == "within" || key == "plus_minus" || key == "widest";
  if (any) {
    other = entry_.at(key, [&] {
      return reduced(other, more, [&](const std::vector<double>& all) -> std::optional<double> {
        const double low = least(all), high = greatest(all);
        if (!tolerance && high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))
          throw bad_input("it is {:g} to {:g} where what is measured is one number", low, high);
        return high;
      });
    });
  }
  if (tolerance) {
    for (const double value : entries(other)) {
      if (std::isfinite(value) && key != "widest") tolerance_ = std::max(tolerance_, value);
    }
  }
  return expanded(other, measured.shape);
}

std::vector<Number> Part::numbers(const std::string& other, const std::string& tolerance) {
  std::vector<Number> all;
  fits_.clear();
  for (Evaluator& evaluator : evaluators_) {
    for (const Texts& texts : choices_) {
      const Array measured = value(evaluator, "measured", texts);
      const Array against = other.empty() ? measured : beside(measured, evaluator, other, texts);
      const Array allowed = tolerance.empty() ? measured : beside(measured, evaluator, tolerance, texts);
      for (std::size_t i = 0; i < measured.size(); ++i) {
        if (!measured.there[i]) continue;
        if (!against.there[i]) entry_.refuse(other, "it is absent where there is something measured");
        all.push_back({measured.numbers[i], against.numbers[i], allowed.there[i] ? allowed.numbers[i] : NAN});
      }
    }
  }
  return all;
}

double Part::single(const std::string& key, double otherwise) {
  if (!entry_.has(key)) return otherwise;
  const std::vector<double> all = entries(value(evaluators_.front(), key, choices_.front()));
  if (all.empty()) return NAN;
  if (least(all) < greatest(all)) entry_.refuse(key, "it is several numbers, and one belongs here");
  return greatest(all);
}

Finding Part::equal() {
  const bool relative = entry_.has("within");
  if (!relative && !entry_.has("plus_minus"))
    entry_.refuse("equals", "within or plus_minus is missing beside it");
  const std::vector<Number> all = numbers("equals", relative ? "within" : "plus_minus");
  if (all.empty()) return none(nothing_left);
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
  if (all.empty()) return none(nothing_left);
  const bool most = key == "at_most";
  // NaN, and the number furthest on the wrong side, count as the worst.
  const auto excess = [&](const Number& number) {
    const double x = most ? number.measured - number.other : number.other - number.measured;
    return std::isnan(x) ? static_cast<double>(INFINITY) : x;
  };
  const Number worst = *std::ranges::max_element(all, {}, excess);
  Finding finding = most ? judge::at_most("", worst.measured, worst.other)
                         : judge::at_least("", worst.measured, worst.other);
  finding.published.clear();
  return finding;
}

Finding Part::between() {
  const std::vector<std::string> ends = entry_.texts("between");
  if (ends.size() != 2) entry_.refuse("between", "expected two numbers");
  const double low = number_of_text(entry_, "between", ends[0]),
               high = number_of_text(entry_, "between", ends[1]);
  const std::vector<double> found = mapped(numbers("", ""), &Number::measured);
  if (found.empty()) return none(nothing_left);
  Finding finding = judge::seed_mean("", found);
  finding.low = least(found);
  finding.high = greatest(found);
  finding.rule = fmt::format("{} numbers from {:.3g} to {:.3g}, within {:g} and {:g}", found.size(),
                             *finding.low, *finding.high, low, high);
  finding.verdict = *finding.low > low && *finding.high < high ? Verdict::holds : Verdict::fails;
  return finding;
}

Finding Part::bounded() {
  const std::vector<Number> all = numbers("bounded", "");
  Points points;
  for (const Number& number : all) {
    if (!(number.other > 0 && std::isfinite(number.other)))
      return {.measured = NAN, .rule = fmt::format("x is {:g}", number.other), .verdict = Verdict::fails};
    auto [at, made] = points.emplace(number.other, number.measured);
    if (!made) at->second = greatest({at->second, number.measured});
  }
  if (points.size() < 3)
    return none(fmt::format("a bound needs at least three points, and has {}", points.size()));
  std::optional<double> sharp;
  double tolerance = 0.01;
  if (entry_.has("ends_at")) {
    for (const char* key : {"ends_at", "within"}) {
      const std::vector<Number> ends = numbers(key, "bounded");
      for (const Number& number : ends) {
        if (number.tolerance == points.rbegin()->first)
          (key[0] == 'e' ? sharp.emplace() : tolerance) = number.other;
      }
    }
  }
  return judge::bounded("", points, single("growth", 0.01), sharp, tolerance);
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

Finding Part::of_seeds(const std::string& key) {
  const bool equals = key == "mean_equals", bounds = key.starts_with("interval"),
             above = key == "interval_above";
  const auto interval = [](const std::vector<double>& x) { return judge::seed_mean("", x); };
  std::vector<Finding> findings;
  for (Evaluator& evaluator : evaluators_) {
    const std::optional<std::size_t> seed = evaluator.data().axis_of("seed");
    if (!seed) entry_.refuse("measured", "the sweep has no seeds");
    for (const Texts& texts : choices_) {
      const Array measured = value(evaluator, "measured", texts);
      Array mean = constant(measured.shape.size(), 0);
      mean.shape = measured.shape;
      mean.shape[*seed] = 1;
      const auto all = by_seed(measured, mean.shape, *seed);
      const auto other = [&](const std::string& name, double otherwise) {
        return entry_.has(name) ? beside(mean, evaluator, name, texts)
                                : expanded(constant(mean.shape.size(), otherwise), mean.shape);
      };
      const Array exact = other(equals ? key : "", 0), tolerance = other("plus_minus", 0),
                  widest = other("widest", INFINITY);
      const Array bound = bounds ? value(evaluator, key, texts) : exact;
      for (std::size_t d = 0; d < bound.shape.size(); ++d) {
        if (d != *seed && bound.shape[d] > mean.shape[d])
          entry_.refuse(key, "it differs along a dimension that what is measured has not");
      }
      const auto limits = by_seed(bound, mean.shape, *seed);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<double>& x = all[i];
        if (x.empty()) continue;
        if (x.size() < 2) return none("an interval over seeds needs at least two");
        if (limits[i].empty()) entry_.refuse(key, "it is absent where there is something measured");
        Finding& finding = findings.emplace_back(interval(x));
        if (!std::ranges::all_of(x, [](double number) { return std::isfinite(number); })) {
          finding = {
              .measured = finding.measured, .rule = "a number of a seed is none", .verdict = Verdict::fails};
          continue;
        }
        if (equals) {
          finding = judge::seed_mean_equals("", x, exact.numbers[i], tolerance.numbers[i], widest.numbers[i]);
        } else if (bounds && least(limits[i]) == greatest(limits[i])) {
          finding = above ? judge::interval_above("", finding, limits[i][0])
                          : judge::interval_below("", finding, limits[i][0]);
        } else if (bounds) {
          finding = above ? judge::intervals_apart("", finding, interval(limits[i]))
                          : judge::intervals_apart("", interval(limits[i]), finding);
        }
        if (bounds) continue;
        if (entry_.yes("geometric")) {
          for (double* value : {&finding.measured, &*finding.low, &*finding.high}) *value = std::exp(*value);
        }
        const bool beyond = (entry_.has("claimed_below") && finding.low > single("claimed_below", 0)) ||
                            (entry_.has("claimed_above") && finding.high < single("claimed_above", 0));
        if (beyond && finding.verdict == Verdict::evidence) finding.verdict = Verdict::against;
      }
    }
  }
  if (findings.empty()) return none(nothing_left);
  if (few_points()) return none(few_points_rule);
  // Of bounds a distance is measured, and the least is the worst.
  Finding worst = *std::ranges::max_element(findings, {}, [&](const Finding& finding) {
    return std::pair(finding.verdict, bounds ? -finding.measured : 0.0);
  });
  if (findings.size() > 1) worst.rule += fmt::format("; the worst of {}", findings.size());
  return worst;
}

Finding Part::finding() {
  std::vector<Finding> all;
  if (entry_.has("equals")) all.push_back(equal());
  for (const char* key : {"at_most", "at_least"}) {
    if (entry_.has(key)) all.push_back(compared(key));
  }
  if (entry_.has("between")) all.push_back(between());
  if (entry_.has("bounded")) all.push_back(bounded());
  for (const char* key : {"mean_equals", "interval_above", "interval_below"}) {
    if (entry_.has(key)) all.push_back(of_seeds(key));
  }
  if (entry_.yes("evidence") && all.empty()) all.push_back(of_seeds("evidence"));
  if (all.empty()) entry_.refuse("id", "nothing is claimed of what is measured");
  Finding finding = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    finding.verdict = std::max(finding.verdict, all[i].verdict);
    finding.rule += "; " + all[i].rule;
  }
  const bool sharp =
      std::ranges::any_of(all, [](const Finding& part) { return part.verdict == Verdict::sharp; });
  if (finding.verdict == Verdict::holds && sharp) finding.verdict = Verdict::sharp;
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
    const auto chosen = choices_.front().find(inside);
    std::string shown = chosen == choices_.front().end() ? "" : chosen->second;
    if (shown.empty()) {
      for (Evaluator& evaluator : evaluators_) {
        const Array found = entry_.at(key, [&] { return evaluator(parsed_condition(inside)); });
        const auto there = std::ranges::find(found.there, 1);
        if (there == found.there.end()) continue;
        const auto i = static_cast<std::size_t>(there - found.there.begin());
        try {
          shown = found.is_text() ? found.texts[i] : fmt::format(fmt::runtime(form), found.numbers[i]);
        } catch (const fmt::format_error&) {
          entry_.refuse(key, fmt::format("\"{}\" is no format of a number", form));
        }
        break;
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
  const std::vector<double> holds = entries(value(evaluators_.front(), key, choices_.front()));
  return !holds.empty() && std::ranges::all_of(holds, [](double value) { return value == 1; });
}

/// A value of what a finding is `per`: what is added to the words, and the entries that have it, by experiment.
struct Group {
  std::string words;
  std::vector<Array> where;
  std::vector<Texts> choices;
};

class Judge {
 public:
  Judge(const CheckRow& row, const Evidence& evidence, CheckReport& report)
      : claim_(*row.claim), row_(row), precise_(evidence.precise), full_(evidence.full), report_(report) {
    for (const EvidencePoints& points : evidence.experiments) data_.emplace_back(points.axes, points);
  }

  void operator()() {
    for (const ExperimentData& data : data_) {
      const std::vector<std::string> names = data.names();
      for (const auto& define : claim_.defines) {
        if (contains(names, define.first))
          claim_.table->refuse("define",
                               fmt::format("{} is a variable or a number of the problem", define.first));
      }
    }
    for (const Entry& entry : claim_.assumptions) {
      if (entry.has("holds")) assume(entry);
    }
    for (const Entry& entry : claim_.findings) {
      try {
        add(entry);
      } catch (const InputError& error) {
        // Outside of its assumptions there may be nothing to measure.
        if (report_.all_met()) throw;
        report_.add(
            entry.text("id"), "",
            {.quantity = entry.text("text"), .measured = NAN, .rule = error.problems().front().message});
      }
    }
    for (const Entry& entry : claim_.curves) {
      try {
        curve(entry);
      } catch (const InputError&) {
        if (report_.all_met()) throw;
      }
    }
  }

  FindingBasis finding(std::size_t number) {
    add(claim_.findings.at(number));
    for (const ExperimentData& data : data_) basis_.variables.insert(data.read().begin(), data.read().end());
    return basis_;
  }

 private:
  void add(const Entry& entry) {
    const std::vector<Group> all = groups(entry);
    for (const Group& group : all) {
      Part part(entry, evaluators(entry, group.where), group.choices);
      Finding finding = part.finding();
      basis_.tolerance = std::max(basis_.tolerance, part.tolerance());
      if (full_ && finding.rule == nothing_left) entry.refuse("where", nothing_left);
      if (full_ && part.few_points()) entry.refuse("measured", few_points_rule);
      finding.quantity = part.interpolated(entry.has("text") ? "text" : "id");
      if (entry.has("published")) finding.published = part.interpolated("published");
      // A published exponent that is the exact one is not said twice.
      if (finding.sharp && entry.has("plus_minus") &&
          finding.published == fmt::format("{:g}", *finding.sharp))
        finding.sharp = {};
      const bool headline = part.condition("headline");
      const std::string id = report_.add(entry.text("id"), group.words, std::move(finding), headline).id;
      if (std::ranges::count(report_.findings, id, &Finding::id) > 1)
        entry.refuse("id", fmt::format("another finding is \"{}\"", id));
    }
    if (all.empty() && full_) entry.refuse("where", nothing_left);
    if (all.empty())
      report_.add(entry.text("id"), "",
                  {.quantity = entry.text("text"), .measured = NAN, .rule = nothing_left});
  }

  std::vector<std::size_t> experiments(const Entry& entry) const {
    std::vector<std::size_t> numbers;
    for (const std::string& file : entry.texts("of")) {
      numbers.push_back(experiment_number(row_, entry, file));
    }
    return numbers.empty() ? std::vector<std::size_t>{0} : numbers;
  }

  Evaluator base(const Entry& entry, std::size_t experiment) const {
    Evaluator evaluator(data_.at(experiment), claim_.defines, precise_);
    if (!entry.has("at")) return evaluator;
    const std::string at = entry.text("at");
    return entry.at(
        "at", [&] { return evaluator.at(evaluator.number(parsed_condition(at == "last" ? "steps" : at))); });
  }

  std::vector<Evaluator> evaluators(const Entry& entry, const std::vector<Array>& where) const {
    std::vector<Evaluator> all;
    const std::vector<std::size_t> numbers = experiments(entry);
    for (std::size_t i = 0; i < numbers.size(); ++i) all.push_back(base(entry, numbers[i]).where(where[i]));
    return all;
  }

  std::vector<Group> groups(const Entry& entry) const {
    const std::vector<std::size_t> numbers = experiments(entry);
    Group all{.words = {}, .where = {}, .choices = {{}}};
    for (const std::size_t number : numbers) {
      Evaluator evaluator = base(entry, number);
      all.where.push_back(
          entry.has("where")
              ? entry.at("where", [&] { return evaluator.number(parsed_condition(entry.text("where"))); })
              : constant(data_[number].dimensions(), 1));
    }
    std::vector<Group> groups = {all};
    const auto labels = entry.labelled("per");
    const auto each = entry.choices("each"), grid = entry.choices("grid");
    std::set<std::string> chosen;
    // Those that are told apart stand in the order of `per`.
    const auto divide = [&](const std::string& apart) {
      for (const auto* names : {&each, &grid}) {
        for (const auto& [name, texts] : *names) {
          const bool labelled =
              std::ranges::any_of(labels, [&n = name](const auto& item) { return item.second == n; });
          if (apart.empty() ? labelled : apart != name) continue;
          chosen.insert(name);
          groups = divided(groups, name, texts, labels, names == &grid);
        }
      }
    };
    divide("");
    for (const auto& [label, text] : labels) {
      divide(text);
      if (chosen.contains(text)) continue;
      std::vector<Group> next;
      for (const Group& group : groups) {
        const std::vector<Group> parts = split(entry, group, label, text);
        next.insert(next.end(), parts.begin(), parts.end());
      }
      groups = std::move(next);
    }
    return groups;
  }

  /// With each of several texts in the place of a name: apart where `labels` have the name, else together.
  static std::vector<Group> divided(const std::vector<Group>& groups, const std::string& name,
                                    const std::vector<std::string>& texts,
                                    const std::vector<std::pair<std::string, std::string>>& labels,
                                    bool numbers) {
    const auto label = std::ranges::find(labels, name, &std::pair<std::string, std::string>::second);
    const bool apart = label != labels.end();
    std::vector<Group> next;
    for (const Group& group : groups) {
      Group pooled = group;
      pooled.choices.clear();
      for (const std::string& text : texts) {
        Group one = group;
        one.choices.clear();
        if (apart)
          one.words += (one.words.empty() ? "" : ", ") + (numbers ? labelled(label->first, text) : text);
        for (Texts choice : group.choices) {
          choice[name] = text;
          (apart ? one : pooled).choices.push_back(choice);
        }
        if (apart) next.push_back(one);
      }
      if (!apart) next.push_back(pooled);
    }
    return next;
  }

  /// "K = 30"; in the place of {} in a label that has it.
  static std::string labelled(const std::string& label, const std::string& number) {
    return label.find("{}") == std::string::npos ? label + " = " + number
                                                 : boost::replace_all_copy(label, "{}", number);
  }

  /// One group for each value of an expression.
  std::vector<Group> split(const Entry& entry, const Group& group, const std::string& label,
                           const std::string& text) const {
    const std::vector<std::size_t> numbers = experiments(entry);
    const Syntax tree = entry.at("per", [&] { return parsed_condition(text); });
    std::vector<Array> values;
    std::vector<double> found;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Evaluator evaluator = base(entry, numbers[i]);
      const Array seen = entry.at("per", [&] { return evaluator.where(group.where[i])(tree); });
      values.push_back(evaluator(tree));
      for (std::size_t k = 0; k < seen.size(); ++k) {
        if (!seen.there[k]) continue;
        if (seen.is_text()) {
          if (!contains(words, seen.texts[k])) words.push_back(seen.texts[k]);
        } else if (std::ranges::none_of(found, [&](double x) { return same(x, seen.numbers[k]); })) {
          found.push_back(seen.numbers[k]);
        }
      }
    }
    std::vector<Group> parts;
    const auto add = [&](const std::string& shown, const auto& is) {
      Group& part = parts.emplace_back(group);
      part.words += (part.words.empty() ? "" : ", ") + shown;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        Array has{.shape = values[i].shape, .there = values[i].there};
        for (std::size_t k = 0; k < values[i].size(); ++k) has.numbers.push_back(is(values[i], k) ? 1 : 0);
        part.where[i] = combined({&part.where[i], &has}, [](const double* x) {
          return std::isnan(x[0]) ? x[0] : x[0] != 0 && x[1] != 0 ? 1.0 : 0.0;
        });
      }
    };
    for (const std::string& word : words)
      add(word, [&](const Array& array, std::size_t k) { return array.texts[k] == word; });
    for (const double x : found)
      add(labelled(label, fmt::format("{:.4g}", x)),
          [&](const Array& array, std::size_t k) { return same(array.numbers[k], x); });
    return parts;
  }

  static bool same(double x, double y) {
    return x == y || std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y));
  }

  void assume(const Entry& entry) {
    bool met = true, any = false;
    std::string unmet = entry.text("holds");
    try {
      const Syntax holds = parsed_condition(unmet);
      for (const std::size_t number : experiments(entry)) {
        Evaluator evaluator = base(entry, number);
        for (const double value : entries(evaluator.number(holds))) {
          any = true;
          met = met && value != 0 && !std::isnan(value);
        }
      }
    } catch (const InputError& error) {  // such as of a key that another rule has not
      met = false;
      unmet = error.problems().front().message;
    }
    report_.assume(entry.text("text"), met && any, met && any ? "on all runs" : unmet);
  }

  void curve(const Entry& entry) {
    for (const Group& group : groups(entry)) {
      std::vector<Evaluator> all = evaluators(entry, group.where);
      std::vector<std::pair<std::string, Points>> series;
      for (const auto& [label, text] : entry.labelled("y")) {
        Points points;
        for (const Evaluator& plain : all) {
          for (const Texts& texts : group.choices) {
            Evaluator evaluator = given(plain, entry, texts);
            const Array x =
                entry.at("x", [&] { return evaluator.number(parsed_condition(entry.text("x"))); });
            const Array y =
                entry.at("y", [&, &text = text] { return evaluator.number(parsed_condition(text)); });
            const Shape shape = joint_shape({&x, &y});
            const Array from = expanded(x, shape), to = expanded(y, shape);
            for (std::size_t i = 0; i < from.size(); ++i) {
              if (from.there[i] && to.there[i] && !std::isnan(from.numbers[i]))
                points[from.numbers[i]] = to.numbers[i];
            }
          }
        }
        if (series.empty() || keys(points) == keys(series.front().second)) series.emplace_back(label, points);
      }
      const std::string title = entry.text("title") + (group.words.empty() ? "" : ", " + group.words);
      const std::string x_label = entry.has("x_label") ? entry.text("x_label") : entry.text("x");
      if (!series.empty()) report_.curve(title, x_label, series);
    }
  }

  const ClaimText& claim_;
  const CheckRow& row_;
  bool precise_, full_;
  CheckReport& report_;
  std::vector<ExperimentData> data_;
  FindingBasis basis_ = {};
};

}  // namespace

std::size_t experiment_number(const CheckRow& row, const Entry& entry, const std::string& file) {
  for (std::size_t i = 0; i < row.experiments.size(); ++i) {
    const std::string& known = row.experiments[i].file;
    if (known.substr(known.rfind('/') + 1) == file) return i;
  }
  entry.refuse("of",
               fmt::format("no experiment of this claim is {}; further names others of its folder", file));
}

void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report) {
  Judge(row, evidence, report)();
}

FindingBasis judge_finding(const CheckRow& row, const Evidence& evidence, std::size_t number,
                           CheckReport& report) {
  return Judge(row, evidence, report).finding(number);
}

}  // namespace rarefact::claims
