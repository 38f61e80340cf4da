#include "rarefact/model/margin.hpp"

#include <cmath>
#include <limits>

#include "rarefact/model/log_odds.hpp"

namespace rarefact {

namespace {

/// scale x e^{-margin}. e^{-m/2} twice: a single exponential would underflow (m = 920) where a scale of 1e300
/// still lifts the product to an ordinary number, and a logarithm of the scale would cost three digits.
double scaled_exp(double scale, double margin) {
  const double half = std::exp(-margin / 2);
  return half * scale * half;
}

/// Odds of wrong to right, (K-1) e^{-m}; may overflow to infinity for m far below 0.
double wrong_odds(double margin, double class_total) {
  return scaled_exp(class_total - 1, margin);
}

/// ln(other + weight e^x) where weight + other = 1; both are given because 1 - weight may have lost its
/// digits.
double log_mixture(double weight, double other, double x) {
  const double change = weight * std::expm1(x);
  if (std::isinf(change)) return x + std::log(weight);
  return change > -0.5 ? std::log1p(change) : std::log(other + weight * std::exp(x));
}

/// ln π₁, also where π₁ differs from 1 by less than the spacing of doubles.
double log_right_answer(double class_total, double label_noise) {
  const double wrong = wrong_answer_probability(class_total, label_noise);
  return wrong < 0.5 ? std::log1p(-wrong) : std::log(right_answer_probability(class_total, label_noise));
}

}  // namespace

double right_answer_probability(double class_total, double label_noise) {
  return 1 - label_noise + label_noise / class_total;
}

double wrong_answer_probability(double class_total, double label_noise) {
  return label_noise * ((class_total - 1) / class_total);
}

double optimal_margin(double class_total, double label_noise) {
  if (label_noise == 0) return std::numeric_limits<double>::infinity();
  // π₁ (K-1)/(1-π₁) = π₁ K/α = 1 + (1-α) K/α; log1p because it is nearly 1 for α near 1.
  const double rest = (1 - label_noise) * (class_total / label_noise);
  if (std::isfinite(rest)) return std::log1p(rest);
  return std::log1p(-label_noise) + std::log(class_total) - std::log(label_noise);
}

double distance_to_optimum(double margin, double class_total, double label_noise) {
  const double optimum = optimal_margin(class_total, label_noise);
  const double plain = optimum - margin;
  // Subtracting loses at most the spacing of doubles near m*: fine when m* is small, when δ is as large, or
  // both infinite. Otherwise e^δ = (π₁ K/α) e^{-m} is a product, known to full relative accuracy.
  if (optimum < 4 || std::abs(plain) > optimum / 4) return plain;
  const double odds = right_answer_probability(class_total, label_noise) / label_noise;
  return std::log(scaled_exp(class_total, margin / 2) * scaled_exp(odds, margin / 2));
}

double error_of_margin(double margin, double class_total) {
  const double odds = wrong_odds(margin, class_total);
  return odds > 1 ? 1 / (1 + 1 / odds) : odds / (1 + odds);
}

double shortfall_at_distance(double distance, double class_total, double label_noise) {
  const double right = right_answer_probability(class_total, label_noise);
  const double wrong = wrong_answer_probability(class_total, label_noise);
  const double decay = std::exp(-std::abs(distance));
  const double rise = -std::expm1(-std::abs(distance));
  return distance >= 0 ? right * wrong * rise / (right * decay + wrong)
                       : -right * wrong * rise / (right + wrong * decay);
}

double excess_loss_of_margin(double margin, double class_total, double label_noise) {
  if (label_noise == 0) {
    const double odds = wrong_odds(margin, class_total);
    return std::isfinite(odds) ? std::log1p(odds) : std::log(class_total - 1) - margin;
  }
  // Σ_k π_k h(x_k) with x_k = ln(p̂_k/π_k) and h(x) = e^x - 1 - x: every term is >= 0, nothing cancels. In
  // terms of δ: x = -ln(π₁ + (1-π₁) e^δ) for the right answer and x = -ln((1-π₁) + π₁ e^{-δ}) for each wrong
  // one.
  const double right = right_answer_probability(class_total, label_noise);
  const double wrong = wrong_answer_probability(class_total, label_noise);
  const double distance = distance_to_optimum(margin, class_total, label_noise);
  return right * exp_remainder(-log_mixture(wrong, right, distance)) +
         wrong * exp_remainder(-log_mixture(right, wrong, -distance));
}

double irreducible_loss(double class_total, double label_noise) {
  if (label_noise == 0) return 0;
  return -right_answer_probability(class_total, label_noise) * log_right_answer(class_total, label_noise) -
         wrong_answer_probability(class_total, label_noise) * (std::log(label_noise) - std::log(class_total));
}

}  // namespace rarefact
