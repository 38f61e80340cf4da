#include "verify/claim_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/axes.hpp"
#include "experiment/keys.hpp"
#include "experiment/write.hpp"
#include "theory/modes.hpp"

namespace rarefact::claims {

namespace {

using Point = EvidencePoint;
using P = const Point&;

/// Short names of keys.
const std::map<std::string, std::string> short_keys = {
    {"s", "classes.exponent"}, {"d", "embedding.dimension"}, {"B", "data.batch"}};

/// Least over largest; 1 if all are equal.
double evenness(const std::vector<double>& numbers) {
  const auto [lowest, highest] = std::ranges::minmax(numbers);
  return lowest / highest;
}

/// For every class row p over σ = (Σ p²)^½ of its answer's queries.
FormClasses classes_of(const Run& run) {
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

std::vector<double> sigma(const Run& run) {
  const FormClasses classes = classes_of(run);
  return mapped(classes.queries, [&](const FormClasses::Query& query) {
    return classes.answers.probability[static_cast<std::size_t>(query.answer)];
  });
}

/// h and a of every class row of a run on least squares, W = 0 at the start.
SquareModes modes_of(const Point& point) {
  PredictionInput input;
  input.class_probability = point.run().class_probability;
  input.squares = point.experiment.squares;
  return rarefact::modes_of(input);
}

/// Numbers of a point: a single one, or one per optimizer or class row.
enum class Of { point, optimizers, rows };
struct Named {
  Of of;
  std::function<std::vector<double>(const Point&)> numbers;
};

template <class F>
Named point(const F& f) {
  return {Of::point, [f](const Point& point) { return std::vector{static_cast<double>(f(point))}; }};
}

template <class F>
Named optimizers(F f) {
  return {Of::optimizers, [f](const Point& point) { return mapped(point.experiment.optimizers, f); }};
}

template <class F>
Named rows(const F& f) {
  return {Of::rows, [f](const Point& point) { return std::invoke(f, point.run()); }};
}

double momentum(const OptimizerChoice& choice) {
  return choice.parameters.has("momentum") ? choice.parameters.number("momentum") : 0;
}

std::vector<double> row_numbers(const Run& run) {
  std::vector<double> rows(run.class_count.size());
  std::iota(rows.begin(), rows.end(), 1.0);
  return rows;
}

std::vector<double> fan_in(const Run& run) {
  return run.answers ? run.answers->class_fan_in : std::vector<double>(run.class_count.size(), 1);
}

const std::map<std::string, Named> named_numbers = {
    {"K", point([](P x) { return x.run().answers ? x.run().answers->answer_count : x.class_total(); })},
    {"N", point([](P x) { return x.class_total(); })},
    {"M", point([](P x) { return x.run().class_count.size(); })},
    {"C", point([](P x) { return evenness(x.run().class_count) == 1 ? x.run().class_count[0] : missing; })},
    {"p_max", point([](P x) { return std::ranges::max(x.run().class_probability); })},
    {"p_min", point([](P x) { return std::ranges::min(x.run().class_probability); })},
    {"r", point([](P x) { return evenness(x.run().class_probability); })},
    {"alpha", point([](P x) { return x.experiment.label_noise; })},
    {"eps", point([](P x) { return x.experiment.rho_epsilon; })},
    {"seed", point([](P x) { return x.experiment.seed; })},
    {"steps", point([](P x) { return x.experiment.steps; })},
    {"precision", point([](P x) { return x.experiment.precision; })},
    {"eta", optimizers([](const OptimizerChoice& x) { return x.step_size.number; })},
    {"mu", optimizers(momentum)},
    {"leap_error",
     {Of::optimizers, [](P x) { return mapped(x.run().trajectories, &Trajectory::fast_forward_error); }}},
    {"p", rows(&Run::class_probability)},
    {"count", rows(&Run::class_count)},
    {"rank",
     rows([](const Run& run) { return mapped(run.class_log_rank, [](double y) { return std::exp(y); }); })},
    {"row", rows(row_numbers)},
    {"fan_in", rows(fan_in)},
    {"sigma", rows(sigma)},
    {"h", {Of::rows, [](P x) { return modes_of(x).curvature; }}},
    {"a", {Of::rows, [](P x) { return modes_of(x).coefficient; }}},
};

}  // namespace

ExperimentData::ExperimentData(const EvidencePoints& points, bool rehearsal, Tamper tamper)
    : points_(points),
      rehearsal_(rehearsal),
      tamper_(std::move(tamper)),
      labels_(names_of(points.front().experiment.optimizers)) {
  std::set<std::int64_t> steps;
  for (const Point& point : points) {
    steps.insert(point.result.steps.begin(), point.result.steps.end());
    rows_ = std::max(rows_, point.run().class_count.size());
  }
  steps_.assign(steps.begin(), steps.end());
}

std::optional<std::size_t> ExperimentData::axis_of(const std::string& key) const {
  for (std::size_t a = 0; a < points_.axes.size(); ++a) {
    if (contains(points_.axes[a].keys, key)) return a;
  }
  return {};
}

Dimensions ExperimentData::point_axes() const {
  Dimensions axes;
  for (std::size_t a = 0; a < points_.axes.size(); ++a) {
    if (a != axis_of("seed")) axes.insert(a);
  }
  return axes;
}

Array ExperimentData::text(const std::string& text) const {
  Array array = number(number_of(text));
  array.is_text = true;
  return array;
}

/// An array from the numbers of each point, in order, over optimizers, steps and class rows.
template <class F>
Array ExperimentData::of_points(std::size_t optimizers, std::size_t steps, std::size_t rows,
                                const F& numbers) const {
  Array array{.shape = mapped(points_.axes, &SweepAxis::size)};
  array.shape.insert(array.shape.end(), {optimizers, steps, rows});
  for (const Point& point : points_) {
    const std::size_t begin = array.entries.size();
    for (const Number number : numbers(point)) array.entries.push_back(number);
    array.entries.resize(begin + optimizers * steps * rows);
  }
  return array;
}

Array ExperimentData::collapsed(Array array) const {
  for (std::size_t d = 0; d < points_.axes.size(); ++d) {
    bool same = true;
    Array less = reduced(array, {d}, [&](const std::vector<double>& x) {
      same = same && x.size() == array.shape[d] && std::ranges::all_of(x, [&](double y) {
               return y == x[0] || (std::isnan(y) && std::isnan(x[0]));
             });
      return x[0];
    });
    if (same) array = std::move(less);
  }
  return array;
}

Array ExperimentData::variable(const std::string& name, std::size_t rows) const {
  // A prediction that does not apply is present as NaN.
  const bool predicted = name.find("_predicted") != std::string::npos;
  Array array = of_points(labels_.size(), steps_.size(), rows, [&](const Point& point) {
    const std::vector<std::int64_t>& own = point.result.steps;
    std::vector<Number> all;
    for (const Trajectory& trajectory : point.run().trajectories) {
      const auto series = trajectory.series.find(name);
      const bool recorded = series != trajectory.series.end();
      const std::size_t width = recorded    ? series->second.size() / own.size()
                                : predicted ? std::min(rows, point.run().class_count.size())
                                            : 0;
      std::size_t record = 0;
      for (const std::int64_t step : steps_) {
        while (record < own.size() && own[record] < step) ++record;
        const bool there = record < own.size() && own[record] == step;
        for (std::size_t row = 0; row < rows; ++row) {
          Number& entry = all.emplace_back();
          if (there && row < width) entry = recorded ? series->second[record * width + row] : missing;
        }
      }
    }
    return all;
  });
  if (tamper_) tamper_(name, array);
  return array;
}

std::optional<Array> ExperimentData::named(const std::string& name) const {
  if (const auto found = named_numbers.find(name); found != named_numbers.end()) {
    const auto& [of, numbers] = found->second;
    return collapsed(
        of_points(of == Of::optimizers ? labels_.size() : 1, 1, of == Of::rows ? rows_ : 1, numbers));
  }
  if (const auto found = short_keys.find(name); found != short_keys.end()) return key(found->second);
  if (name == "step") {
    return collapsed(of_points(1, steps_.size(), 1, [&](const Point& point) {
      return mapped(steps_, [&](std::int64_t step) {
        const bool recorded = std::ranges::binary_search(point.result.steps, step);
        return recorded ? Number(static_cast<double>(step)) : Number();
      });
    }));
  }
  if (name == "t") {
    const Array eta = *named("eta"), step = *named("step");
    return computed({&eta, &step}, [](const double* x) { return x[0] * x[1]; });
  }
  if (name == "optimizer") {
    Array array{.shape = Shape(dimensions(), 1), .entries = {}, .is_text = true};
    array.shape[optimizer()] = labels_.size();
    for (const std::string& label : labels_) array.entries.push_back(number_of(label));
    return array;
  }
  for (const Point& point : points_) {
    for (const Variable& variable : point.result.variables) {
      // A prediction that applies to no run is also present, as NaN.
      if (variable.name != name && !(name + "_").starts_with(variable.name + "_predicted_")) continue;
      if (variable.along != Along::class_groups && variable.along != Along::nothing)
        throw bad_input("{} is along the answers, which claims do not read", name);
      read_.insert(name);
      return this->variable(name, variable.along == Along::class_groups ? rows_ : 1);
    }
  }
  return {};
}

double ExperimentData::value_of(const ClosedForm& form, const double* x, bool precise) const {
  const auto [known, fresh] =
      known_forms_.try_emplace({&form, nullptr, std::vector<double>(x, x + form.arguments.size())});
  if (fresh) known->second = {form.value(x, precise)};
  return known->second.front();
}

Array ExperimentData::of_classes(const ClosedForm& form, const std::vector<Array>& arguments, bool precise,
                                 const Array& where) const {
  const Dimensions inside = {optimizer(), step(), row()};
  const Shape shape = of_points(1, 1, 1, [](const Point&) { return std::vector<double>(1); }).shape;
  const auto some = [](const std::vector<double>& x) {
    return std::ranges::any_of(x, [](double value) { return value != 0; }) ? Number(1) : Number();
  };
  const Array wanted = expanded(reduced(where, inside, some), shape);
  std::vector<Array> numbers;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const auto single = [&](const std::vector<double>& x) {
      if (least(x) < greatest(x))
        throw bad_input("{}: {} is several numbers of one point", form.name, form.arguments[a]);
      return x.front();
    };
    numbers.push_back(expanded(reduced(arguments[a], inside, single), shape));
  }
  const auto values_of = [&](const Point& point) -> std::vector<double> {
    const auto i = static_cast<std::size_t>(&point - points_.data());
    std::vector<double> x;
    for (const Array& argument : numbers) {
      if (argument.entries[i]) x.push_back(*argument.entries[i]);
    }
    if (!wanted.entries[i] || x.size() < numbers.size()) return {};
    const auto [known, fresh] = known_forms_.try_emplace({&form, &point, x});
    if (fresh) known->second = form.values(classes_of(point.run()), x.data(), precise);
    return known->second;
  };
  std::size_t width = 1;
  for (const Point& point : points_) width = std::max(width, values_of(point).size());
  return collapsed(of_points(1, 1, width > 1 ? std::max(width, rows_) : 1, values_of));
}

std::vector<std::string> ExperimentData::names() const {
  std::vector<std::string> all = {"step", "t", "optimizer"};
  for (const auto& row : named_numbers) all.push_back(row.first);
  for (const auto& row : short_keys) all.push_back(row.first);
  for (const Variable& variable : points_.front().result.variables) all.push_back(variable.name);
  return all;
}

std::optional<ConfigNode> ExperimentData::setting_of(const std::string& key) const {
  ConfigNode root = parse_file(to_toml(points_.front().experiment), "");
  if (const ConfigNode* found = setting_of_key(root, key)) return *found;
  // A key of [embedding] must have the same value for queries and answers.
  const KeyPath path(key);
  if (path.section() != "embedding") return {};
  const auto query = setting_of("embedding.query." + path.name),
             answer = setting_of("embedding.answer." + path.name);
  return query && answer && to_toml(*query) == to_toml(*answer) ? query : std::nullopt;
}

Array ExperimentData::key(const std::string& key) const {
  const auto axis = axis_of(key);
  std::vector<SweptValue> values;
  Array array{.shape = Shape(dimensions(), 1)};
  if (axis) {
    const SweepAxis& own = points_.axes[*axis];
    values = own.values[static_cast<std::size_t>(std::ranges::find(own.keys, key) - own.keys.begin())];
    array.shape[*axis] = values.size();
  } else {
    const auto found = setting_of(key);
    if (!found || find_key(key) == nullptr) throw bad_input("the experiment has no key \"{}\"", key);
    values = swept_values({key, {*found}});
  }
  array.is_text = std::holds_alternative<std::string>(values.front());
  for (const SweptValue& value : values)
    array.entries.push_back(array.is_text ? number_of(std::get<std::string>(value))
                                          : std::get<double>(value));
  return array;
}

}  // namespace rarefact::claims
