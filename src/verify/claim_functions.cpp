#include <algorithm>
#include <limits>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "metrics/spectral.hpp"
#include "theory/closed_form.hpp"
#include "verify/claim_evaluate.hpp"

namespace rarefact::claims {

namespace {

using Numbers = std::vector<double>;

using Unary = double (*)(double);
const std::map<std::string, Unary> functions_of_one = {
    {"sqrt", std::sqrt}, {"log", std::log},     {"exp", std::exp},
    {"abs", std::abs},   {"log1p", std::log1p}, {"expm1", std::expm1},
    {"ceil", std::ceil}, {"floor", std::floor}, {"round", std::round}};

double sum(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

/// How many values are different.
double distinct(Numbers x) {
  if (std::isnan(greatest(x))) return missing;
  std::ranges::sort(x);
  x.erase(std::unique(x.begin(), x.end(), equal), x.end());
  return static_cast<double>(x.size());
}

double single(const Numbers& x) {
  if (x.size() > 1) throw bad_input("only() found {} entries where one belongs", x.size());
  return x.front();
}

const std::map<std::string, double (*)(const Numbers&)> reductions = {
    {"max", greatest},
    {"min", least},
    {"sum", sum},
    {"mean", [](const Numbers& x) { return sum(x) / static_cast<double>(x.size()); }},
    {"distinct", [](const Numbers& x) { return distinct(x); }},
    {"first", [](const Numbers& x) { return x.front(); }},
    {"last", [](const Numbers& x) { return x.back(); }},
    {"only", single},
};

/// f of the entries that x and y have together along some dimensions, where a condition holds.
template <class F>
Array paired(Array x, Array y, const std::vector<bool>& dimensions, const std::optional<Array>& condition,
             const F& f) {
  const Shape shape = joint_shape({&x, &y});
  x = expanded(x, shape);
  y = expanded(y, shape);
  Array places = of_shape(shape);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places.numbers[i] = static_cast<double>(i);
    places.there[i] = x.there[i] && y.there[i];
  }
  if (condition) places = masked(places, *condition);
  return reduced(places, dimensions, [&](const Numbers& at) {
    const auto of = [&](const Array& array) {
      return mapped(at,
                    [&](double i) { return std::isnan(i) ? i : array.numbers[static_cast<std::size_t>(i)]; });
    };
    return std::optional<double>(f(of(x), of(y)));
  });
}

}  // namespace

Array Evaluator::reduction(const Syntax& call) {
  std::vector<bool> usual = only(data_.step());
  usual[data_.row()] = call.text != "first" && call.text != "last";
  Array x = number(call.arguments[0]);
  const Selection found = selection(call, 1, usual);
  if (!found.values.empty() && ((call.text != "max" && call.text != "min") || found.condition))
    throw bad_input("{} takes one value, dimensions and conditions", call.text);
  const auto reduce = reductions.at(call.text);
  for (const Array& other : found.values)
    x = computed({&x, &other}, [reduce](const double* v) { return reduce({v[0], v[1]}); });
  if (!found.values.empty()) return x;
  if (found.condition) x = masked(x, *found.condition);
  return reduced(x, found.dimensions, [reduce](const Numbers& all) { return std::optional(reduce(all)); });
}

Array Evaluator::slope(const Syntax& call) {
  const Array y = number(call.arguments[0]), x = number(call.arguments[1]);
  const Selection found = selection(call, 2, data_.point_axes());
  if (!found.values.empty()) throw bad_input("slope takes {}", functions().at("slope").takes);
  fits_.clear();
  const auto fit = [&](const Numbers& at, const Numbers& all) {
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!std::ranges::all_of(at, finite) || !std::ranges::all_of(all, finite)) return missing;
    Points points;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!points.emplace(at[i], all[i]).second && !data_.rehearsal())
        throw bad_input("slope: x is {:g} twice", at[i]);
    }
    if (points.size() >= 3) {
      fits_.push_back(fit_line(keys(points), values(points)));
      return fits_.back().slope;
    }
    *few_points_ = true;
    const auto first = *points.begin(), last = *points.rbegin();
    return points.size() < 2 ? missing : (last.second - first.second) / (last.first - first.first);
  };
  // Before anything has run the points of x are known alone.
  return paired(x, data_.rehearsal() ? x : y, found.dimensions, found.condition, fit);
}

std::size_t Evaluator::dimension_of(const Syntax& call) {
  const Selection found = selection(call, 1, only(data_.step()));
  if (!found.values.empty() || found.condition || std::ranges::count(found.dimensions, true) != 1)
    throw bad_input("{} takes {}", call.text, functions().at(call.text).takes);
  return static_cast<std::size_t>(std::ranges::find(found.dimensions, true) - found.dimensions.begin());
}

