#pragma once

/// Margins of every class, step by step.

#include "core/compensated_sum.hpp"
#include "model/margin.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// The probability that moves a right logit of a group in training: each of R right answers has the share p/R.
template <class Real>
Real moving_probability(const PredictionInput& input, std::size_t group) {
  const Real p = input.training(group);
  return input.answers.empty() ? p : Real(p / Real(input.answers[group].right));
}

/// The speed of the margin of every group: p K/(R(K-R)).
template <class Real>
std::vector<Real> margin_speeds(const PredictionInput& input) {
  std::vector<Real> speed = answers_for_each_right<Real>(input);
  for (std::size_t g = 0; g < speed.size(); ++g)
    speed[g] = margin_speed<Real>(moving_probability<Real>(input, g), speed[g]);
  return speed;
}

/// m ← (1 - η_t λ) m + change from the margin of the start, where move(x, change) gives the changes of one update, η = 1, as a function of
/// x = π₁ - p̂. The state is the margin if α = 0, where x is the error, and otherwise the distance to the optimum. Both
/// resolve late steps, where the difference π₁ - p̂ would be rounding noise.
template <class Real, class Move>
MarginsOf<Real> margin_recursion(const PredictionInput& input, std::span<const std::int64_t> steps,
                                 Move move) {
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  const Real noise = input.label_noise;
  const std::size_t groups = total.size();
  std::vector<Real> optimum(groups), state(groups, Real(0)), left_out = state, shortfall(groups),
                                                             change = state;
  for (std::size_t i = 0; i < groups; ++i) {
    // Near it rounding of the optimum moves the distance more than that of the steps does.
    optimum[i] = rounded<Real>(optimal_margin<Real>(total[i], noise), input.rounding);
    const Real start = start_margin<Real>(input);
    state[i] = noise == 0 ? start : Real(optimum[i] - start);
    if (noise != 0) left_out[i] = (optimum[i] - state[i]) - start;
  }
  const auto margin = [&](std::size_t i) {
    return noise == 0 ? state[i] : Real((optimum[i] - state[i]) - left_out[i]);
  };
  MarginsOf<Real> table;
  table.reserve(steps.size() * groups);
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      for (std::size_t i = 0; i < groups; ++i)
        shortfall[i] = noise == 0 ? error_of_margin<Real>(state[i], total[i])
                                  : shortfall_at_distance<Real>(state[i], total[i], noise);
      move(shortfall, change);
      const Real size = step_size_at<Real>(input, done), shrink = size * Real(input.schedule.decay);
      for (std::size_t i = 0; i < groups; ++i) {
        Real added = size * change[i];
        if (shrink != 0) added -= shrink * margin(i);
        add_carried<Real>(state[i], left_out[i], noise == 0 ? added : Real(-added));
      }
    }
    for (std::size_t i = 0; i < groups; ++i) table.push_back({margin(i), noise == 0 ? optimum[i] : state[i]});
  }
  return table;
}

}  // namespace rarefact
