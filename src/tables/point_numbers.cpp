#include "core/number_operations.hpp"
#include "core/transform.hpp"
#include "metrics/rank_band.hpp"
#include "sim/resolve.hpp"
#include "tables/result_frame.hpp"
#include "theory/modes.hpp"

namespace rarefact {

const Run& FramePoint::problem() {
  if (experiment().classes.kind == ClassRule::Kind::groups) return *run;
  if (all_classes) return *all_classes;
  try {
    all_classes =
        std::make_shared<const Run>(problem_rows(experiment(), file_readers(experiment().base_directory)));
  } catch (const FileError& error) {  // the classes are in a file
    throw bad_input("the classes of the problem are not those of run.classes alone, and {}", error.what());
  }
  return *all_classes;
}

namespace {

SamplingLaw sampling_of(FramePoint& point) {
  const Run& all = point.problem();
  Spectrum spectrum{.groups = ClassGroups{all.class_count, all.class_probability}, .law = {}};
  spectrum.sample_by(point.experiment().sampling_exponent);
  return spectrum.sampling;
}

/// For every class row of a run that has the rows of all classes.
FormClasses classes_of_rows(const Run& run, const SamplingLaw& sampling) {
  const std::vector<double> training = mapped(run.class_probability, sampling);
  FormClasses classes{
      .answers = {run.class_count, training}, .queries = {}, .measured_apart = sampling.exponent != 1};
  std::vector<double>& sigma = classes.answers.probability;
  if (run.answers) {
    classes.answers = {run.answers->count, std::vector<double>(run.answers->count.size(), 0)};
    for (std::size_t row = 0; row < run.class_count.size(); ++row) {
      const auto answer = static_cast<std::size_t>(run.answers->class_answer[row]);
      const double p = training[row], queries = run.class_count[row] / run.answers->count[answer];
      sigma[answer] += queries * p * p;
    }
    for (double& squares : sigma) squares = std::sqrt(squares);
  }
  for (std::size_t row = 0; row < run.class_count.size(); ++row) {
    const auto answer = run.answers ? static_cast<std::size_t>(run.answers->class_answer[row]) : row;
    classes.queries.push_back({static_cast<Index>(answer), training[row] / sigma[answer]});
  }
  return classes;
}

using Point = FramePoint;
using P = Point&;

double class_total(const Run& run) {
  return std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
}

/// Least over largest; 1 if all are equal.
double evenness(const std::vector<double>& numbers) {
  const auto [lowest, highest] = std::ranges::minmax(numbers);
  return lowest / highest;
}

std::vector<double> sigma(P point) {
  const FormClasses classes = classes_of(point);
  return mapped(classes.queries, [&](const FormClasses::Query& query) {
    return classes.answers.probability[static_cast<std::size_t>(query.answer)];
  });
}

/// h and a of every class row of a run on least squares, W = 0 at the start.
SquareModes modes_of(P point) {
  if (!point.experiment().own_answers())
    throw bad_input("h and a are those of least squares where every query has its own answer (answers.law)");
  PredictionInput input;
  input.class_probability = point.run->class_probability;
  input.sampling = sampling_of(point);
  input.squares = point.experiment().squares;
  SquareModes modes = rarefact::modes_of(input);
  // The coefficient of Gaussian queries is a power of the rank, which is the row if all classes are shown.
  for (std::size_t row = 0;
       input.squares->gaussian() && &point.problem() != point.run && row < modes.coefficient.size(); ++row)
    modes.coefficient[row] = std::exp(-input.squares->exponent * point.run->class_log_rank[row]);
  return modes;
}

using Named = PointNumbers;
using Of = PointNumbers::Of;

template <class F>
Named point(const F& f) {
  return {Of::point, [f](P point) { return std::vector{static_cast<double>(f(point))}; }};
}

template <class F>
Named optimizers(F f) {
  return {Of::optimizers, [f](P point) { return mapped(point.experiment().optimizers, f); }};
}

template <class F>
Named rows(const F& f) {
  return {Of::rows, [f](P point) { return std::invoke(f, *point.run); }};
}

double momentum(const OptimizerChoice& choice) {
  return choice.parameters.has("momentum") ? choice.parameters.number("momentum") : 0;
}

/// The rank of a logarithm, whole if it is so up to rounding.
double rank_at(double log_rank) {
  const double rank = std::exp(log_rank), whole = std::round(rank);
  return equal(rank, whole) ? whole : rank;
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

FormClasses classes_of(FramePoint& point) {
  const Run &run = *point.run, &all = point.problem();
  FormClasses classes = classes_of_rows(all, sampling_of(point));
  if (&run == &all) return classes;
  const bool same_answers = !run.answers || run.answers->count.size() == all.answers->count.size();
  std::vector<FormClasses::Query> shown;
  for (std::size_t row = 0; row < run.class_count.size(); ++row) {
    const auto is_row = [&](std::size_t other) {
      return equal(all.class_probability[other], run.class_probability[row]) &&
             (!run.answers || all.answers->class_answer[other] == run.answers->class_answer[row]);
    };
    std::size_t other = 0;
    while (other < all.class_count.size() && !is_row(other)) ++other;
    if (!same_answers || other == all.class_count.size())
      throw bad_input("a class of run.classes is not a row of all classes, which this needs");
    shown.push_back(classes.queries[other]);
  }
  classes.queries = std::move(shown);
  return classes;
}

const std::map<std::string, PointNumbers>& point_numbers() {
  static const std::map<std::string, PointNumbers> rows_by_name = {
      {"K",
       point([](P x) { return x.run->answers ? x.run->answers->answer_count : class_total(x.problem()); })},
      {"N", point([](P x) { return class_total(x.problem()); })},
      {"M", point([](P x) {
         const Run& all = x.problem();
         return has_nodes(all) ? query::missing : static_cast<double>(all.class_count.size());
       })},
      {"C", point([](P x) {
         const Run& all = x.problem();
         return !has_nodes(all) && evenness(all.class_count) == 1 ? all.class_count[0] : query::missing;
       })},
      {"p_max", point([](P x) { return std::ranges::max(x.problem().class_probability); })},
      {"p_min", point([](P x) { return std::ranges::min(x.problem().class_probability); })},
      {"r", point([](P x) { return evenness(x.problem().class_probability); })},
      {"alpha", point([](P x) { return x.experiment().label_noise; })},
      {"eps", point([](P x) { return x.experiment().rho_epsilon; })},
      {"seed", point([](P x) { return x.experiment().seed; })},
      {"steps", point([](P x) { return x.experiment().steps; })},
      {"precision", point([](P x) { return x.experiment().precision; })},
      {"eta", optimizers([](const OptimizerChoice& x) { return x.step_size.number; })},
      {"mu", optimizers(momentum)},
      {"fast_forward_error",
       {Of::optimizers, [](P x) { return mapped(x.run->trajectories, &Trajectory::fast_forward_error); }}},
      {"p", rows(&Run::class_probability)},
      {"count", rows(&Run::class_count)},
      {"rank", rows([](const Run& run) { return mapped(run.class_log_rank, rank_at); })},
      {"row", rows(row_numbers)},
      {"fan_in", rows(fan_in)},
      {"sigma", {Of::rows, sigma}},
      {"h", {Of::rows, [](P x) { return modes_of(x).curvature; }}},
      {"a", {Of::rows, [](P x) { return modes_of(x).coefficient; }}},
  };
  return rows_by_name;
}

}  // namespace rarefact
