#include "verify/claim_finding.hpp"

#include <boost/algorithm/string/replace.hpp>

namespace rarefact::claims {

namespace {

constexpr std::size_t longest_text = 10000;

bool is_tolerance(const std::string& key) {
  return key == "within" || key == "plus_minus" || key == "widest";
}

/// Width and precision of at most two digits.
bool is_short_format(const std::string& form) {
  std::size_t digits = 0;
  for (const char c : form) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 2 || std::string_view("0123456789.+-<>^ #aAeEfFgG").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

/// True if a name or function is in the tree, or in a definition that it names.
bool reads(const Syntax& tree, const query::Definitions& defines, const std::string& name) {
  return query::any_part(tree, defines, [&](const Syntax& part) {
    return part.text == name && (part.kind == Syntax::Kind::name || part.kind == Syntax::Kind::call);
  });
}

}  // namespace

bool is_exponent(const Syntax& tree, const query::Definitions& defines) {
  const auto logarithmic = [&](const Syntax& part) { return reads(part, defines, "log"); };
  return query::any_part(tree, defines, [&](const Syntax& part) {
    if (part.kind == Syntax::Kind::call && part.text == "slope")
      return part.arguments.size() >= 2 && logarithmic(part.arguments[0]) && logarithmic(part.arguments[1]);
    return part.kind == Syntax::Kind::binary && part.text == "/" &&
           std::ranges::all_of(part.arguments, logarithmic);
  });
}

Part::Part(const Entry& entry, std::vector<Case> cases) : entry_(entry), cases_(std::move(cases)) {
  for (Case& in : cases_) in.evaluate = in.evaluate.where(in.where);
}

bool Part::few_points() const {
  return std::ranges::any_of(cases_, [](const Case& in) { return in.evaluate.fits().few_points; });
}

std::string Part::with_choices(const Case& in, const std::string& key, std::string text) const {
  for (const auto& [name, chosen] : in.texts) {
    boost::replace_all(text, "{" + name + "}", chosen);
    if (text.size() > longest_text)
      entry_.refuse(key, fmt::format("more than {} letters where texts replace {{{}}}", longest_text, name));
  }
  return text;
}

Array Part::value(Case& in, const std::string& key, const std::string& text) {
  return entry_.at(key, [&] { return in.evaluate.number(parsed_condition(with_choices(in, key, text))); });
}

double Part::Compared::number(const std::string& key, double without_key) const {
  const auto found = beside.find(key);
  return found == beside.end() ? without_key : found->second.front();
}

std::vector<std::vector<double>> Part::beside(const Shape& shape, const Dimensions& seeds, Case& in,
                                              const std::string& key) {
  Array other = value(in, key);
  Dimensions more;
  Shape full = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (seeds.contains(d)) full[d] = other.shape[d];
    if (full[d] == 1 && other.shape[d] > 1) more.insert(d);
  }
  const bool width = key == "widest", tolerance = is_tolerance(key);
  other = entry_.at(key, [&] {
    const auto highest = [&](const std::vector<double>& all) {
      const double low = least(all), high = greatest(all);
      if (!tolerance && high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))
        throw bad_input("it is {:g} to {:g} where what is measured is one number", low, high);
      return high;
    };
    return expanded(reduced(other, more, highest), full);
  });
  std::vector<std::vector<double>> all;
  for (const auto& places : lines_of(other, seeds).places) {
    all.push_back(numbers(other, places));
    if (tolerance && std::ranges::any_of(all.back(), [](double x) { return x < 0; }))
      entry_.refuse(key, "got a negative number");
    if (tolerance && !width && !places.empty() && std::isfinite(all.back()[0]))
      tolerance_ = std::max(tolerance_, all.back()[0]);
  }
  return all;
}

void Part::require_same_problem(const Frame& data, const Array& measured, const Dimensions& seeds,
                                const Lines& lines) const {
  for (const std::size_t axis : seeds) {
    for (const std::string& key : data.keys[axis]) {
      if (is_seed(key)) continue;
      const Array values = expanded(data.key(key), measured.shape);
      for (const auto& places : lines.places)
        for (const std::size_t place : places)
          if (values.entries[place] != values.entries[places.front()])
            entry_.refuse("measured",
                          fmt::format("the axis \"{}\" varies more than seeds, and an interval over seeds "
                                      "is of one problem",
                                      joined(data.keys[axis], ", ")));
    }
  }
}

