#include "verify/claim_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "experiment/setting.hpp"
#include "experiment/write.hpp"
#include "theory/modes.hpp"

namespace rarefact::claims {

namespace {

/// Short names of keys.
const std::map<std::string, std::string> short_keys = {
    {"s", "classes.exponent"}, {"d", "embedding.dimension"}, {"B", "data.batch"}};

using Point = EvidencePoint;

/// Least over largest, which is 1 where all are alike.
double evenness(const std::vector<double>& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  return least / most;
}

/// A number of each point.
const std::map<std::string, double (*)(const Point&)> point_numbers = {
    {"K", [](const Point& x) { return x.run().answers ? x.run().answers->answer_count : x.class_total(); }},
    {"N", [](const Point& x) { return x.class_total(); }},
    {"M", [](const Point& x) { return static_cast<double>(x.run().class_count.size()); }},
    {"C",
     [](const Point& x) { return evenness(x.run().class_count) == 1 ? x.run().class_count[0] : missing; }},
    {"p_max", [](const Point& x) { return std::ranges::max(x.run().class_probability); }},
    {"p_min", [](const Point& x) { return std::ranges::min(x.run().class_probability); }},
    {"r", [](const Point& x) { return evenness(x.run().class_probability); }},
    {"alpha", [](const Point& x) { return x.experiment.label_noise; }},
    {"eps", [](const Point& x) { return x.experiment.rho_epsilon; }},
    {"seed", [](const Point& x) { return static_cast<double>(x.experiment.seed); }},
    {"steps", [](const Point& x) { return static_cast<double>(x.experiment.steps); }},
    {"precision", [](const Point& x) { return static_cast<double>(x.experiment.precision); }},
};

/// Of every class row p over σ = (Σ p²)^½ of its answer's queries.
FormClasses classes_of(const Point& point) {
  const Run& run = point.run();
  FormClasses classes{.answers = {run.class_count, run.class_probability}, .queries = {}};
  std::vector<double>& sigma = classes.answers.probability;
  if (run.answers) {
    classes.answers = {run.answers->count, std::vector<double>(run.answers->count.size(), 0)};
    for (std::size_t row = 0; row < run.class_count.size(); ++row) {
      const auto answer = static_cast<std::size_t>(run.answers->class_answer[row]);
      const double p = run.class_probability[row],
                   queries = run.class_count[row] / run.answers->count[answer];
      sigma[answer] += queries * p * p;
    }
    for (double& squares : sigma) squares = std::sqrt(squares);
  }
  for (std::size_t row = 0; row < run.class_count.size(); ++row) {
    const auto answer = run.answers ? static_cast<std::size_t>(run.answers->class_answer[row]) : row;
    classes.queries.push_back({static_cast<Index>(answer), run.class_probability[row] / sigma[answer]});
  }
  return classes;
}

/// h and a of every class row of a run on least squares, W = 0 at the start.
SquareModes modes_of(const Point& point) {
  PredictionInput input;
  input.class_probability = point.run().class_probability;
  input.squares = point.experiment.squares;
  return rarefact::modes_of(input);
}

/// Numbers of each class row.
const std::map<std::string, std::vector<double> (*)(const Point&)> row_numbers = {
    {"p", [](const Point& x) { return x.run().class_probability; }},
    {"count", [](const Point& x) { return x.run().class_count; }},
    {"rank",
     [](const Point& x) { return mapped(x.run().class_log_rank, [](double y) { return std::exp(y); }); }},
    {"row",
     [](const Point& x) {
       std::vector<double> rows(x.run().class_count.size());
       std::iota(rows.begin(), rows.end(), 1.0);
       return rows;
     }},
    {"fan_in",
     [](const Point& x) {
       return x.run().answers ? x.run().answers->class_fan_in
                              : std::vector<double>(x.run().class_count.size(), 1);
     }},
    {"sigma",
     [](const Point& x) {
       const FormClasses classes = classes_of(x);
       return mapped(classes.queries, [&](const FormClasses::Query& query) {
         return classes.answers.probability[static_cast<std::size_t>(query.answer)];
       });
     }},
    {"h", [](const Point& x) { return modes_of(x).curvature; }},
    {"a", [](const Point& x) { return modes_of(x).coefficient; }},
};

/// A number of each optimizer.
const std::map<std::string, double (*)(const Point&, std::size_t)> optimizer_numbers = {
    {"eta", [](const Point& x, std::size_t o) { return x.experiment.optimizers[o].step_size; }},
    {"mu",
     [](const Point& x, std::size_t o) {
       const ParameterValues& parameters = x.experiment.optimizers[o].parameters;
       return parameters.has("momentum") ? parameters.number("momentum") : 0.0;
     }},
    {"leap_error", [](const Point& x, std::size_t o) { return x.run().trajectories[o].fast_forward_error; }},
};

}  // namespace

ExperimentData::ExperimentData(std::vector<SweepAxis> axes, const EvidencePoints& points, bool rehearsal)
    : axes_(std::move(axes)), points_(points), rehearsal_(rehearsal) {
  std::set<std::int64_t> steps;
  for (const EvidencePoint& point : points) {
    steps.insert(point.result.steps.begin(), point.result.steps.end());
    rows_ = std::max(rows_, point.run().class_count.size());
  }
  steps_.assign(steps.begin(), steps.end());
  for (const OptimizerChoice& choice : points.front().experiment.optimizers) labels_.push_back(choice.name);
}

std::optional<std::size_t> ExperimentData::axis_of(const std::string& key) const {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (contains(axes_[a].keys, key)) return a;
  }
  return {};
}

