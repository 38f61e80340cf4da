#pragma once

/// Random experiments of few classes: what a run says of its error is compared with the truth.

#include "core/random.hpp"
#include "laws/experiments.hpp"

namespace laws {

/// Numbers between 0 and 1 of one experiment.
struct Dice {
  RandomStream stream{7, "digits"};
  std::uint64_t experiment, thrown = 0;

  double operator()() { return stream.uniform(experiment, thrown++); }
  template <class T>
  const T& among(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>((*this)() * static_cast<double>(choices.size()))];
  }
};

/// Step sizes are those at which a rule learns something in some ten steps, and a few times more.
inline Experiment random_run(Dice& dice, const std::vector<ChosenRow>& spectra,
                             const std::vector<std::string>& rules, const std::vector<ChosenRow>& sides) {
  const OptimizerRow& rule = optimizer_row(dice.among(rules));
  const ChosenRow spectrum = dice.among(spectra), side = dice.among(sides);
  Experiment e = experiment(spectrum, side, side, dice() < 0.4 ? 0 : 0.25 * dice(), rule);
  OptimizerChoice& choice = e.optimizers[0];
  const bool by_gradient = rule.name == "gd" || rule.name == "momentum" || rule.name == "ngd";
  choice.step_size = std::pow(10, by_gradient ? 2.4 * dice() - 0.2 : 1.5 * dice() - 1);
  if (rule.name == "muon" && dice() < 0.5) choice.parameters.set("momentum", 0.9);
  e.steps = static_cast<std::int64_t>(20 + 80 * dice());
  return e;
}

}  // namespace laws