std::vector<Part::Compared> Part::compared(const std::vector<std::string>& keys, bool seeds) {
  std::vector<Compared> all;
  std::size_t left_out = 0, points = 0, measured_points = 0;
  std::string such, lacking;
  fits_.clear();
  for (Case& in : cases_) {
    const Frame& data = in.evaluate.frame();
    Dimensions along;
    if (seeds) {
      along = data.seed_axes();
      if (along.empty()) entry_.refuse("measured", "the sweep has no seeds");
    }
    const Array measured = value(in, "measured");
    fits_.insert(fits_.end(), in.evaluate.fits().lines.begin(), in.evaluate.fits().lines.end());
    points += points_with(in, in.evaluate.leaf(data.number(1)));
    measured_points += points_with(in, measured);
    const Lines lines = lines_of(measured, along);
    require_same_problem(data, measured, along, lines);
    std::vector<Compared> own;
    const bool single = cases_.size() == 1 && lines.places.size() == 1;
    for (std::size_t i = 0; i < lines.places.size(); ++i) {
      own.push_back({.measured = numbers(measured, lines.places[i]),
                     .in = single ? nullptr : &in,
                     .entry = i,
                     .shape = lines.shape});
    }
    for (const std::string& key : keys) {
      if (!entry_.has(key)) continue;
      // The bounds of an interval may have a value per seed, too.
      const auto found = beside(lines.shape, key.starts_with("interval") ? along : Dimensions(), in, key);
      for (std::size_t i = 0; i < own.size(); ++i) own[i].beside[key] = found[i];
    }
    for (Compared& item : own) {
      if (item.measured.empty()) continue;
      std::vector<double> read = item.measured;
      for (const auto& [key, numbers] : item.beside) {
        if (numbers.empty()) entry_.refuse(key, "it is missing where something is measured");
        if (!require_finite(in, key, numbers)) read.insert(read.end(), numbers.begin(), numbers.end());
      }
      const auto none = std::ranges::find_if(read, [](double x) { return !std::isfinite(x); });
      if (none == read.end()) {
        all.push_back(std::move(item));
        continue;
      }
      if (++left_out == 1) such = fmt::format("{:g}{}", std::abs(*none), place(item));
    }
    if (const Evaluator::Fits& read = in.evaluate.fits(); lacking.empty() && !read.lacked.empty())
      lacking = ": " + absence(in, read.lacked, read.lacking);
  }
  if (left_out > 0)
    unevaluated_ = fmt::format("{} of {} numbers cannot be evaluated{}{}", left_out, left_out + all.size(),
                               !lacking.empty() ? ""
                               : left_out > 1   ? ", such as "
                                                : ": ",
                               lacking.empty() ? such : lacking);
  // A condition within what is measured may leave nothing of a point; `where` leaves out points openly.
  if (measured_points < points && !all.empty())
    unmeasured_ = fmt::format("{} of {} points have nothing measured", points - measured_points, points);
  return all;
}

bool Part::is_wide(double tolerance, double constant) {
  const Case& in = cases_.front();
  if (!exponent_)
    exponent_ = is_exponent(parsed_condition(with_choices(in, "measured", entry_.text("measured"))),
                            in.evaluate.definitions());
  const double most = constant == 0 || *exponent_ ? 0.02 : 0.05 * std::abs(constant);
  return tolerance > most * (1 + 1e-9);
}

std::size_t Part::points_with(const Case& in, const Array& array) {
  const Frame& frame = in.evaluate.frame();
  Shape shape = frame.points;
  shape.resize(frame.dimensions(), 1);
  const auto there = [](const std::vector<double>&) { return 1; };
  return numbers(expanded(reduced(array, {frame.optimizer(), frame.step(), frame.row()}, there), shape))
      .size();
}

std::string Part::beyond_records() const {
  for (const Case& in : cases_)
    if (in.lacking && !numbers(*in.lacking).empty())
      return "; " + absence(in, entry_.text("where"), *in.lacking);
  if (!entry_.has("at")) return "";
  std::set<const Frame*> seen;
  std::size_t recorded = 0, points = 0;
  for (const Case& in : cases_) {
    const Frame& frame = in.evaluate.frame();
    if (!seen.insert(&frame).second) continue;
    points += points_with(in, in.evaluate.leaf(frame.number(1)));
    recorded += points_with(in, in.evaluate.leaf(*frame.read("step")));
  }
  return recorded == points ? ""
                            : fmt::format("; {} of {} points {} a record at step {}", recorded, points,
                                          recorded == 1 ? "has" : "have", entry_.text("at"));
}

