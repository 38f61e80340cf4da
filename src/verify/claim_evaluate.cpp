#include "verify/claim_evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "metrics/spectral.hpp"
#include "theory/closed_form.hpp"

namespace rarefact::claims {

namespace {

using Kind = Syntax::Kind;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

using Unary = double (*)(double);
const std::map<std::string, Unary> functions = {
    {"sqrt", std::sqrt}, {"log", std::log},     {"exp", std::exp},
    {"abs", std::abs},   {"log1p", std::log1p}, {"expm1", std::expm1},
    {"ceil", std::ceil}, {"floor", std::floor}, {"round", std::round}};

/// To 1e-12.
bool equal(double x, double y) {
  return x == y || std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y));
}

using Binary = double (*)(double, double);
const std::map<std::string, Binary> operators = {
    {"+", [](double x, double y) { return x + y; }},
    {"-", [](double x, double y) { return x - y; }},
    {"*", [](double x, double y) { return x * y; }},
    {"/", [](double x, double y) { return x / y; }},
    {"**", [](double x, double y) { return std::pow(x, y); }},
    {"<", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
    {">", [](double x, double y) { return x > y ? 1.0 : 0.0; }},
    {"<=", [](double x, double y) { return x < y || equal(x, y) ? 1.0 : 0.0; }},
    {">=", [](double x, double y) { return x > y || equal(x, y) ? 1.0 : 0.0; }},
    {"==", [](double x, double y) { return equal(x, y) ? 1.0 : 0.0; }},
    {"!=", [](double x, double y) { return equal(x, y) ? 0.0 : 1.0; }},
    {"and",
     [](double x, double y) {
       return x == 0 || y == 0 ? 0.0 : std::isnan(x) || std::isnan(y) ? missing : 1.0;
     }},
    {"or",
     [](double x, double y) {
       const bool either = (x != 0 && !std::isnan(x)) || (y != 0 && !std::isnan(y));
       return either ? 1.0 : std::isnan(x) || std::isnan(y) ? missing : 0.0;
     }},
};

using Reduce = std::optional<double> (*)(const std::vector<double>&);
const std::map<std::string, Reduce> reductions = {
    {"max", [](const auto& x) { return std::optional(greatest(x)); }},
    {"min", [](const auto& x) { return std::optional(least(x)); }},
    {"sum",
     [](const auto& x) {
       double sum = 0;
       for (const double value : x) sum += value;
       return std::optional(sum);
     }},
    {"mean",
     [](const auto& x) {
       double sum = 0;
       for (const double value : x) sum += value;
       return std::optional(sum / static_cast<double>(x.size()));
     }},
    {"distinct",
     [](const auto& x) {
       if (std::isnan(greatest(x))) return std::optional(missing);
       std::vector<double> sorted = x;
       std::ranges::sort(sorted);
       sorted.erase(std::unique(sorted.begin(), sorted.end(), equal), sorted.end());
       return std::optional(static_cast<double>(sorted.size()));
     }},
    {"first", [](const auto& x) { return std::optional(x.front()); }},
    {"last", [](const auto& x) { return std::optional(x.back()); }},
    {"only",
     [](const auto& x) {
       if (x.size() > 1) throw bad_input("only() found {} entries where one belongs", x.size());
       return std::optional(x.front());
     }},
};

}  // namespace

Evaluator Evaluator::at(const Array& step) const {
  for (const double value : entries(step)) {
    if (std::ranges::none_of(data_.steps(), [&](auto own) { return equal(static_cast<double>(own), value); }))
      throw bad_input("no run has a record at step {:g}", value);
  }
  Evaluator other = *this;
  other.at_ = step;
  other.known_.clear();
  return other;
}

Evaluator Evaluator::where(const Array& condition) const {
  Evaluator other = *this;
  other.where_ = condition;
  other.known_.clear();
  return other;
}

void Evaluator::give(const std::string& name, double number) {
  given_[name] = number;
  known_.clear();
}

std::vector<bool> Evaluator::only(std::size_t dimension) const {
  std::vector<bool> dimensions(data_.dimensions(), false);
  dimensions[dimension] = true;
  return dimensions;
}

