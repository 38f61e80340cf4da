#include "experiment/step_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/end_rows.hpp"
#include "core/first_index.hpp"
#include "core/scalar_expression.hpp"
#include "core/text.hpp"

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

Score alone(double value) {
  return {value, value};
}

/// The first recorded step with the error below the threshold; where there is none, or two are equal, the error at
/// the last step decides.
Score steps_to_error(const Trajectory& trajectory, const StepSearch& search, const RecordedRows& recorded) {
  const SearchedError& error = row_named(searched_errors(), search.of, "error of a search");
  const std::vector<std::int64_t>& steps = recorded.steps;
  const double last = error.at(trajectory, steps.size() - 1, recorded);
  const std::size_t first = first_index(steps.size(), [&](std::size_t record) {
    return error.at(trajectory, record, recorded) < search.below;
  });
  return {first < steps.size() ? static_cast<double>(steps[first]) : infinite, last};
}

/// The errors of the class rows at a record.
std::span<const double> class_errors(const Trajectory& trajectory, std::size_t record,
                                     const RecordedRows& recorded) {
  const std::size_t rows = recorded.probability.size();
  return std::span(trajectory.series.at("error")).subspan(record * rows, rows);
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
  throw bad_input("optimizer '{}': its step size \"{}\" is {:g}; expected a number > 0 ({})", choice.name,
                  expression, value, given);
}

const std::vector<SearchCriterion>& search_criteria() {
  static const std::vector<SearchCriterion> rows = {
      {"loss", "the loss at the last step",
       [](const Trajectory& trajectory, const auto&...) {
         return alone(trajectory.series.at("loss").back());
       }},
      {"excess_loss", "the excess loss at the last step",
       [](const Trajectory& trajectory, const auto&...) {
         return alone(trajectory.series.at("excess_loss").back());
       }},
      {"error", "the total error at the last step",
       [](const Trajectory& trajectory, const auto&...) { return alone(trajectory.total_error); }},
      {"steps_to_error", "the first recorded step with an error below a threshold", steps_to_error, true},
  };
  return rows;
}

const std::vector<SearchedError>& searched_errors() {
  static const std::vector<SearchedError> rows = {
      {"rarest", "of the class row with the least probability",
       [](const Trajectory& trajectory, std::size_t record, const RecordedRows& recorded) {
         return class_errors(trajectory, record, recorded)[end_rows(recorded.probability).tail];
       }},
      {"all", "the largest of any class row",
       [](const Trajectory& trajectory, std::size_t record, const RecordedRows& recorded) {
         return std::ranges::max(class_errors(trajectory, record, recorded));
       }},
      {"weighted", "the mean over all classes by probability",
       [](const Trajectory& trajectory, std::size_t record, const RecordedRows& recorded) {
         // Only of the last record errors far below 1e-16 are held.
         return record + 1 == recorded.steps.size() ? trajectory.total_error
                                                    : 1 - trajectory.series.at("soft_recovery")[record];
       }},
  };
  return rows;
}

}  // namespace rarefact
