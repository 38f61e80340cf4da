#include "query/functions.hpp"

#include <algorithm>

#include "core/transform.hpp"
#include "theory/require_legal.hpp"

namespace rarefact::query {

namespace {

using Numbers = std::vector<double>;

double sum(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

double distinct(Numbers x) {
  if (!std::isfinite(greatest(x))) return missing;
  std::ranges::sort(x);
  x.erase(std::unique(x.begin(), x.end(), equal), x.end());
  return static_cast<double>(x.size());
}

double single(const Numbers& x) {
  if (std::isnan(greatest(x))) return missing;
  if (!std::ranges::all_of(x, [&](double value) { return value == x.front(); }))
    throw NoValue(fmt::format("only() found {} entries where one belongs", x.size()));
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

/// The result of a selection from an array; NaN where a point lacks the steps that conditions name.
Array of_all_points(Evaluator& e, const Evaluator::Selection& of, const Array& from, Array result) {
  const std::optional<Array> lacking = e.lacking(of.trees, from);
  if (!lacking) return result;
  return missing_at(result, reduced(*lacking, of.along, greatest));
}

Array reduction(Evaluator& e, const Syntax& call) {
  Dimensions usual = {e.frame().step()};
  if (call.text != "first" && call.text != "last") usual.insert(e.frame().row());
  Array x = e.number(call.arguments[0]);
  const Evaluator::Selection found = e.selection(call, 1, usual);
  const auto reduce = reductions.at(call.text);
  // Two numbers are meant, of which one is the dimension.
  if ((call.text == "max" || call.text == "min") && found.named && call.arguments.size() == 2 &&
      call.arguments[0].kind == Syntax::Kind::number)
    throw bad_input("{0}({1}, {2}): the number {1} is the same along {2}; write {0}({2}, {1})", call.text,
                    to_text(call.arguments[0]), to_text(call.arguments[1]));
  if (call.text == "sum" && found.named) x = e.spread(std::move(x), found.along);
  if (found.along.contains(e.frame().row()) && (found.named || x.shape.back() > 1) && found.values.empty())
    require_classes(e, call, x.shape.back() > 1 || call.text == "sum");
  for (const Array& other : found.values) {
    if ((call.text != "max" && call.text != "min") || !found.conditions.empty()) refuse_arguments(call);
    x = computed({&x, &other}, [reduce](const double* v) { return reduce({v[0], v[1]}); });
  }
  const Array all = x;
  for (const Array& condition : found.conditions) x = masked(x, condition);
  return found.values.empty() ? of_all_points(e, found, all, reduced(x, found.along, reduce)) : x;
}

Array slope(Evaluator& e, const Syntax& call) {
  const Array y = e.number(call.arguments[0]);
  Array x = e.number(call.arguments[1]);
  const Evaluator::Selection found = e.selection(call, 2, e.frame().point_axes());
  if (!found.values.empty()) refuse_arguments(call);
  const Array all = computed({&x, &y}, [](const double* v) { return v[0]; });
  for (const Array& condition : found.conditions) x = masked(x, condition);
  Evaluator::Fits& fits = e.fits();
  fits.lines.clear();
  const Array slopes = paired(x, y, found.along, [&](const Numbers& at, const Numbers& of) -> Number {
    if (!all_finite(at) || !all_finite(of)) return missing;
    std::map<double, double> points;
    for (std::size_t i = 0; i < of.size(); ++i)
      if (!points.emplace(at[i], of[i]).second) throw NoValue(fmt::format("slope: x is {:g} twice", at[i]));
    using Point = std::pair<const double, double>;
    if (points.size() >= 3)
      return fits.lines.emplace_back(fit_line(mapped(points, &Point::first), mapped(points, &Point::second)))
          .slope;
    fits.few_points = true;
    const auto first = *points.begin(), last = *points.rbegin();
    return points.size() < 2 ? missing : (last.second - first.second) / (last.first - first.first);
  });
  return of_all_points(e, found, all, slopes);
}

/// Refuses to walk along the steps where the key or the function `at` has chosen some of them before.
void require_all_steps(const Evaluator& e, const Syntax& call, const Dimensions& along) {
  if (e.chooses_steps() && along.contains(e.frame().step()))
    throw bad_input(
        "{0} walks along the steps, of which `at` reads some only; choose afterwards: last({0}(...))",
        call.text);
}

Array scan(Evaluator& e, const Syntax& call, const std::function<Number(double, Number&)>& f) {
  const Evaluator::Selection found = e.selection(call, 1, {e.frame().step()});
  if (!found.values.empty() || !found.conditions.empty() || found.along.size() != 1) refuse_arguments(call);
  require_all_steps(e, call, found.along);
  Array x = e.number(call.arguments[0]);
  if (found.named) x = e.spread(std::move(x), found.along);
  return scanned(std::move(x), *found.along.begin(), f);
}

/// x where y first reaches a level, interpolated linearly; NaN if it does not.
Array reaches(Evaluator& e, const Syntax& call) {
  const Array y = e.number(call.arguments[0]), level = e.number(call.arguments[2]);
  const Evaluator::Selection found = e.selection(call, 3, {e.frame().step()});
  if (!found.values.empty() || !found.conditions.empty()) refuse_arguments(call);
  require_all_steps(e, call, found.along);
  const Array above = computed({&y, &level}, [](const double* v) { return v[0] - v[1]; });
  return paired(e.number(call.arguments[1]), above, found.along, [](const Numbers& at, const Numbers& all) {
    const auto there = std::ranges::find_if(all, [](double v) { return !(v < 0 && std::isfinite(v)); });
    if (there == all.end() || !std::isfinite(*there)) return missing;
    const auto i = static_cast<std::size_t>(there - all.begin());
    return i == 0 ? at[0] : at[i - 1] + all[i - 1] / (all[i - 1] - all[i]) * (at[i] - at[i - 1]);
  });
}

Array first_where(Evaluator& e, const Syntax& call) {
  require_all_steps(e, call, {e.frame().step()});
  const Array holds = e.number(call.arguments[0]), step = e.named("step");
  return paired(step, holds, {e.frame().step()}, [](const Numbers& steps, const Numbers& all) {
    const auto first = std::ranges::find_if(all, [](double v) { return v != 0; });
    return first == all.end() || !std::isfinite(*first)
               ? missing
               : steps[static_cast<std::size_t>(first - all.begin())];
  });
}

}  // namespace

const std::map<std::string, Function>& functions() {
  using Call = const Syntax&;
  constexpr std::size_t any = 1000;
  static const std::map<std::string, Function> all = [] {
    std::map<std::string, Function> rows = {
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
         {2, 2, "a value and the share that it keeps",
          [](Evaluator& e, Call call) {
            const Numbers keep = numbers(e.number(call.arguments[1]));
            if (keep.empty()) throw NoValue("ema: the share that it keeps is missing");
            if (keep.size() != 1)
              throw bad_input("ema: the share that it keeps must be a single number, not {}", keep.size());
            require_all_steps(e, call, {e.frame().step()});
            return scanned(e.number(call.arguments[0]), e.frame().step(),
                           [mu = keep[0]](double entry, Number& state) {
                             return state = mu * state.value_or(0) + (1 - mu) * entry;
                           });
          }}},
        {"where",
         {3, 3, "a condition and two values",
          [](Evaluator& e, Call call) {
            const Array condition = e.number(call.arguments[0]);
            const auto branch = [&](std::size_t i) {
              const bool taken = std::ranges::any_of(condition.entries, [i](const Number& one) {
                return one && !std::isnan(truth(*one)) && (*one != 0) == (i == 1);
              });
              return taken ? e.number(call.arguments[i]) : e.unchosen().number(call.arguments[i]);
            };
            const std::vector<Array> x = {condition, branch(1), branch(2)};
            return combined({&x[0], &x[1], &x[2]}, [](const std::vector<Number>& v) {
              return !v[0] ? v[0] : std::isnan(truth(*v[0])) ? missing : *v[0] != 0 ? v[1] : v[2];
            });
          }}},
        {"key",
         {1, 2, "a quoted key, and a value where there is none",
          [](Evaluator& e, Call call) {
            const auto& a = call.arguments;
            if (a[0].kind != Syntax::Kind::text) refuse_arguments(call);
            return a.size() == 2 && !e.frame().has_key(a[0].text) ? e(a[1])
                                                                  : e.leaf(e.frame().key(a[0].text));
          }}},
        {"at", {2, 2, "a value and a step", [](Evaluator& e, Call call) {
                  Evaluator there = e.at(e.number(call.arguments[1]));
                  const Frame& frame = e.frame();
                  const Array value = there(call.arguments[0]), wanted = e.leaf(frame.number(1)),
                              own = there.leaf(*frame.read("step"));
                  // A point that no condition excludes and that has no such record has no number.
                  const Array lacking = without(wanted, own);
                  e.note_lacking("step " + to_text(call.arguments[1]), lacking);
                  return missing_at(value, lacking);
                }}}};
    for (const auto& row : reductions)
      rows[row.first] = {1, any, "a value, dimensions and conditions", reduction};
    return rows;
  }();
  return all;
}

void refuse_arguments(const Syntax& call) {
  throw bad_input("{} takes {}", call.text, functions().at(call.text).takes);
}

Array call_function(Evaluator& e, const Syntax& call) {
  const std::size_t count = call.arguments.size();
  if (const NumberOperation* function = find_row(number_functions(), call.text)) {
    if (count != function->arity)
      throw bad_input("{} takes {}, and got {}", call.text,
                      function->arity == 1 ? "one number" : "two numbers", count);
    const std::vector<Array> x =
        mapped(call.arguments, [&](const Syntax& argument) { return e.number(argument); });
    return computed(mapped(x, [](const Array& array) { return &array; }), function->of);
  }
  if (const auto found = functions().find(call.text); found != functions().end()) {
    const Function& function = found->second;
    if (count < function.least || count > function.most)
      throw bad_input("{} takes {}, and got {}", call.text, function.takes, count);
    return function.of(e, call);
  }
  if (const ClosedForm* form = find_row(closed_forms(), call.text)) return closed_form(e, *form, call);
  std::vector<std::string> names = names_of(closed_forms());
  for (const NumberOperation& row : number_functions()) names.push_back(row.name);
  for (const auto& row : functions()) names.push_back(row.first);
  throw bad_input("no function is called \"{}\"{}", call.text, function_hint(call.text, names));
}

}  // namespace rarefact::query
