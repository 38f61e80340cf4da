#include "sim/twin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/transform.hpp"
#include "metrics/update_digits.hpp"
#include "sim/comparison.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

namespace {

/// True if the symmetric algebra would store identical queries or answers once.
bool has_identical(const Spectrum& spectrum) {
  const auto several = [](double number) { return number > 1; };
  if (!spectrum.groups || !spectrum.answers) return false;
  return std::ranges::any_of(spectrum.answers->components->groups, [&](const ComponentGroup& group) {
    return std::ranges::any_of(group.answer_multiplicity, several) ||
           std::ranges::any_of(group.queries, several, &QueryType::multiplicity);
  });
}

/// ∞ at the steps at which the losses, or the errors of a class, of two runs have fewer than 3 digits in common, 0 at the
/// others.
std::vector<double> partings(const Trajectory& run, const Trajectory& other, std::size_t steps) {
  return mapped(differences({"loss", "error"}, run, other, steps), [](double apart) {
    return apart <= std::pow(10, -min_digits) ? 0 : std::numeric_limits<double>::infinity();
  });
}

}  // namespace

std::optional<Experiment> twin_of(const EngineQuery& query, const Reduction& reduction,
                                  const EngineCost& cost) {
  if (reduction.way != Way::dense || query.experiment.sampled() || cost.digits ||
      !(query.experiment.of_attributes() || has_identical(query.spectrum)))
    return {};
  Experiment twin = query.experiment;
  twin.optimizers = {query.choice};
  twin.optimizers[0].search.reset();
  twin.weights = false;
  twin.engine = "symmetric";
  twin.digits = twin.spectral_metrics = "off";
  if (first_refusal({twin, query.spectrum, twin.optimizers[0]}, Way::symmetric).requirement) return {};
  return twin;
}

double twin_seconds(const EngineQuery& query, const Reduction& reduction, const EngineCost& cost) {
  const std::optional<Experiment> twin = twin_of(query, reduction, cost);
  if (!twin) return 0;
  const EngineQuery symmetric{*twin, query.spectrum, twin->optimizers[0]};
  const EngineCost found = training_cost(symmetric, form_of(symmetric, Way::symmetric), 0);
  return found.begun + found.seconds;
}

std::vector<double> twin_gains(const Unit& unit, const Trajectory& trajectory, const FileReaders& readers,
                               Watch watch) {
  std::optional<Experiment> twin = twin_of(unit.query(), unit.reduction, unit.cost());
  if (!twin) return {};
  const OptimizerChoice& choice = twin->optimizers[0];
  twin->optimizers[0].step_size = unit.step_size;
  watch.name += ".twin";
  try {
    const Setup setup = resolve(*twin, readers);
    const LearningProblem problem(*twin, setup, readers.arrays, unit.problem->workers);
    const Trajectory other = run({&problem, &choice, setup.engines[0].reduction, unit.step_size}, watch);
    if (twin->of_attributes()) return partings(trajectory, other, unit.problem->steps.size());
    const std::vector<double>* gains = other.find("twin_gain");
    return gains ? *gains : std::vector<double>();
  } catch (const std::runtime_error&) {  // a note is not worth the run that it is about
    return {};
  }
}

}  // namespace rarefact
