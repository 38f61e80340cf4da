// Functions that know the classes of a point: octaves, spectral measures, closed forms.

#include "algebra/spectral_measures.hpp"
#include "core/transform.hpp"
#include "query/functions.hpp"
#include "theory/require_legal.hpp"

namespace rarefact::query {

namespace {

using Kind = Syntax::Kind;

/// True if an expression has the factor `count`: its sum over rows is one over classes. `known`: answers for definitions.
bool counts_classes(const Evaluator& e, const Syntax& tree, std::map<std::string, bool>& known) {
  const auto of = [&](std::size_t i) { return counts_classes(e, tree.arguments.at(i), known); };
  const std::string& word = tree.text;
  switch (tree.kind) {
    case Kind::number:
      return tree.number == 0;
    case Kind::negative:
    case Kind::choice:
      return of(0);
    case Kind::name: {
      const auto defined = e.definitions().find(word);
      if (defined == e.definitions().end()) return word == "count";
      const auto [place, fresh] = known.try_emplace(word, false);
      if (fresh) place->second = counts_classes(e, defined->second.tree, known);
      return place->second;
    }
    case Kind::binary:
      return word == "*"   ? of(0) || of(1)
             : word == "/" ? of(0) && !of(1)
                           : (word == "+" || word == "-") && of(0) && of(1);
    case Kind::call: {
      if (word == "where") return of(1) && of(2);
      if (word == "at" || word == "prev") return of(0);
      bool other = (word == "first" || word == "last") && tree.arguments.size() == 1;  // along the step
      for (std::size_t i = 1; i < tree.arguments.size(); ++i) {
        const Syntax& along = tree.arguments[i];
        if (along.text == "class") return false;
        other = other || (along.kind == Kind::name &&
                          std::set<std::string>{"step", "seed", "point", "optimizer"}.contains(along.text));
      }
      return other && std::set<std::string>{"sum", "mean", "first", "last", "max", "min"}.contains(word) &&
             of(0);
    }
    default:
      return false;
  }
}

}  // namespace

void require_classes(const Evaluator& e, const Syntax& call, bool several) {
  using Rows = Frame::Rows;
  // The first and last rows are named as such, and what is known of the problem is not claimed of all its classes.
  if (std::set<std::string>{"first", "last", "only"}.contains(call.text)) return;
  const bool extreme = call.text == "max" || call.text == "min";
  if (extreme && !e.reads_runs(call.arguments[0])) return;
  const Rows rows = e.frame().class_rows();
  if (rows == Rows::some)
    throw bad_input("{} over classes: the class rows are some of run.classes, not all classes", call.text);
  const bool sum = call.text == "sum", mean = call.text == "mean";
  if (rows == Rows::all || !several || extreme) return;
  std::map<std::string, bool> known;
  if (sum && !counts_classes(e, call.arguments[0], known))
    throw bad_input("sum over classes: a class row represents `count` classes; multiply by count");
  if (mean)
    throw bad_input(
        "mean over classes: a class row represents `count` classes; write sum(count*x, class)/sum(count, class)");
  if (!sum && rows == Rows::nodes)
    throw bad_input("distinct over classes: the class rows are nodes of all classes");
}

Array octaves(Evaluator& e, const Syntax& call) {
  const Array x = e.number(call.arguments[0]);
  const std::vector<double> from =
      call.arguments.size() > 1 ? numbers(e.number(call.arguments[1])) : std::vector<double>{1};
  const std::size_t rows = x.shape.back();
  if (e.frame().class_rows() > Frame::Rows::groups)
    throw bad_input("octaves: the class rows are not all classes, each by itself or in its group");
  if (from.empty()) throw NoValue("octaves: the first row is missing");
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

Array spectral(Evaluator& e, const Syntax& call) {
  const auto& a = call.arguments;
  if (a.size() % 2 == 0 || a[0].kind != Syntax::Kind::text) refuse_arguments(call);
  const std::vector<std::string> names = names_of(spectral_rows());
  const SpectralRow* const measure = find_row(spectral_rows(), a[0].text);
  if (measure == nullptr)
    throw bad_input("no measure is called \"{}\"{}; there are: {}", a[0].text,
                    did_you_mean(nearest_name(a[0].text, names)), joined(names));
  std::vector<Array> given;
  for (std::size_t i = 1; i < a.size(); ++i) given.push_back(e.number(a[i]));
  // Values and multiplicities of a pair have the length of its class rows; pairs may differ.
  Shape shape(e.frame().dimensions(), 1);
  for (const Array& array : given) {
    if (array.shape.back() > 1 && e.frame().class_rows() == Frame::Rows::some)
      throw bad_input("spectral: the class rows are some of run.classes, not all classes");
    const Array rows = reduced(array, {e.frame().row()}, greatest), known{.shape = shape};
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
  return {.shape = shape,
          .entries = mapped(all, [&](const SingularValues& one) -> Number {
            if (one.values.empty()) return {};
            if (!(least(one.values) > 0) || !all_finite(one.values) || !all_finite(one.multiplicities))
              return missing;
            return (*measure)(levels_of(sorted(one)));
          })};
}

Array closed_form(Evaluator& e, const ClosedForm& form, const Syntax& call) {
  if (call.arguments.size() != form.arguments.size())
    throw bad_input("{}({}) got {} numbers", form.name, joined(form.arguments), call.arguments.size());
  const auto given = mapped(call.arguments, [&](const Syntax& tree) { return e.number(tree); });
  if (form.of_classes) return e.leaf(e.frame().of_classes(form, given, e.precise(), e.where()));
  const Arrays pointers = mapped(given, [](const Array& array) { return &array; });
  // Points outside of the range have no value. If no point is inside, the error names the range.
  std::optional<OutsideRange> outside;
  bool inside = false;
  Array values = computed(pointers, [&](const double* x) {
    try {
      const double value = e.frame().value_of(form, x, e.precise());
      inside = true;
      return value;
    } catch (const OutsideRange& error) {
      outside = error;
      return missing;
    }
  });
  if (outside && !inside) throw *outside;
  return values;
}

}  // namespace rarefact::query