std::vector<bool> ExperimentData::point_axes() const {
  std::vector<bool> axes(dimensions(), false);
  for (std::size_t a = 0; a < axes_.size(); ++a) axes[a] = !contains(axes_[a].keys, std::string("seed"));
  return axes;
}

Shape ExperimentData::shape(std::size_t optimizers, std::size_t steps, std::size_t rows, bool swept) const {
  Shape shape;
  for (const SweepAxis& axis : axes_) shape.push_back(swept ? axis.size() : 1);
  shape.insert(shape.end(), {optimizers, steps, rows});
  return shape;
}

template <class F>
Array ExperimentData::of_points(const F& number) const {
  Array array = of_shape(shape(1, 1, 1));
  for (std::size_t i = 0; i < points_.size(); ++i) array.numbers[i] = number(points_[i]);
  return collapsed(std::move(array));
}

template <class F>
Array ExperimentData::of_rows(std::size_t width, const F& numbers) const {
  Array array = of_shape(shape(1, 1, width));
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::vector<double> of_point = numbers(i);
    for (std::size_t row = 0; row < width; ++row) {
      array.there[i * width + row] = row < of_point.size();
      if (row < of_point.size()) array.numbers[i * width + row] = of_point[row];
    }
  }
  return collapsed(std::move(array));
}

Array ExperimentData::collapsed(Array array) const {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    std::vector<bool> along(dimensions(), false);
    along[d] = true;
    bool same = true;
    Array less = reduced(array, along, [&](const std::vector<double>& x) {
      same = same && x.size() == array.shape[d] && std::ranges::all_of(x, [&](double y) {
               return y == x[0] || (std::isnan(y) && std::isnan(x[0]));
             });
      return std::optional(x[0]);
    });
    if (same) array = std::move(less);
  }
  return array;
}

