#include "experiment/step_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "query/evaluate.hpp"

namespace rarefact {

namespace {

double likeliest(const Experiment&, const Spectrum& spectrum) {
  return spectrum.training_range().second;
}

double rarest(const Experiment&, const Spectrum& spectrum) {
  return spectrum.training_range().first;
}

}  // namespace

const std::vector<ProblemNumber>& problem_numbers() {
  static const std::vector<ProblemNumber> rows = {
      {"p_max", "the probability of the most frequent class", likeliest},
      {"p_min", "that of the rarest", rarest},
      {"K", "the number of answers, without an answer law that of classes",
       [](const Experiment&, const Spectrum& s) { return s.answer_count(); }},
      {"steps", "run.steps",
       [](const Experiment& e, const Spectrum&) { return static_cast<double>(e.steps); }},
      {"alpha", "data.label_noise", [](const Experiment& e, const Spectrum&) { return e.label_noise; }},
  };
  return rows;
}

std::string checked_expression(const std::string& text) {
  query::NamedNumbers names;
  for (const ProblemNumber& row : problem_numbers()) names[row.name] = 1;
  query::number_value(text, names);
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string form;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    const bool new_word =
        i > 0 && text[i - 1] == ' ' && !form.empty() && in_word(form.back()) && in_word(text[i]);
    form += (new_word ? " " : "") + std::string(1, text[i]);
  }
  return form;
}

double step_size_value(const StepSize& size, const OptimizerChoice& choice, const Experiment& experiment,
                       const Spectrum& spectrum) {
  if (size.expression.empty()) return size.number;
  query::NamedNumbers names;
  for (const ProblemNumber& row : problem_numbers()) names[row.name] = row.value(experiment, spectrum);
  const double value = query::number_value(size.expression, names);
  if (std::isfinite(value) && value > 0) return value;
  std::string given;
  for (const auto& [name, number] : names)
    given += fmt::format("{}{} = {:g}", given.empty() ? "" : ", ", name, number);
  throw InputError(
      {problem_about(step_size_key(choice.name),
                     fmt::format("optimizer '{}': its step size \"{}\" is {:g}; expected a number > 0 ({})",
                                 choice.name, size.expression, value, given))});
}

const std::vector<SearchCriterion>& search_criteria() {
  static const std::vector<SearchCriterion> rows = {
      {"loss", "the loss at the last step", "loss"},
      {"excess_loss", "the excess loss at the last step", "excess_loss"},
      {"error", "the total error at the last step", "total_error"},
  };
  return rows;
}

const SearchCriterion& criterion_of(const StepSearch& search) {
  return row_named(search_criteria(), search.minimise, "criterion");
}

}  // namespace rarefact