Array Evaluator::leaf(Array array) const {
  if (optimizer_ && array.shape[data_.optimizer()] > 1) {
    Array label = of_shape(Shape(data_.dimensions(), 1));
    label.shape[data_.optimizer()] = array.shape[data_.optimizer()];
    label.numbers.assign(array.shape[data_.optimizer()], 0);
    label.numbers[*optimizer_] = 1;
    label.there.assign(label.numbers.size(), 1);
    array = masked(array, label);
    if (array.is_text()) return array;
    array = reduced(array, only(data_.optimizer()), reductions.at("only"));
  }
  if (at_ && array.shape[data_.step()] > 1) {
    const Array step = *data_.named("step");
    const Array chosen =
        combined({&step, &*at_}, [](const double* x) { return equal(x[0], x[1]) ? 1.0 : 0.0; });
    array = reduced(masked(array, chosen), only(data_.step()), reductions.at("only"));
  }
  return where_ ? masked(array, *where_) : array;
}

Array Evaluator::named(const std::string& name) {
  if (const auto found = given_.find(name); found != given_.end())
    return constant(data_.dimensions(), found->second);
  if (const auto found = defines_.find(name); found != defines_.end()) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    if (contains(within_, name)) throw bad_input("{} is defined by itself", name);
    within_.push_back(name);
    const auto evaluate = [&] { return (*this)(found->second); };
    Array value = defines_.table ? defines_.table->at(name, evaluate) : evaluate();
    within_.pop_back();
    return known_[name] = value;
  }
  if (std::optional<Array> found = data_.named(name)) return leaf(std::move(*found));
  std::vector<std::string> names = data_.names();
  for (const auto& define : defines_) names.push_back(define.first);
  throw bad_input("unknown name \"{}\"{}", name, did_you_mean(nearest_name(name, names)));
}

Array Evaluator::chosen(const Syntax& tree) {
  const auto label = std::ranges::find(data_.labels(), tree.text);
  if (label == data_.labels().end()) {
    throw bad_input("no optimizer is named \"{}\"{}; there are: {}", tree.text,
                    did_you_mean(nearest_name(tree.text, data_.labels())), joined(data_.labels()));
  }
  Evaluator other = *this;
  other.optimizer_ = static_cast<std::size_t>(label - data_.labels().begin());
  other.known_.clear();
  Array value = other(tree.arguments[0]);
  fits_ = other.fits_;
  return value;
}

Array Evaluator::number(const Syntax& tree) {
  Array found = (*this)(tree);
  if (found.is_text())
    throw SyntaxError(tree.offset, fmt::format("\"{}\" is a text, and a number belongs here", to_text(tree)));
  return found;
}

Array Evaluator::operator()(const Syntax& tree) {
  try {
    return evaluated(tree);
  } catch (const SyntaxError&) {
    throw;
  } catch (const InputError& error) {
    if (!error.problems().front().file.empty()) throw;
    throw SyntaxError(tree.offset, error.problems().front());
  }
}

Array Evaluator::evaluated(const Syntax& tree) {
  switch (tree.kind) {
    case Kind::number:
      return constant(data_.dimensions(), tree.number);
    case Kind::text:
      return {.shape = Shape(data_.dimensions(), 1), .texts = {tree.text}, .there = {1}};
    case Kind::name:
      return named(tree.text);
    case Kind::choice:
      return chosen(tree);
    case Kind::call:
      return called(tree);
    case Kind::negative: {
      const Array x = number(tree.arguments[0]);
      return tree.text == "not"
                 ? combined({&x}, [](const double* v) { return std::isnan(*v) ? *v
                                                               : *v == 0      ? 1.0
                                                                              : 0.0; })
                 : combined({&x}, [](const double* v) { return -*v; });
    }
    case Kind::binary:
    case Kind::comparison:
      return operation(tree);
    default:
      throw bad_input("\"{}\" is not for claims", to_text(tree));
  }
}

Array Evaluator::operation(const Syntax& tree) {
  const Array x = (*this)(tree.arguments[0]), y = (*this)(tree.arguments[1]);
  const bool equality = tree.text == "==" || tree.text == "!=";
  if (x.is_text() != y.is_text() || (x.is_text() && !equality))
    throw bad_input("\"{}\" compares a text with what is none, or computes with texts", to_text(tree));
  if (!x.is_text()) {
    const bool compares = tree.kind == Kind::comparison;
    return combined({&x, &y}, [compares, f = operators.at(tree.text)](const double* v) {
      return compares && (std::isnan(v[0]) || std::isnan(v[1])) ? missing : f(v[0], v[1]);
    });
  }
  const Shape shape = joint_shape({&x, &y});
  const Array left = expanded(x, shape), right = expanded(y, shape);
  Array out = of_shape(shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.there[i] = left.there[i] && right.there[i];
    out.numbers[i] = (left.texts[i] == right.texts[i]) == (tree.text == "==") ? 1 : 0;
  }
  return out;
}

