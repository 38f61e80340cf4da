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

ExperimentData::ExperimentData(const EvidencePoints& evidence, bool before, Tamper tamper)
    : evidence_(evidence), tamper_(std::move(tamper)) {
  rehearsal = before;
  keys = mapped(evidence.axes, &SweepAxis::keys);
  points = mapped(evidence.axes, &SweepAxis::size);
  labels = names_of(evidence.front().experiment.optimizers);
  std::set<std::int64_t> all;
  for (const Point& point : evidence) {
    all.insert(point.result.steps.begin(), point.result.steps.end());
    rows = std::max(rows, point.run().class_count.size());
  }
  steps.assign(all.begin(), all.end());
}

FormClasses ExperimentData::classes(std::size_t point) const {
  return classes_of(evidence_.at(point).run());
}

/// An array from the numbers of each point, in order, over optimizers, steps and class rows.
template <class F>
Array ExperimentData::of_points(std::size_t optimizers, std::size_t width, std::size_t class_rows,
                                const F& numbers) const {
  Array array{.shape = points};
  array.shape.insert(array.shape.end(), {optimizers, width, class_rows});
  for (const Point& point : evidence_) {
    const std::size_t begin = array.entries.size();
    for (const Number number : numbers(point)) array.entries.push_back(number);
    array.entries.resize(begin + optimizers * width * class_rows);
  }
  return array;
}

Array ExperimentData::variable(const std::string& name, std::size_t width) const {
  // A prediction that does not apply is present as NaN.
  const bool predicted = name.find("_predicted") != std::string::npos;
  Array array = of_points(labels.size(), steps.size(), width, [&](const Point& point) {
    const std::vector<std::int64_t>& own = point.result.steps;
    std::vector<Number> all;
    for (const Trajectory& trajectory : point.run().trajectories) {
      const auto series = trajectory.series.find(name);
      const bool recorded = series != trajectory.series.end();
      const std::size_t own_width = recorded    ? series->second.size() / own.size()
                                    : predicted ? std::min(width, point.run().class_count.size())
                                                : 0;
      std::size_t record = 0;
      for (const std::int64_t step : steps) {
        while (record < own.size() && own[record] < step) ++record;
        const bool there = record < own.size() && own[record] == step;
        for (std::size_t row = 0; row < width; ++row) {
          Number& entry = all.emplace_back();
          if (there && row < own_width) entry = recorded ? series->second[record * own_width + row] : missing;
        }
      }
    }
    return all;
  });
  if (tamper_) tamper_(name, array);
  return array;
}

std::optional<Array> ExperimentData::read(const std::string& name) const {
  if (const auto found = named_numbers.find(name); found != named_numbers.end()) {
    const auto& [of, numbers] = found->second;
    return collapsed(
        of_points(of == Of::optimizers ? labels.size() : 1, 1, of == Of::rows ? rows : 1, numbers),
        points.size());
  }
  if (const auto found = short_keys.find(name); found != short_keys.end()) return key(found->second);
  if (name == "step") {
    return collapsed(of_points(1, steps.size(), 1,
                               [&](const Point& point) {
                                 return mapped(steps, [&](std::int64_t step) {
                                   const bool recorded = std::ranges::binary_search(point.result.steps, step);
                                   return recorded ? Number(static_cast<double>(step)) : Number();
                                 });
                               }),
                     points.size());
  }
  if (name == "t") {
    const Array eta = *read("eta"), step = *read("step");
    return computed({&eta, &step}, [](const double* x) { return x[0] * x[1]; });
  }
  if (name == "optimizer") {
    Array array{.shape = Shape(dimensions(), 1), .entries = {}, .is_text = true};
    array.shape[optimizer()] = labels.size();
    for (const std::string& label : labels) array.entries.push_back(number_of(label));
    return array;
  }
  for (const Point& point : evidence_) {
    for (const Variable& variable : point.result.variables) {
      // A prediction that applies to no run is also present, as NaN.
      if (variable.name != name && !(name + "_").starts_with(variable.name + "_predicted_")) continue;
      if (variable.along != Along::class_groups && variable.along != Along::nothing)
        throw bad_input("{} is along the answers, which claims do not read", name);
      read_.insert(name);
      return this->variable(name, variable.along == Along::class_groups ? rows : 1);
    }
  }
  return {};
}

std::vector<std::string> ExperimentData::names() const {
  std::vector<std::string> all = {"step", "t", "optimizer"};
  for (const auto& row : named_numbers) all.push_back(row.first);
  for (const auto& row : short_keys) all.push_back(row.first);
  for (const Variable& variable : evidence_.front().result.variables) all.push_back(variable.name);
  return all;
}

std::optional<ConfigNode> ExperimentData::setting_of(const std::string& key) const {
  ConfigNode root = parse_file(to_toml(evidence_.front().experiment), "");
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
    const SweepAxis& own = evidence_.axes[*axis];
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