Array Evaluator::prev(const Syntax& call) {
  return scanned(number(call.arguments[0]), dimension_of(call),
                 [](double entry, std::optional<double>& state) { return std::exchange(state, entry); });
}

Array Evaluator::max_so_far(const Syntax& call) {
  return scanned(number(call.arguments[0]), dimension_of(call),
                 [](double entry, std::optional<double>& state) {
                   return state = state ? greatest({*state, entry}) : entry;
                 });
}

Array Evaluator::ema(const Syntax& call) {
  const Numbers keep = entries(number(call.arguments[1]));
  if (keep.size() != 1) throw bad_input("ema: what it keeps is no single number");
  return scanned(number(call.arguments[0]), data_.step(),
                 [mu = keep[0]](double entry, std::optional<double>& state) {
                   return state = (state ? mu * *state : 0) + (1 - mu) * entry;
                 });
}

/// x where y first reaches a level, linear between entries; NaN where it does not.
Array Evaluator::reaches(const Syntax& call) {
  const Array y = number(call.arguments[0]), x = number(call.arguments[1]), level = number(call.arguments[2]);
  const Selection found = selection(call, 3, only(data_.step()));
  if (!found.values.empty() || found.condition)
    throw bad_input("reaches takes {}", functions().at("reaches").takes);
  const Array above = computed({&y, &level}, [](const double* v) { return v[0] - v[1]; });
  return paired(x, above, found.dimensions, {}, [](const Numbers& at, const Numbers& all) {
    const auto there = std::ranges::find_if(all, [](double v) { return !(v < 0); });
    if (there == all.end() || std::isnan(*there)) return missing;
    const auto i = static_cast<std::size_t>(there - all.begin());
    return i == 0 ? at[0] : at[i - 1] + all[i - 1] / (all[i - 1] - all[i]) * (at[i] - at[i - 1]);
  });
}

/// Means over the class rows from, ..., 2 from - 1, then over as many again twice as far on, as long as all are there.
Array Evaluator::octaves(const Syntax& call) {
  const Array x = number(call.arguments[0]);
  const Numbers first_row = call.arguments.size() > 1 ? entries(number(call.arguments[1])) : Numbers{1};
  const std::size_t rows = x.shape.back();
  if (first_row.size() != 1 || !(first_row[0] >= 1 && first_row[0] <= static_cast<double>(rows)))
    throw bad_input("octaves: the first row is no number from 1 to {}", rows);
  std::vector<std::size_t> firsts;
  for (auto first = static_cast<std::size_t>(first_row[0]); 2 * first <= rows; first *= 2)
    firsts.push_back(first);
  if (firsts.empty()) throw bad_input("octaves: {} class rows are too few", rows);
  Shape shape = x.shape;
  shape.back() = firsts.size();
  Array out = of_shape(shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t first = firsts[i % firsts.size()], begin = i / firsts.size() * rows + first - 1;
    out.numbers[i] = 0;
    for (std::size_t row = begin; row < begin + first; ++row) {
      out.there[i] = out.there[i] && x.there[row];
      out.numbers[i] += x.numbers[row];
    }
    out.numbers[i] /= static_cast<double>(first);
  }
  return out;
}