bool Evaluator::is_condition(const Syntax& tree, std::size_t depth) const {
  if (tree.kind == Kind::comparison || tree.text == "and" || tree.text == "or" || tree.text == "not")
    return true;
  if (tree.kind == Kind::choice) return is_condition(tree.arguments[0], depth);
  const auto define = tree.kind == Kind::name ? defines_.find(tree.text) : defines_.end();
  // Deeper than there are defines one is defined by itself, which evaluating it says.
  return define != defines_.end() && depth < defines_.size() && is_condition(define->second, depth + 1);
}

Evaluator::Selection Evaluator::selection(const Syntax& call, std::size_t first, std::vector<bool> usual) {
  Selection found{.dimensions = std::vector<bool>(data_.dimensions(), false)};
  bool any = false;
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    const Syntax& argument = call.arguments[i];
    const std::string& word = argument.text;
    const bool name = argument.kind == Kind::name && !defines_.contains(word);
    std::optional<std::size_t> dimension;
    if (name && word == "class") dimension = data_.row();
    if (name && word == "step") dimension = data_.step();
    if (name && word == "optimizer") dimension = data_.optimizer();
    if ((name && word == "seed") || argument.kind == Kind::text) {
      dimension = data_.axis_of(word);
      if (!dimension) throw bad_input("{}: the sweep has no axis {}", call.text, word);
    }
    if (name && word == "point") {
      const std::vector<bool> axes = data_.point_axes();
      for (std::size_t d = 0; d < axes.size(); ++d) found.dimensions[d] = found.dimensions[d] || axes[d];
      any = true;
    } else if (dimension) {
      found.dimensions[*dimension] = true;
      any = true;
    } else if (is_condition(argument)) {
      const Array condition = number(argument);
      found.condition = found.condition
                            ? combined({&*found.condition, &condition},
                                       [](const double* x) { return operators.at("and")(x[0], x[1]); })
                            : condition;
    } else {
      found.values.push_back(number(argument));
    }
  }
  if (!any) found.dimensions = std::move(usual);
  return found;
}

Array Evaluator::reduction(const Syntax& call) {
  const bool of_steps = call.text == "first" || call.text == "last";
  std::vector<bool> usual = only(data_.step());
  if (!of_steps) usual[data_.row()] = true;
  Array x = number(call.arguments[0]);
  const Selection found = selection(call, 1, usual);
  if (!found.values.empty()) {
    if ((call.text != "max" && call.text != "min") || found.condition)
      throw bad_input("{} takes one value, dimensions and conditions", call.text);
    for (const Array& other : found.values) {
      x = combined({&x, &other}, [least = call.text == "min"](const double* v) {
        return std::isnan(v[0]) || std::isnan(v[1]) ? missing
               : least                              ? std::min(v[0], v[1])
                                                    : std::max(v[0], v[1]);
      });
    }
    return x;
  }
  if (found.condition) x = masked(x, *found.condition);
  return reduced(x, found.dimensions, reductions.at(call.text));
}

Array Evaluator::slope(const Syntax& call) {
  if (call.arguments.size() < 2) throw bad_input("slope takes y and x");
  Array y = number(call.arguments[0]), x = number(call.arguments[1]);
  const Selection found = selection(call, 2, data_.point_axes());
  if (!found.values.empty()) throw bad_input("slope takes y, x, dimensions and conditions");
  const Shape shape = joint_shape({&x, &y});
  x = expanded(x, shape);
  y = expanded(y, shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.there[i] = y.there[i] = x.there[i] && y.there[i];
  if (found.condition) {
    x = masked(x, *found.condition);
    y = masked(y, *found.condition);
  }
  std::vector<std::vector<double>> abscissas;
  const Array of_x = reduced(x, found.dimensions, [&](const std::vector<double>& all) {
    abscissas.push_back(all);
    return std::optional<double>(0);
  });
  fits_.clear();
  std::size_t next = 0;
  return reduced(y, found.dimensions, [&](const std::vector<double>& all) -> std::optional<double> {
    std::map<double, double> points;
    const std::vector<double>& at = abscissas[next++];
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!std::ranges::all_of(at, finite) || !std::ranges::all_of(all, finite)) return missing;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!points.emplace(at[i], all[i]).second) throw bad_input("slope: x is {:g} twice", at[i]);
    }
    if (points.size() < 3) {
      *few_points_ = true;
      return points.size() < 2 ? missing
                               : (points.rbegin()->second - points.begin()->second) /
                                     (points.rbegin()->first - points.begin()->first);
    }
    fits_.push_back(fit_line(keys(points), values(points)));
    return fits_.back().slope;
  });
}

