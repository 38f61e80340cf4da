#include "experiment/step_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/first_index.hpp"
#include "core/scalar_expression.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double likeliest(const Experiment&, const Spectrum& spectrum) {
  if (spectrum.groups) return std::ranges::max(spectrum.groups->probability);
  return query_probabilities(*spectrum.law).second;
}

double rarest(const Experiment&, const Spectrum& spectrum) {
  if (spectrum.groups) return std::ranges::min(spectrum.groups->probability);
  return query_probabilities(*spectrum.law).first;
}

/// The value of a series at the last step.
template <const char* name>
Score last_value(const Trajectory& trajectory, const StepSearch&, const std::vector<std::int64_t>&) {
  const double value = trajectory.series.at(name).back();
  return {value, value};
}

Score last_error(const Trajectory& trajectory, const StepSearch&, const std::vector<std::int64_t>&) {
  return {trajectory.total_error, trajectory.total_error};
}

/// The first recorded step with the error below the threshold; where there is none, or two are equal, the error at
/// the last step decides.
Score steps_to_error(const Trajectory& trajectory, const StepSearch& search,
                     const std::vector<std::int64_t>& steps) {
  const SearchedError& error = row_named(searched_errors(), search.of, "error of a search");
  const double last = error.at(trajectory, steps.size() - 1, steps.size());
  const std::size_t first = first_index(steps.size(), [&](std::size_t record) {
    return error.at(trajectory, record, steps.size()) < search.below;
  });
  return {first < steps.size() ? static_cast<double>(steps[first]) : infinite, last};
}

constexpr char loss_name[] = "loss", excess_name[] = "excess_loss";

/// The errors of the class rows at a record.
std::pair<const double*, const double*> class_errors(const Trajectory& trajectory, std::size_t record,
                                                     std::size_t records) {
  const std::vector<double>& errors = trajectory.series.at("error");
  const std::size_t rows = errors.size() / records;
  return {&errors[record * rows], &errors[record * rows] + rows};
}

}  // namespace

const std::vector<ProblemNumber>& problem_numbers() {
  static const std::vector<ProblemNumber> rows = {
      {"p_max", "the probability of the most frequent class", likeliest},
      {"p_min", "that of the rarest", rarest},
      {"K", "the number of answers: without a law of answers that of classes",
       [](const Experiment&, const Spectrum& s) { return s.answer_count(); }},
      {"steps", "run.steps",
       [](const Experiment& e, const Spectrum&) { return static_cast<double>(e.steps); }},
      {"alpha", "data.label_noise", [](const Experiment& e, const Spectrum&) { return e.label_noise; }},
  };
  return rows;
}

std::string checked_expression(const std::string& text) {
  NamedNumbers names;
  for (const ProblemNumber& row : problem_numbers()) names[row.name] = 1;
  scalar_value(text, names);
  std::string form = text;
  std::erase(form, ' ');
  return form;
}

double step_size_value(const std::string& expression, const OptimizerChoice& choice,
                       const Experiment& experiment, const Spectrum& spectrum) {
  NamedNumbers names;
  for (const ProblemNumber& row : problem_numbers()) names[row.name] = row.value(experiment, spectrum);
  const double value = scalar_value(expression, names);
  if (std::isfinite(value) && value > 0) return value;
  std::string given;
  for (const auto& [name, number] : names)
    given += fmt::format("{}{} = {:g}", given.empty() ? "" : ", ", name, number);
  throw InputError(fmt::format("optimizer '{}': its step size \"{}\" is {:g}; expected a number > 0 ({})",
                               choice.name, expression, value, given));
}

const std::vector<SearchCriterion>& search_criteria() {
  static const std::vector<SearchCriterion> rows = {
      {"loss", "the loss at the last step", last_value<loss_name>},
      {"excess_loss", "the excess loss at the last step", last_value<excess_name>},
      {"error", "the total error at the last step", last_error},
      {"steps_to_error", "the first recorded step with an error below a threshold", steps_to_error, true},
  };
  return rows;
}

const std::vector<SearchedError>& searched_errors() {
  static const std::vector<SearchedError> rows = {
      {"rarest", "of the last class row, the rarest",
       [](const Trajectory& trajectory, std::size_t record, std::size_t records) {
         return *(class_errors(trajectory, record, records).second - 1);
       }},
      {"all", "the largest of any class row",
       [](const Trajectory& trajectory, std::size_t record, std::size_t records) {
         const auto [begin, end] = class_errors(trajectory, record, records);
         return *std::max_element(begin, end);
       }},
      {"weighted", "the mean over all classes by probability",
       [](const Trajectory& trajectory, std::size_t record, std::size_t records) {
         // Only of the last record errors far below 1e-16 are held.
         return record + 1 == records ? trajectory.total_error
                                      : 1 - trajectory.series.at("soft_recovery")[record];
       }},
  };
  return rows;
}

}  // namespace rarefact