Array ExperimentData::variable(const std::string& name, std::size_t rows) const {
  Array array = of_shape(shape(labels_.size(), steps_.size(), rows));
  for (std::size_t i = 0, place = 0; i < points_.size(); ++i) {
    const EvidencePoint& point = points_[i];
    const std::vector<std::int64_t>& own = point.result.steps;
    for (const Trajectory& trajectory : point.run().trajectories) {
      const auto series = trajectory.series.find(name);
      const std::size_t width = series == trajectory.series.end() ? 0 : series->second.size() / own.size();
      for (const std::int64_t step : steps_) {
        const auto record = std::ranges::lower_bound(own, step);
        const bool recorded = record != own.end() && *record == step;
        for (std::size_t row = 0; row < rows; ++row, ++place) {
          // A prediction that does not apply is there, and no number.
          const bool unrecorded = series == trajectory.series.end();
          array.there[place] =
              recorded && (unrecorded ? name.find("_predicted") != std::string::npos &&
                                            (rows == 1 || row < point.run().class_count.size())
                                      : row < width);
          if (array.there[place] && !unrecorded)
            array.numbers[place] =
                series->second[static_cast<std::size_t>(record - own.begin()) * width + row];
        }
      }
    }
  }
  return array;
}

std::optional<Array> ExperimentData::named(const std::string& name) const {
  if (const auto found = point_numbers.find(name); found != point_numbers.end())
    return of_points(found->second);
  if (const auto found = row_numbers.find(name); found != row_numbers.end())
    return of_rows(rows_, [&](std::size_t i) { return found->second(points_[i]); });
  if (const auto found = short_keys.find(name); found != short_keys.end()) return key(found->second);
  if (const auto found = optimizer_numbers.find(name); found != optimizer_numbers.end()) {
    Array array = of_shape(shape(labels_.size(), 1, 1));
    for (std::size_t i = 0; i < array.size(); ++i)
      array.numbers[i] = found->second(points_[i / labels_.size()], i % labels_.size());
    return collapsed(std::move(array));
  }
  if (name == "step") {
    Array array = of_shape(shape(1, steps_.size(), 1));
    for (std::size_t i = 0; i < array.size(); ++i) {
      const std::int64_t step = steps_[i % steps_.size()];
      array.there[i] = std::ranges::binary_search(points_[i / steps_.size()].result.steps, step);
      array.numbers[i] = static_cast<double>(step);
    }
    return collapsed(std::move(array));
  }
  if (name == "t") {
    const Array eta = *named("eta"), step = *named("step");
    return computed({&eta, &step}, [](const double* x) { return x[0] * x[1]; });
  }
  if (name == "optimizer") {
    Array array = of_shape(shape(labels_.size(), 1, 1, false));
    array.is_text = true;
    std::ranges::transform(labels_, array.numbers.begin(), number_of);
    return array;
  }
  for (const EvidencePoint& point : points_) {
    for (const Variable& variable : point.result.variables) {
      // A prediction that applies to no run is there, too, and no number.
      if (variable.name != name && !(name + "_").starts_with(variable.name + "_predicted_")) continue;
      if (variable.along != Along::class_groups && variable.along != Along::nothing)
        throw bad_input("{} is along the answers, which claims do not read", name);
      read_.insert(name);
      return this->variable(name, variable.along == Along::class_groups ? rows_ : 1);
    }
  }
  return {};
}

Array ExperimentData::of_classes(const ClosedForm& form, const std::vector<Array>& arguments, bool precise,
                                 const Array* where) const {
  const Shape of_points = shape(1, 1, 1);
  std::vector<bool> inside(dimensions(), false);
  for (std::size_t d = axes_.size(); d < dimensions(); ++d) inside[d] = true;
  const Array wanted =
      where == nullptr ? constant(dimensions(), 1)
                       : reduced(*where, inside, [](const std::vector<double>& x) -> std::optional<double> {
                           if (std::ranges::all_of(x, [](double value) { return value == 0; })) return {};
                           return 1;
                         });
  std::vector<Array> numbers = {expanded(wanted, of_points)};
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const Array item = reduced(arguments[a], inside, [&](const std::vector<double>& x) {
      if (least(x) < greatest(x))
        throw bad_input("{}: {} is several numbers of one point", form.name, form.arguments[a]);
      return std::optional(x.front());
    });
    numbers.push_back(expanded(item, of_points));
  }
  std::vector<std::vector<double>> found(points_.size());
  std::size_t width = 1;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!std::ranges::all_of(numbers, [i](const Array& argument) { return argument.there[i]; })) continue;
    const std::vector<double> x = mapped(numbers, [i](const Array& argument) { return argument.numbers[i]; });
    const auto [known, fresh] = known_forms_.try_emplace({&form, i, x, precise});
    if (fresh) known->second = form.values(classes_of(points_[i]), x.data() + 1, precise);
    found[i] = known->second;
    width = std::max(width, found[i].size());
  }
  return of_rows(width > 1 ? std::max(width, rows_) : 1, [&](std::size_t i) { return found[i]; });
}

