#pragma once

/// Plain, slow versions of what the closed forms predict, in 50 digits, written from the definitions alone.

#include <cstdint>
#include <vector>

#include "theory/prediction.hpp"

namespace plain {

using Real = rarefact::Real50;

/// π₁ - p̂(m).
inline Real shortfall(const Real& margin, const Real& total, const Real& noise) {
  return (1 - noise + noise / total) - 1 / (1 + (total - 1) * exp(-margin));
}

/// Margin after `steps` steps of gradient descent on one class.
inline Real descend(double probability, double total, double noise, double step_size, std::int64_t steps) {
  Real margin = 0;
  for (std::int64_t t = 0; t < steps; ++t) {
    margin += Real(step_size) * probability * total / (Real(total) - 1) * shortfall(margin, total, noise);
  }
  return margin;
}

/// ln(π₁ (K-1) / (1-π₁)).
inline Real optimum(double total, double noise) {
  const Real right = 1 - Real(noise) + Real(noise) / total;
  return log(right * (Real(total) - 1) / (1 - right));
}

/// Time at which the flow from 0 reaches the margin, α > 0: the integral of dm / (π₁ - p̂(m)).
inline Real time_of_margin(const Real& margin, double probability, double total, double noise) {
  const Real right = 1 - Real(noise) + Real(noise) / total, wrong = 1 - right, others = Real(total) - 1;
  return others / (Real(probability) * total) *
         (margin / right -
          (1 / right + 1 / wrong) * log((right * others - wrong * exp(margin)) / (right * others - wrong)));
}

/// An input with `rule`, identity embeddings and one class group for each probability.
inline rarefact::PredictionInput input(const std::string& rule, double total, double noise, double step_size,
                                       std::vector<double> probabilities) {
  rarefact::PredictionInput made;
  made.class_probability = std::move(probabilities);
  made.class_count.assign(made.class_probability.size(), total / double(made.class_probability.size()));
  made.class_total = total;
  made.label_noise = noise;
  made.orthonormal = made.identity = made.independent = true;
  made.rule = rule;
  if (rule == "muon") made.parameters = {{"momentum", 0.0}, {"nesterov", false}, {"polar", "exact"}};
  made.schedule.step_size = step_size;
  return made;
}

/// The row of that name.
inline const rarefact::PredictionRow& row(const std::string& name) {
  return rarefact::row_named(rarefact::prediction_catalogue(), name, "prediction");
}

/// What the row predicts at the steps, group by group.
template <class Real = double>
rarefact::MarginsOf<Real> predicted(const std::string& name, const rarefact::PredictionInput& input,
                                    const std::vector<std::int64_t>& steps) {
  return row(name).margins.in<Real>()(input, steps);
}

/// Its margins or coefficients alone.
template <class Real = double>
std::vector<Real> margins(const std::string& name, const rarefact::PredictionInput& input,
                          const std::vector<std::int64_t>& steps) {
  std::vector<Real> values;
  for (const auto& margin : predicted<Real>(name, input, steps)) values.push_back(margin.value);
  return values;
}

}  // namespace plain