/// prev, ema and max_so_far.
Array Evaluator::along(const Syntax& call) {
  const Array x = number(call.arguments[0]);
  std::size_t dimension = data_.step();
  if (call.text == "ema") {
    if (call.arguments.size() != 2) throw bad_input("ema takes a value and what it keeps");
    const Array keep = number(call.arguments[1]);
    if (entries(keep).size() != 1) throw bad_input("ema: what it keeps is no single number");
    return scanned(x, dimension, [mu = entries(keep)[0]](double entry, std::optional<double>& state) {
      return state = (state ? mu * *state : 0) + (1 - mu) * entry;
    });
  }
  const Selection found = selection(call, 1, only(dimension));
  if (!found.values.empty() || found.condition || std::ranges::count(found.dimensions, true) != 1)
    throw bad_input("{} takes a value and one dimension", call.text);
  dimension = static_cast<std::size_t>(std::ranges::find(found.dimensions, true) - found.dimensions.begin());
  if (call.text == "max_so_far") {
    return scanned(x, dimension, [](double entry, std::optional<double>& state) {
      return state = state ? greatest({*state, entry}) : entry;
    });
  }
  return scanned(x, dimension,
                 [](double entry, std::optional<double>& state) { return std::exchange(state, entry); });
}

/// x where y first reaches a level, linear between entries; NaN where it does not.
Array Evaluator::reaches(const Syntax& call) {
  if (call.arguments.size() < 3) throw bad_input("reaches takes y, x and a level");
  Array y = number(call.arguments[0]), x = number(call.arguments[1]), level = number(call.arguments[2]);
  const Selection found = selection(call, 3, only(data_.step()));
  if (!found.values.empty() || found.condition) throw bad_input("reaches takes y, x, a level and dimensions");
  const Shape shape = joint_shape({&x, &y, &level});
  x = expanded(x, shape);
  const Array above = combined({&y, &level}, [](const double* v) { return v[0] - v[1]; });
  y = expanded(above, shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.there[i] = y.there[i] = x.there[i] && y.there[i];
  std::vector<std::vector<double>> abscissas;
  reduced(x, found.dimensions, [&](const std::vector<double>& all) {
    abscissas.push_back(all);
    return std::optional<double>(0);
  });
  std::size_t next = 0;
  return reduced(y, found.dimensions, [&](const std::vector<double>& all) -> std::optional<double> {
    const std::vector<double>& at = abscissas[next++];
    const auto there = std::ranges::find_if(all, [](double v) { return !(v < 0); });
    if (there == all.end() || std::isnan(*there)) return missing;
    const auto i = static_cast<std::size_t>(there - all.begin());
    if (i == 0) return at[0];
    return at[i - 1] + all[i - 1] / (all[i - 1] - all[i]) * (at[i] - at[i - 1]);
  });
}

/// Means over the class rows from, ..., 2 from - 1, then over as many again twice as far on, as long as all are there.
Array Evaluator::octaves(const Syntax& call) {
  const Array x = number(call.arguments[0]);
  const std::vector<double> first_row =
      call.arguments.size() > 1 ? entries(number(call.arguments[1])) : std::vector<double>{1};
  const std::size_t rows = x.shape.back();
  if (first_row.size() != 1 || !(first_row[0] >= 1 && first_row[0] <= static_cast<double>(rows)))
    throw bad_input("octaves: the first row is no number from 1 to {}", rows);
  const auto from = static_cast<std::size_t>(first_row[0]);
  std::vector<std::size_t> firsts;
  for (std::size_t first = from; first > 0 && 2 * first <= rows; first *= 2) firsts.push_back(first);
  if (firsts.empty()) throw bad_input("octaves: {} class rows are too few", rows);
  Shape shape = x.shape;
  shape.back() = firsts.size();
  Array out = of_shape(shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t first = firsts[i % firsts.size()], begin = i / firsts.size() * rows + first - 1;
    double sum = 0;
    for (std::size_t row = begin; row < begin + first; ++row) {
      out.there[i] = out.there[i] && x.there[row];
      sum += x.numbers[row];
    }
    out.numbers[i] = sum / static_cast<double>(first);
  }
  return out;
}

/// A measure of singular values: its name, then values and how often each comes, class rows together.
Array Evaluator::spectral(const Syntax& call) {
  const auto& a = call.arguments;
  if (a.size() < 3 || a.size() % 2 == 0 || a[0].kind != Kind::text)
    throw bad_input("spectral takes a quoted measure, values, and how often each comes");
  std::vector<std::string> names;
  for (const auto& measure : spectral_measures({})) names.push_back(measure.first);
  if (!contains(names, a[0].text))
    throw bad_input("no measure is called \"{}\"{}; there are: {}", a[0].text,
                    did_you_mean(nearest_name(a[0].text, names)), joined(names));
  std::vector<Array> pairs;  // one behind another, along the class rows
  Shape outer(data_.dimensions(), 1);
  for (std::size_t i = 1; i < a.size(); i += 2) {
    const Array value = number(a[i]), times = number(a[i + 1]);
    Shape shape = joint_shape({&value, &times});
    pairs.push_back(expanded(value, shape));
    pairs.push_back(expanded(times, shape));
    shape.back() = 1;
    const Array known = of_shape(outer), more = of_shape(shape);
    outer = joint_shape({&known, &more});
  }
  Array out = of_shape(outer);
  std::vector<SingularValues> all(out.size());
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    Shape shape = outer;
    shape.back() = pairs[i].shape.back();
    const Array value = expanded(pairs[i], shape), times = expanded(pairs[i + 1], shape);
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

Array Evaluator::called(const Syntax& call) {
  const std::string& word = call.text;
  const auto& a = call.arguments;
  if (a.empty() && find_row(closed_forms(), word) == nullptr)
    throw bad_input("{}() takes something, and got nothing", word);
  if (const auto found = functions.find(word); found != functions.end()) {
    if (a.size() != 1) throw bad_input("{} takes one number, and got {}", word, a.size());
    const Array x = number(a[0]);
    return combined({&x}, [f = found->second](const double* v) { return f(*v); });
  }
  if (reductions.contains(word)) return reduction(call);
  if (word == "slope") return slope(call);
  if (word == "reaches") return reaches(call);
  if (word == "spectral") return spectral(call);
  if (word == "prev" || word == "ema" || word == "max_so_far") return along(call);
  const auto takes = [&](std::size_t least, std::size_t most, const char* what) {
    if (a.size() < least || a.size() > most) throw bad_input("{} takes {}, and got {}", word, what, a.size());
  };
  if (word == "where") {
    takes(3, 3, "a condition and two values");
    return either(number(a[0]), number(a[1]), number(a[2]));
  }
  if (word == "key") {
    takes(1, 2, "a quoted key, and a value where there is none");
    if (a[0].kind != Kind::text) throw bad_input("key takes a quoted key");
    return a.size() == 2 && !data_.has_key(a[0].text) ? (*this)(a[1]) : leaf(data_.key(a[0].text));
  }
  if (word == "octaves") {
    takes(1, 2, "a value and the first row");
    return octaves(call);
  }
  if (word == "at") {
    takes(2, 2, "a value and a step");
    return at(number(a[1]))(a[0]);
  }
  if (word == "first_where") {
    takes(1, 1, "a condition");
    const Array holds = number(a[0]), step = leaf(*data_.named("step"));
    const Array found = combined({&holds, &step}, [](const double* v) {
      return std::isnan(v[0]) ? v[0] : v[0] != 0 ? v[1] : std::numeric_limits<double>::infinity();
    });
    return reduced(found, only(data_.step()), [](const std::vector<double>& x) {
      const auto first = std::ranges::find_if(x, [](double v) { return !std::isinf(v); });
      return std::optional(first == x.end() ? missing : *first);
    });
  }
  return closed_form(call);
}

Array Evaluator::closed_form(const Syntax& call) {
  const ClosedForm* form = find_row(closed_forms(), call.text);
  if (form == nullptr) {
    std::vector<std::string> names = names_of(closed_forms());
    for (const auto& row : functions) names.push_back(row.first);
    for (const auto& row : reductions) names.push_back(row.first);
    for (const char* word : {"slope", "prev", "ema", "max_so_far", "where", "key", "at", "first_where",
                             "reaches", "octaves", "spectral"})
      names.emplace_back(word);
    throw bad_input("no function is called \"{}\"{}", call.text,
                    did_you_mean(nearest_name(call.text, names)));
  }
  if (call.arguments.size() != form->arguments.size())
    throw bad_input("{}({}) got {} numbers", form->name, joined(form->arguments), call.arguments.size());
  std::vector<Array> numbers;
  for (const Syntax& argument : call.arguments) numbers.push_back(number(argument));
  if (form->of_classes) return leaf(data_.of_classes(*form, numbers, precise_, where_ ? &*where_ : nullptr));
  std::vector<const Array*> all;
  for (const Array& array : numbers) all.push_back(&array);
  return combined(all, [form, precise = precise_](const double* x) { return form->value(x, precise); });
}

}  // namespace rarefact::claims