std::vector<std::string> ExperimentData::names() const {
  std::vector<std::string> all = {"step", "t", "optimizer"};
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) all.push_back(row.first);
  };
  add(point_numbers);
  add(row_numbers);
  add(short_keys);
  add(optimizer_numbers);
  for (const Variable& variable : points_.front().result.variables) all.push_back(variable.name);
  return all;
}

std::optional<ConfigNode> ExperimentData::setting_of(const std::string& key) const {
  const ConfigNode root = parse_toml(to_toml(points_.front().experiment), "");
  const ConfigNode* at = &root;
  for (const std::string_view part : split_text(key, '.')) {
    if (const auto* list = at == nullptr ? nullptr : at->as<ConfigList>()) {
      const auto named = std::ranges::find_if(*list, [&](const ConfigNode& node) {
        const ConfigNode* name = node.get("name");
        return name != nullptr && *name->as<std::string>() == part;
      });
      at = named == list->end() ? nullptr : &*named;
    } else {
      at = at == nullptr ? nullptr : at->get(part);
    }
  }
  if (at != nullptr) return *at;
  // A key of the embedding is one that queries and answers have in common.
  constexpr std::string_view both = "embedding.";
  if (!key.starts_with(both) || key.find('.', both.size()) != std::string::npos) return {};
  const std::string name = key.substr(both.size());
  std::optional<ConfigNode> query = setting_of("embedding.query." + name),
                            answer = setting_of("embedding.answer." + name);
  return query && answer && to_toml(*query) == to_toml(*answer) ? query : std::nullopt;
}

Array ExperimentData::key(const std::string& key) const {
  Array array{.shape = Shape(dimensions(), 1)};
  const auto add = [&](const SweptValue& value) {
    const auto* number = std::get_if<double>(&value);
    array.numbers.push_back(!array.is_text      ? *number
                            : number != nullptr ? number_of(fmt::format("{:.12g}", *number))
                                                : number_of(std::get<std::string>(value)));
    array.there.push_back(1);
  };
  if (const auto axis = axis_of(key)) {
    const auto& keys = axes_[*axis].keys;
    const std::vector<SweptValue>& values =
        axes_[*axis].values[static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin())];
    array.is_text = std::ranges::any_of(
        values, [](const SweptValue& value) { return std::holds_alternative<std::string>(value); });
    for (const SweptValue& value : values) add(value);
    array.shape[*axis] = values.size();
    return array;
  }
  const std::optional<ConfigNode> found = setting_of(key);
  if (!found) throw bad_input("the experiment has no key \"{}\"", key);
  if (const auto* text = found->as<std::string>()) {
    array.is_text = true;
    add(*text);
  } else if (const auto* number = found->as<double>()) {
    add(*number);
  } else if (const auto* whole = found->as<std::int64_t>()) {
    add(static_cast<double>(*whole));
  } else if (const auto* yes = found->as<bool>()) {
    add(*yes ? 1.0 : 0.0);
  } else {
    throw bad_input("the key \"{}\" is neither a number nor a text", key);
  }
  return array;
}

}  // namespace rarefact::claims