/// A measure of singular values: its name, then values and how often each comes, class rows together.
Array Evaluator::spectral(const Syntax& call) {
  const auto& a = call.arguments;
  if (a.size() % 2 == 0 || a[0].kind != Syntax::Kind::text)
    throw bad_input("spectral takes {}", functions().at("spectral").takes);
  std::vector<std::string> names;
  for (const auto& measure : spectral_measures({})) names.push_back(measure.first);
  if (!contains(names, a[0].text))
    throw bad_input("no measure is called \"{}\"{}; there are: {}", a[0].text,
                    did_you_mean(nearest_name(a[0].text, names)), joined(names));
  Array out = constant(data_.dimensions(), missing);
  std::vector<std::pair<Array, Array>> pairs;
  for (std::size_t i = 1; i < a.size(); i += 2) {
    pairs.emplace_back(number(a[i]), number(a[i + 1]));
    Shape shape = joint_shape({&pairs.back().first, &pairs.back().second});
    shape.back() = 1;
    out = expanded(out, joint_shape({&out, &static_cast<const Array&>(of_shape(shape))}));
  }
  std::vector<SingularValues> all(out.size());
  for (const auto& [values, counts] : pairs) {
    Shape shape = out.shape;
    shape.back() = std::max(values.shape.back(), counts.shape.back());
    const Array value = expanded(values, shape), times = expanded(counts, shape);
    for (std::size_t k = 0; k < value.size(); ++k) {
      if (value.there[k] && times.there[k] && times.numbers[k] != 0)
        all[k / shape.back()].add(value.numbers[k], times.numbers[k]);
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.there[i] = !all[i].values.empty();
    if (std::ranges::all_of(all[i].values, [](double x) { return x > 0; }))
      out.numbers[i] = spectral_measures(levels_of(sorted(all[i]))).at(a[0].text);
  }
  return out;
}

Array Evaluator::choice(const Syntax& call) {
  return either(number(call.arguments[0]), number(call.arguments[1]), number(call.arguments[2]));
}

Array Evaluator::key(const Syntax& call) {
  const auto& a = call.arguments;
  if (a[0].kind != Syntax::Kind::text) throw bad_input("key takes {}", functions().at("key").takes);
  return a.size() == 2 && !data_.has_key(a[0].text) ? (*this)(a[1]) : leaf(data_.key(a[0].text));
}

Array Evaluator::at_step(const Syntax& call) {
  return at(number(call.arguments[1]))(call.arguments[0]);
}

Array Evaluator::first_where(const Syntax& call) {
  const Array holds = number(call.arguments[0]), step = leaf(*data_.named("step"));
  constexpr double never = std::numeric_limits<double>::infinity();
  const Array found = computed({&holds, &step}, [](const double* v) {
    return std::isnan(v[0]) ? v[0] : v[0] != 0 ? v[1] : never;
  });
  return reduced(found, only(data_.step()), [](const Numbers& x) {
    const auto first = std::ranges::find_if(x, [](double v) { return v != never; });
    return std::optional(first == x.end() ? missing : *first);
  });
}

Array Evaluator::closed_form(const Syntax& call) {
  const ClosedForm& form = *find_row(closed_forms(), call.text);
  if (call.arguments.size() != form.arguments.size())
    throw bad_input("{}({}) got {} numbers", form.name, joined(form.arguments), call.arguments.size());
  const std::vector<Array> numbers = mapped(call.arguments, [&](const Syntax& tree) { return number(tree); });
  if (data_.rehearsal()) return constant(data_.dimensions(), missing);
  if (form.of_classes) return leaf(data_.of_classes(form, numbers, precise_, where_ ? &*where_ : nullptr));
  return computed(mapped(numbers, [](const Array& array) { return &array; }),
                  [&form, precise = precise_](const double* x) { return form.value(x, precise); });
}

const std::map<std::string, Evaluator::Function>& Evaluator::functions() {
  static const std::map<std::string, Function> all = [] {
    constexpr std::size_t any = 1000;
    std::map<std::string, Function> rows = {
        {"slope", {2, any, "y, x, dimensions and conditions", &Evaluator::slope}},
        {"reaches", {3, any, "y, x, a level and dimensions", &Evaluator::reaches}},
        {"prev", {1, any, "a value and one dimension", &Evaluator::prev}},
        {"max_so_far", {1, any, "a value and one dimension", &Evaluator::max_so_far}},
        {"ema", {2, 2, "a value and what it keeps", &Evaluator::ema}},
        {"octaves", {1, 2, "a value and the first row", &Evaluator::octaves}},
        {"spectral", {3, any, "a quoted measure, values, and how often each comes", &Evaluator::spectral}},
        {"where", {3, 3, "a condition and two values", &Evaluator::choice}},
        {"key", {1, 2, "a quoted key, and a value where there is none", &Evaluator::key}},
        {"at", {2, 2, "a value and a step", &Evaluator::at_step}},
        {"first_where", {1, 1, "a condition", &Evaluator::first_where}}};
    for (const auto& row : reductions)
      rows[row.first] = {1, any, "a value, dimensions and conditions", &Evaluator::reduction};
    return rows;
  }();
  return all;
}

Array Evaluator::called(const Syntax& call) {
  const std::size_t count = call.arguments.size();
  if (const auto found = functions_of_one.find(call.text); found != functions_of_one.end()) {
    if (count != 1) throw bad_input("{} takes one number, and got {}", call.text, count);
    const Array x = number(call.arguments[0]);
    return computed({&x}, [f = found->second](const double* v) { return f(*v); });
  }
  if (const auto found = functions().find(call.text); found != functions().end()) {
    const Function& function = found->second;
    if (count < function.least || count > function.most)
      throw bad_input("{} takes {}, and got {}", call.text, function.takes, count);
    return (this->*function.of)(call);
  }
  if (find_row(closed_forms(), call.text) != nullptr) return closed_form(call);
  std::vector<std::string> names = names_of(closed_forms());
  for (const auto& row : functions_of_one) names.push_back(row.first);
  for (const auto& row : functions()) names.push_back(row.first);
  throw bad_input("no function is called \"{}\"{}", call.text, did_you_mean(nearest_name(call.text, names)));
}

}  // namespace rarefact::claims
