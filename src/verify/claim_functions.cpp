#include <algorithm>
#include <cmath>

#include "algebra/spectral_measures.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "theory/closed_form.hpp"
#include "verify/claim_evaluate.hpp"

namespace rarefact::claims {

namespace {

using Numbers = std::vector<double>;

const std::map<std::string, double (*)(double)> functions_of_one = {{"sqrt", std::sqrt},
                                                                    {"log", std::log},
                                                                    {"exp", std::exp},
                                                                    {"abs", std::abs},
                                                                    {"log1p", std::log1p},
                                                                    {"expm1", std::expm1},
                                                                    {"ceil", std::ceil},
                                                                    {"floor", std::floor},
                                                                    {"round", std::round},
                                                                    {"not", negated},
                                                                    {"-", [](double x) { return -x; }}};

double sum(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

/// The number of distinct values.
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

/// f of the numbers that both x and y have along some dimensions.
template <class F>
Array paired(const Array& x, const Array& y, const Dimensions& along, const F& f) {
  const Array both = computed({&x, &y}, [](const double*v) { return v[0]; }), other = expanded(y, both.shape);
  const Lines lines = lines_of(both, along);
  return {.shape = lines.shape, .entries = mapped(lines.places, [&](const auto& places) {
                                  return places.empty() ? Number()
                                                        : f(numbers(both, places), numbers(other, places));
                                })};
}

Arrays pointers(const std::vector<Array>& arrays) {
  return mapped(arrays, [](const Array& array) { return &array; });
}

bool all_finite(const Numbers& x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

}  // namespace

/// The functions of claims by name; error messages show their arguments.
struct Evaluator::Functions {
  struct Row {
    std::size_t least, most;  ///< numbers of arguments
    const char* takes;
    Array (*of)(Evaluator& e, const Syntax& call);
  };
  static const std::map<std::string, Row>& all();

  [[noreturn]] static void refuse(const Syntax& call) {
    throw bad_input("{} takes {}", call.text, all().at(call.text).takes);
  }

  static Array reduction(Evaluator& e, const Syntax& call) {
    Dimensions usual = {e.data().step()};
    if (call.text != "first" && call.text != "last") usual.insert(e.data().row());
    Array x = e.number(call.arguments[0]);
    const Selection found = e.selection(call, 1, usual);
    const auto reduce = reductions.at(call.text);
    for (const Array& other : found.values) {
      if ((call.text != "max" && call.text != "min") || !found.conditions.empty()) refuse(call);
      x = computed({&x, &other}, [reduce](const double* v) { return reduce({v[0], v[1]}); });
    }
    for (const Array& condition : found.conditions) x = masked(x, condition);
    return found.values.empty() ? reduced(x, found.along, reduce) : x;
  }

  static Array slope(Evaluator& e, const Syntax& call) {
    const Array y = e.number(call.arguments[0]);
    Array x = e.number(call.arguments[1]);
    const Selection found = e.selection(call, 2, e.data().point_axes());
    if (!found.values.empty()) refuse(call);
    for (const Array& condition : found.conditions) x = masked(x, condition);
    const bool rehearsal = e.data().rehearsal();
    Fits& fits = *e.fits_;
    fits.lines.clear();
    // In a rehearsal only the points of x are known.
    return paired(x, rehearsal ? x : y, found.along, [&](const Numbers& at, const Numbers& of) -> Number {
      if (!all_finite(at) || !all_finite(of)) return missing;
      Points points;
      for (std::size_t i = 0; i < of.size(); ++i) {
        if (!points.emplace(at[i], of[i]).second && !rehearsal)
          throw bad_input("slope: x is {:g} twice", at[i]);
      }
      if (points.size() >= 3) return fits.lines.emplace_back(fit_line(keys(points), values(points))).slope;
      fits.few_points = true;
      const auto first = *points.begin(), last = *points.rbegin();
      return points.size() < 2 ? missing : (last.second - first.second) / (last.first - first.first);
    });
  }

  /// Scans along the named dimension; by default the step.
  static Array scan(Evaluator& e, const Syntax& call, const std::function<Number(double, Number&)>& f) {
    const Selection found = e.selection(call, 1, {e.data().step()});
    if (!found.values.empty() || !found.conditions.empty() || found.along.size() != 1) refuse(call);
    return scanned(e.number(call.arguments[0]), *found.along.begin(), f);
  }

  /// x where y first reaches a level, interpolated linearly; NaN if it does not.
  static Array reaches(Evaluator& e, const Syntax& call) {
    const Array y = e.number(call.arguments[0]), level = e.number(call.arguments[2]);
    const Selection found = e.selection(call, 3, {e.data().step()});
    if (!found.values.empty() || !found.conditions.empty()) refuse(call);
    const Array above = computed({&y, &level}, [](const double* v) { return v[0] - v[1]; });
    return paired(e.number(call.arguments[1]), above, found.along, [](const Numbers& at, const Numbers& all) {
      const auto there = std::ranges::find_if(all, [](double v) { return !(v < 0); });
      if (there == all.end() || std::isnan(*there)) return missing;
      const auto i = static_cast<std::size_t>(there - all.begin());
      return i == 0 ? at[0] : at[i - 1] + all[i - 1] / (all[i - 1] - all[i]) * (at[i] - at[i - 1]);
    });
  }

  /// Means over the class rows from, ..., 2 from - 1, and over every further octave that is complete.
  static Array octaves(Evaluator& e, const Syntax& call) {
    const Array x = e.number(call.arguments[0]);
    const Numbers from = call.arguments.size() > 1 ? numbers(e.number(call.arguments[1])) : Numbers{1};
    const std::size_t rows = x.shape.back();
    if (from.size() != 1 || !(from[0] >= 1 && from[0] <= static_cast<double>(rows)))
      throw bad_input("octaves: the first row is not a number from 1 to {}", rows);
    const auto first = static_cast<std::size_t>(from[0]);
    if (2 * first > rows) throw bad_input("octaves: {} class rows are too few", rows);
    Array out{.shape = x.shape};
    out.shape.back() = 0;
    for (std::size_t width = first; 2 * width <= rows; width *= 2) ++out.shape.back();
    for (auto line = x.entries.begin(); line != x.entries.end(); line += static_cast<std::ptrdiff_t>(rows)) {
      for (std::size_t width = first; 2 * width <= rows; width *= 2) {
        Number mean = 0.0;
        for (std::size_t row = width - 1; row < 2 * width - 1; ++row)
          mean = mean && line[row] ? Number(*mean + *line[row]) : Number();
        if (mean) *mean /= static_cast<double>(width);
        out.entries.push_back(mean);
      }
    }
    return out;
  }

  /// A measure of singular values: its name, then values and multiplicities; class rows are taken together.
  static Array spectral(Evaluator& e, const Syntax& call) {
    const auto& a = call.arguments;
    if (a.size() % 2 == 0 || a[0].kind != Syntax::Kind::text) refuse(call);
    const std::vector<std::string> names = names_of(spectral_rows());
    const SpectralRow* const measure = find_row(spectral_rows(), a[0].text);
    if (measure == nullptr)
      throw bad_input("no measure is called \"{}\"{}; there are: {}", a[0].text,
                      did_you_mean(nearest_name(a[0].text, names)), joined(names));
    std::vector<Array> given;
    for (std::size_t i = 1; i < a.size(); ++i) given.push_back(e.number(a[i]));
    // Values and multiplicities of a pair have the length of its class rows; pairs may differ.
    Shape shape(e.data().dimensions(), 1);
    for (const Array& array : given) {
      const Array rows = reduced(array, {e.data().row()}, greatest), known{.shape = shape};
      shape = joint_shape({&rows, &known});
    }
    std::vector<SingularValues> all(constant(shape, 0).entries.size());
    for (std::size_t i = 0; i < given.size(); i += 2) {
      Shape own = shape;
      own.back() = std::max(given[i].shape.back(), given[i + 1].shape.back());
      const Array value = expanded(given[i], own), times = expanded(given[i + 1], own);
      for (std::size_t k = 0; k < value.entries.size(); ++k) {
        if (value.entries[k] && times.entries[k].value_or(0) != 0)
          all[k / own.back()].add(*value.entries[k], *times.entries[k]);
      }
    }
    return {.shape = shape, .entries = mapped(all, [&](const SingularValues& one) -> Number {
                              if (one.values.empty()) return {};
                              if (!std::ranges::all_of(one.values, [](double x) { return x > 0; }))
                                return missing;
                              return (*measure)(levels_of(sorted(one)));
                            })};
  }

  static Array first_where(Evaluator& e, const Syntax& call) {
    const Array holds = e.number(call.arguments[0]), step = e.leaf(*e.data().named("step"));
    return paired(step, holds, {e.data().step()}, [](const Numbers& steps, const Numbers& all) {
      const auto first = std::ranges::find_if(all, [](double v) { return v != 0; });
      return first == all.end() || std::isnan(*first) ? missing
                                                      : steps[static_cast<std::size_t>(first - all.begin())];
    });
  }

  static Array closed_form(Evaluator& e, const ClosedForm& form, const Syntax& call) {
    if (call.arguments.size() != form.arguments.size())
      throw bad_input("{}({}) got {} numbers", form.name, joined(form.arguments), call.arguments.size());
    auto given = mapped(call.arguments, [&](const Syntax& tree) { return e.number(tree); });
    if (e.data().rehearsal()) {
      given.push_back(form.of_classes ? e.leaf(*e.data().named("row")) : e.data().number(1));
      return computed(pointers(given), [](const double*) { return missing; });
    }
    if (form.of_classes) return e.leaf(e.data().of_classes(form, given, e.precise_, e.where_));
    return computed(pointers(given), [&](const double* x) { return e.data().value_of(form, x, e.precise_); });
  }
};

const std::map<std::string, Evaluator::Functions::Row>& Evaluator::Functions::all() {
  using Call = const Syntax&;
  constexpr std::size_t any = 1000;
  static const std::map<std::string, Row> all = [] {
    std::map<std::string, Row> rows = {
        {"slope", {2, any, "y, x, dimensions and conditions", slope}},
        {"reaches", {3, any, "y, x, a level and dimensions", reaches}},
        {"octaves", {1, 2, "a value and the first row", octaves}},
        {"spectral", {3, any, "a quoted measure, values, and how often each comes", spectral}},
        {"first_where", {1, 1, "a condition", first_where}},
        {"prev",
         {1, any, "a value and one dimension",
          [](Evaluator& e, Call call) {
            return scan(e, call, [](double entry, Number& state) { return std::exchange(state, entry); });
          }}},
        {"max_so_far",
         {1, any, "a value and one dimension",
          [](Evaluator& e, Call call) {
            return scan(e, call, [](double entry, Number& state) {
              return state = state ? greatest({*state, entry}) : entry;
            });
          }}},
        {"ema",
         {2, 2, "a value and what it keeps",
          [](Evaluator& e, Call call) {
            const Numbers keep = numbers(e.number(call.arguments[1]));
            if (keep.size() != 1) throw bad_input("ema: what it keeps is no single number");
            return scanned(e.number(call.arguments[0]), e.data().step(),
                           [mu = keep[0]](double entry, Number& state) {
                             return state = mu * state.value_or(0) + (1 - mu) * entry;
                           });
          }}},
        {"where",
         {3, 3, "a condition and two values",
          [](Evaluator& e, Call call) {
            const auto x = mapped(call.arguments, [&](Call argument) { return e.number(argument); });
            return combined({&x[0], &x[1], &x[2]}, [](const std::vector<Number>& v) {
              return !v[0] || std::isnan(*v[0]) ? v[0] : *v[0] != 0 ? v[1] : v[2];
            });
          }}},
        {"key",
         {1, 2, "a quoted key, and a value where there is none",
          [](Evaluator& e, Call call) {
            const auto& a = call.arguments;
            if (a[0].kind != Syntax::Kind::text) refuse(call);
            return a.size() == 2 && !e.data().has_key(a[0].text) ? e(a[1]) : e.leaf(e.data().key(a[0].text));
          }}},
        {"at", {2, 2, "a value and a step", [](Evaluator& e, Call call) {
                  return e.at(e.number(call.arguments[1]))(call.arguments[0]);
                }}}};
    for (const auto& row : reductions)
      rows[row.first] = {1, any, "a value, dimensions and conditions", reduction};
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
  const auto& functions = Functions::all();
  if (const auto found = functions.find(call.text); found != functions.end()) {
    const Functions::Row& function = found->second;
    if (count < function.least || count > function.most)
      throw bad_input("{} takes {}, and got {}", call.text, function.takes, count);
    return function.of(*this, call);
  }
  if (const ClosedForm* form = find_row(closed_forms(), call.text))
    return Functions::closed_form(*this, *form, call);
  std::vector<std::string> names = names_of(closed_forms());
  for (const auto& row : functions_of_one) names.push_back(row.first);
  for (const auto& row : functions) names.push_back(row.first);
  throw bad_input("no function is called \"{}\"{}", call.text, did_you_mean(nearest_name(call.text, names)));
}

}  // namespace rarefact::claims
