#include "tables/point_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/transform.hpp"
#include "query/array.hpp"
#include "theory/modes.hpp"

namespace rarefact {

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

namespace {

using Point = FramePoint;
using P = const Point&;

double class_total(const Run& run) {
  return std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
}

/// Least over largest; 1 if all are equal.
double evenness(const std::vector<double>& numbers) {
  const auto [lowest, highest] = std::ranges::minmax(numbers);
  return lowest / highest;
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
  input.class_probability = point.run->class_probability;
  input.squares = point.experiment().squares;
  return rarefact::modes_of(input);
}

using Named = PointNumbers;
using Of = PointNumbers::Of;

template <class F>
Named point(const F& f) {
  return {Of::point, [f](const Point& point) { return std::vector{static_cast<double>(f(point))}; }};
}

template <class F>
Named optimizers(F f) {
  return {Of::optimizers, [f](const Point& point) { return mapped(point.experiment().optimizers, f); }};
}

template <class F>
Named rows(const F& f) {
  return {Of::rows, [f](const Point& point) { return std::invoke(f, *point.run); }};
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

}  // namespace

const std::map<std::string, PointNumbers>& point_numbers() {
  static const std::map<std::string, PointNumbers> rows_by_name = {
      {"K", point([](P x) { return x.run->answers ? x.run->answers->answer_count : class_total(*x.run); })},
      {"N", point([](P x) { return class_total(*x.run); })},
      {"M", point([](P x) { return x.run->class_count.size(); })},
      {"C",
       point([](P x) { return evenness(x.run->class_count) == 1 ? x.run->class_count[0] : query::missing; })},
      {"p_max", point([](P x) { return std::ranges::max(x.run->class_probability); })},
      {"p_min", point([](P x) { return std::ranges::min(x.run->class_probability); })},
      {"r", point([](P x) { return evenness(x.run->class_probability); })},
      {"alpha", point([](P x) { return x.experiment().label_noise; })},
      {"eps", point([](P x) { return x.experiment().rho_epsilon; })},
      {"seed", point([](P x) { return x.experiment().seed; })},
      {"steps", point([](P x) { return x.experiment().steps; })},
      {"precision", point([](P x) { return x.experiment().precision; })},
      {"eta", optimizers([](const OptimizerChoice& x) { return x.step_size.number; })},
      {"mu", optimizers(momentum)},
      {"leap_error",
       {Of::optimizers, [](P x) { return mapped(x.run->trajectories, &Trajectory::fast_forward_error); }}},
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
  return rows_by_name;
}

}  // namespace rarefact