std::string Part::absence(const Case& in, const std::string& what, const Array& points) {
  const auto first = std::ranges::find_if(points.entries, [](const Number& one) { return one.has_value(); });
  const std::string where =
      data(in).place(points.shape, static_cast<std::size_t>(first - points.entries.begin()));
  return fmt::format("no record has {}{}{}", what, where.empty() ? "" : " at ", where);
}

std::string Part::place(const Compared& item) {
  if (!item.in) return "";
  std::string words = data(*item.in).place(item.shape, item.entry);
  for (const auto& [name, chosen] : item.in->texts)
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", name, chosen);
  return words.empty() ? words : " at " + words;
}

bool Part::require_finite(Case& in, const std::string& key, const std::vector<double>& numbers) {
  const auto none = std::ranges::find_if(numbers, [](double x) { return !std::isfinite(x); });
  if (none == numbers.end()) return true;
  std::set<std::string> names;
  if (!is_tolerance(key))
    names = entry_.at(key, [&] {
      return in.evaluate.names_read(parsed_condition(with_choices(in, key, entry_.text(key))));
    });
  if (std::ranges::any_of(
          names, [&](const std::string& name) { return data(in).is_variable(name) || is_prediction(name); }))
    return false;
  entry_.refuse(key, fmt::format("it is {:g}; expected a finite number", std::abs(*none)));
}

Finding Part::undecided(std::string rule) const {
  return {.measured = missing, .rule = unevaluated_.empty() ? std::move(rule) : ""};
}

double Part::single(const std::string& key, double otherwise) {
  if (!entry_.has(key)) return otherwise;
  const std::vector<double> all = numbers(value(cases_.front(), key));
  if (all.empty()) entry_.refuse(key, "it is missing; expected a finite number");
  if (least(all) < greatest(all)) entry_.refuse(key, "it is several numbers, and one belongs here");
  if (!std::isfinite(greatest(all)))
    entry_.refuse(key, fmt::format("it is {:g}; expected a finite number", std::abs(all[0])));
  return greatest(all);
}

std::string Part::interpolated(const std::string& key) {
  std::string text = entry_.text(key);
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    std::string inside = text.substr(open + 1, close - open - 1), form = "{:g}";
    if (const std::size_t colon = inside.find(':'); colon != std::string::npos) {
      form = "{" + inside.substr(colon) + "}";
      if (!is_short_format(inside.substr(colon + 1)))
        entry_.refuse(key, fmt::format("\"{}\" is not a format of a number", form));
      inside.resize(colon);
    }
    const auto chosen = cases_.front().texts.find(inside);
    std::string shown = chosen == cases_.front().texts.end() ? "" : chosen->second;
    for (Case& in : cases_) {
      if (!shown.empty()) break;
      const Array found = entry_.at(key, [&] { return in.evaluate(parsed_condition(inside)); });
      const std::vector<double> all = numbers(found);
      if (all.empty()) continue;
      try {
        shown = found.is_text ? text_of(all[0]) : fmt::format(fmt::runtime(form), all[0]);
      } catch (const fmt::format_error&) {
        entry_.refuse(key, fmt::format("\"{}\" is not a format of a number", form));
      }
    }
    text.replace(open, close + 1 - open, shown);
    open += shown.size();
  }
  return text;
}

bool Part::condition(const std::string& key) {
  const std::string text = entry_.text(key);
  if (text.empty() || text == "false" || text == "true") return text == "true";
  const std::vector<double> holds = numbers(value(cases_.front(), key));
  return !holds.empty() && std::ranges::all_of(holds, [](double value) { return value == 1; });
}

Points Part::curve(const std::string& text) {
  Points points;
  for (Case& in : cases_) {
    const Array x = value(in, "x"), y = value(in, "y", text);
    computed({&x, &y}, [&](const double* v) {
      if (!std::isnan(v[0])) points[v[0]] = v[1];
      return v[1];
    });
  }
  return points;
}

}  // namespace rarefact::claims
