// The note on Adam's ε, by a run without it.

#include "core/status.hpp"
#include "sim/comparison.hpp"
#include "sim/notes.hpp"

namespace rarefact {

namespace {

/// The largest number of a series; 0 if there is none.
double largest(const Trajectory& trajectory, const std::string& name) {
  double most = 0;
  if (const std::vector<double>* series = trajectory.find(name))
    for (const double x : *series) most = std::fmax(most, x);
  return most;
}

constexpr double visible = 1e-6;     ///< the least gap that a figure could show
constexpr double noticeable = 0.01;  ///< the least relative change

/// The record at which the gaps of two runs are furthest apart, if by more than this share of the larger one and by a
/// number that a figure could show.
std::optional<std::size_t> gap_apart(const Trajectory& run, const Trajectory& other, double share) {
  const auto *a = run.find("gap"), *b = other.find("gap");
  if (a == nullptr || b == nullptr) return std::nullopt;
  std::optional<std::size_t> furthest;
  double most = visible;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i) {
    const double x = a->at(i), y = b->at(i), apart = std::abs(x - y);
    if (!(apart > most) || !(apart > share * std::max(std::abs(x), std::abs(y)))) continue;
    most = apart;
    furthest = i;
  }
  return furthest;
}

/// False if ε cannot change what a run shows. Entries of the gradient start at (1 - α) p_l/K or more if W is one matrix that
/// starts at 0 and its columns are classes with an answer each; √v forgets them by √β₂ a step. A gap changes by at most ten times the share of ε in
/// √v + ε.
bool epsilon_may_matter(const Attempted& kept, double epsilon) {
  constexpr double far_below = 1e-4, most = 10;
  const Experiment& experiment = kept.unit.problem->experiment;
  if (experiment.in_factors() || !experiment.starts_at_zero() || experiment.of_attributes() ||
      !experiment.own_answers() || !Sides(kept.unit.query()).identity())
    return true;
  const Spectrum& spectrum = kept.unit.problem->spectrum;
  const ParameterValues& given = kept.unit.choice->parameters;
  const double beta2 = given.has("beta2") ? given.number("beta2") : 0,
               steps = static_cast<double>(experiment.steps),
               left = std::sqrt((1 - beta2) * std::pow(beta2, steps - 1) / (1 - std::pow(beta2, steps))),
               share = epsilon / (left * (1 - experiment.label_noise) * spectrum.training_range().first /
                                  spectrum.answer_count());
  if (!(share < far_below)) return true;
  const auto* gap = kept.trajectory.find("gap");
  return gap == nullptr ||
         std::ranges::any_of(*gap, [&](double x) { return x > visible && noticeable * x < most * share; });
}

/// The series that ε may change, up to the step at which a run loses its digits.
Trajectory with_digits(const Attempted& kept) {
  const std::vector<std::int64_t>& steps = kept.unit.problem->steps;
  const Trajectory& run = kept.trajectory;
  const auto records =
      run.status == Status::digits_lost
          ? static_cast<std::size_t>(std::ranges::lower_bound(steps, run.status_step) - steps.begin())
          : steps.size();
  Trajectory first;
  for (const std::string name : {"gap", "error", "class_loss"})
    if (const std::vector<double>* series = run.find(name))
      first.series[name].assign(series->begin(), series->begin() + series->size() / steps.size() * records);
  return first;
}

}  // namespace

std::string epsilon_note(const Attempted& kept, const UnitRunner& run) {
  Unit without = kept.unit;
  const std::string key = epsilon_key(without.choice->parameters);
  if (key.empty()) return {};
  const double epsilon = without.choice->parameters.number(key);
  // A sweep that measures the digits of some points compares these.
  if (without.problem->experiment.digits == "noted")
    return epsilon_may_matter(kept, epsilon)
               ? fmt::format("the effect of ε = {:g} was not measured (run.digits = \"on\" does)", epsilon)
               : "";
  const EngineCost cost = without.cost();
  if (!cost.compares_epsilon)
    return fmt::format("the effect of ε = {:g} is unknown, since a run with ε = 0 takes some {:.0f} minutes",
                       epsilon, std::ceil(cost.repetition / 60));
  OptimizerChoice choice = *without.choice;
  choice.parameters.set(key, 0.0);
  without.choice = &choice;
  without.variant.no_epsilon = true;
  const Trajectory compared = run(without), shown = with_digits(kept);
  if (compared.status == Status::diverged &&
      (kept.trajectory.status == Status::complete || compared.status_step <= kept.trajectory.status_step))
    return fmt::format("ε = {:g} matters: with {} = 0 the run diverges at step {}", epsilon, key,
                       compared.status_step);
  if (compared.status != Status::complete) return {};
  const double change = class_difference(shown, compared);
  const std::optional<std::size_t> apart = gap_apart(shown, compared, noticeable);
  const bool has_gap = shown.series.contains("gap");
  std::string effect;
  if (change > noticeable) {
    effect = fmt::format("changes the loss of a class by up to {:.0f} %; ", 100 * change);
    if (has_gap)
      effect += fmt::format("the largest gap is {:.2g}, and {:.2g} with ε = 0; ", largest(shown, "gap"),
                            largest(compared, "gap"));
  } else if (apart) {
    effect = fmt::format("changes the gap: at step {} it is {:.2g}, and {:.2g} with ε = 0; ",
                         kept.unit.problem->steps[*apart], shown.series.at("gap")[*apart],
                         compared.series.at("gap")[*apart]);
  } else {
    return {};
  }
  return fmt::format("ε = {:g} {}set {} = 0 to avoid this", epsilon, effect, key);
}

}  // namespace rarefact
