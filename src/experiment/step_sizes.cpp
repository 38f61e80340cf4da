#include "experiment/step_sizes.hpp"

#include "query/evaluate.hpp"

namespace rarefact {

namespace {

/// The value of a number or expression, and the numbers that expressions may use.
std::pair<double, std::string> value_of(const StepSize& size, const Experiment& experiment,
                                        const Spectrum& spectrum) {
  if (size.expression.empty()) return {size.number, ""};
  query::NamedNumbers names;
  for (const ProblemNumber& row : problem_numbers()) names[row.name] = row.value(experiment, spectrum);
  std::string given;
  for (const auto& [name, number] : names)
    given += fmt::format("{}{} = {:g}", given.empty() ? "" : ", ", name, number);
  return {query::number_value(size.expression, names), given};
}

double likeliest(const Experiment&, const Spectrum& spectrum) {
  return spectrum.training_range().second;
}

double rarest(const Experiment&, const Spectrum& spectrum) {
  return spectrum.training_range().first;
}

}  // namespace

const std::vector<ProblemNumber>& problem_numbers() {
  static const std::vector<ProblemNumber> rows = {
      {"p_max", "the largest probability with which training draws a class", likeliest},
      {"p_min", "the smallest", rarest},
      {"K", "the number of answers; without [answers], of classes",
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
  return without_blanks(text);
}

std::string without_blanks(const std::string& text) {
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
  const auto [value, names] = value_of(size, experiment, spectrum);
  if (size.expression.empty() || (std::isfinite(value) && value > 0)) return value;
  throw InputError(
      {problem_about(step_size_key(choice.name),
                     fmt::format("optimizer '{}': its step size \"{}\" is {:g}; expected a number > 0 ({})",
                                 choice.name, size.expression, value, names))});
}

StepSchedule schedule_of(const OptimizerChoice& choice, double step_size, const Experiment& experiment,
                         const Spectrum& spectrum) {
  StepSchedule schedule{.step_size = 1,
                        .factor = schedule_factor(choice.schedule),
                        .steps = experiment.steps,
                        .warmup = choice.warmup,
                        .offset = choice.schedule_offset,
                        .decay = value_of(choice.weight_decay, experiment, spectrum).first,
                        .coupled = choice.coupled()};
  if (!schedule.constant()) {
    // Checks, runs, their repetitions and predictions, and the points of a sweep often share a schedule.
    thread_local std::tuple<std::string, std::int64_t, std::int64_t, double> last;
    thread_local std::shared_ptr<const std::vector<double>> known;
    const std::tuple now(choice.schedule, schedule.steps, schedule.warmup, schedule.offset);
    if (!known || last != now) {
      std::vector<double> factors(static_cast<std::size_t>(std::min(schedule.steps, checked_steps)));
      for (std::size_t t = 0; t < factors.size(); ++t)
        factors[t] = schedule.at(static_cast<std::int64_t>(t)).size;
      known = std::make_shared<const std::vector<double>>(std::move(factors));
      last = now;
    }
    schedule.known = known;
  }
  schedule.step_size = step_size;
  return schedule;
}

bool decays(const OptimizerChoice& choice, const Experiment& experiment, const Spectrum& spectrum) {
  return choice.decays() && value_of(choice.weight_decay, experiment, spectrum).first != 0;
}

bool constant_steps(const OptimizerChoice& choice) {
  return choice.warmup == 0 && !schedule_factor(choice.schedule).reads("step");
}

std::vector<Problem> problems_of_steps(const OptimizerChoice& choice, const Experiment& experiment,
                                       const Spectrum& spectrum) {
  std::vector<Problem> problems;
  const auto add = [&](const char* key, const std::string& message) {
    problems.push_back(problem_about(fmt::format("optimizer.{}.{}", choice.name, key),
                                     fmt::format("optimizer '{}': its {}", choice.name, message)));
  };
  const auto [decay, names] = value_of(choice.weight_decay, experiment, spectrum);
  if (!(std::isfinite(decay) && decay >= 0))
    add("weight_decay", fmt::format("decay \"{}\" is {:g}; expected a number >= 0 ({})",
                                    choice.weight_decay.expression, decay, names));
  if (choice.coupled() && decay > 0 && choice.rule == "newton")
    add("weight_decay_kind",
        "decay is coupled, and newton solves with the Hessian of the loss, without that of λ‖W‖²/2; expected decoupled");
  if (choice.warmup >= experiment.steps)
    add("warmup", fmt::format("warm-up takes {} updates of {}; expected fewer than run.steps", choice.warmup,
                              experiment.steps));
  if (!problems.empty()) return problems;
  const StepSchedule schedule = schedule_of(choice, 1, experiment, spectrum);
  const std::int64_t begin = schedule.warmup,
                     checked = std::min(schedule.steps - begin,
                                        schedule.factor.reads("step") ? checked_steps : std::int64_t{1});
  for (std::int64_t t = begin; t < begin + checked; ++t) {
    const double factor = schedule.at(t).size;
    if (std::isfinite(factor) && factor >= 0) continue;
    add("schedule", fmt::format("schedule \"{}\" is {:g} at step {}{}; expected a number >= 0",
                                choice.schedule, std::isnan(factor) ? NAN : factor, t,
                                begin > 0 ? fmt::format(", {} after the warm-up", t - begin) : ""));
    break;
  }
  return problems;
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
