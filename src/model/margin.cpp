#include "model/margin.hpp"

#include "core/real50.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

namespace {

using std::abs, std::exp, std::expm1, std::isfinite, std::isinf, std::log, std::log1p;

/// scale x e^{-margin}. e^{-m/2} is multiplied twice: a single exponential would underflow (m = 920) although
/// the product with a scale of 1e300 does not, and a logarithm of the scale would cost three digits.
template <class Real>
Real scaled_exp(const Real& scale, const Real& margin) {
  const Real half = exp(-margin / 2);
  return half * scale * half;
}

/// The odds of a wrong answer, (K-1) e^{-m}; may overflow to infinity for m far below 0.
template <class Real>
Real wrong_odds(const Real& margin, const Real& class_total) {
  return scaled_exp<Real>(class_total - 1, margin);
}

/// e^-y - 1 + y with y = ln(other + weight e^x), where weight + other = 1; both are given because 1 - weight may
/// have lost digits.
template <class Real>
Real mixture_remainder(const Real& weight, const Real& other, const Real& x) {
  const Real change = weight * expm1(x);
  if (isinf(change)) return exp_remainder(Real(-x - log(weight)));
  const bool small = change > -0.5;
  const Real mixture = small ? 1 + change : other + weight * exp(x);
  const Real y = small ? log1p(change) : log(mixture);
  return abs(y) > 0.5 ? y - change / mixture : exp_remainder(Real(-y));
}

/// ln π₁, even if π₁ differs from 1 by less than the spacing of doubles.
template <class Real>
Real log_right_answer(const Real& class_total, const Real& label_noise) {
  const Real wrong = wrong_answer_probability<Real>(class_total, label_noise);
  return wrong < 0.5 ? log1p(-wrong) : log(right_answer_probability<Real>(class_total, label_noise));
}

}  // namespace

template <class Real>
Real right_answer_probability(Given<Real> class_total, Given<Real> label_noise) {
  return 1 - label_noise + label_noise / class_total;
}

template <class Real>
Real wrong_answer_probability(Given<Real> class_total, Given<Real> label_noise) {
  return label_noise * ((class_total - 1) / class_total);
}

template <class Real>
Real optimal_margin(Given<Real> class_total, Given<Real> label_noise) {
  if (label_noise == 0) return std::numeric_limits<Real>::infinity();
  // π₁ (K-1)/(1-π₁) = π₁ K/α = 1 + (1-α) K/α; log1p because it is nearly 1 for α near 1.
  const Real rest = (1 - label_noise) * (class_total / label_noise);
  if (isfinite(rest)) return log1p(rest);
  return log1p(-label_noise) + log(class_total) - log(label_noise);
}

template <class Real>
Real distance_to_optimum(Given<Real> margin, Given<Real> class_total, Given<Real> label_noise) {
  const Real optimum = optimal_margin<Real>(class_total, label_noise);
  if (label_noise == 0) return optimum;
  const Real plain = optimum - margin;
  // Subtracting loses at most the spacing of doubles near m*: fine when m* is small, or δ as large.
  // Otherwise e^δ = (π₁ K/α) e^{-m} is a product, known to full relative accuracy.
  if (optimum < 4 || abs(plain) > optimum / 4) return plain;
  const Real odds = right_answer_probability<Real>(class_total, label_noise) / label_noise;
  return log(scaled_exp<Real>(class_total, margin / 2) * scaled_exp<Real>(odds, margin / 2));
}

template <class Real>
Real error_of_margin(Given<Real> margin, Given<Real> class_total) {
  const Real odds = wrong_odds<Real>(margin, class_total);
  return odds > 1 ? 1 / (1 + 1 / odds) : odds / (1 + odds);
}

template <class Real>
Real shortfall_at_distance(Given<Real> distance, Given<Real> class_total, Given<Real> label_noise) {
  const Real right = right_answer_probability<Real>(class_total, label_noise);
  const Real wrong = wrong_answer_probability<Real>(class_total, label_noise);
  const Real decay = exp(-abs(distance));
  const Real rise = -expm1(-abs(distance));
  return distance >= 0 ? right * wrong * rise / (right * decay + wrong)
                       : -right * wrong * rise / (right + wrong * decay);
}

template <class Real>
Real error_at_distance(Given<Real> distance, Given<Real> class_total, Given<Real> label_noise) {
  const Real right = right_answer_probability<Real>(class_total, label_noise);
  const Real wrong = wrong_answer_probability<Real>(class_total, label_noise);
  const Real decay = exp(-abs(distance));
  return distance >= 0 ? wrong / (right * decay + wrong) : wrong * decay / (right + wrong * decay);
}

template <class Real>
Real excess_loss_at_distance(Given<Real> distance, Given<Real> class_total, Given<Real> label_noise) {
  // Σ_k π_k h(x_k) with x_k = ln(p̂_k/π_k) and h(x) = e^x - 1 - x: every term is >= 0, nothing cancels. In
  // terms of δ: x = -ln(π₁ + (1-π₁) e^δ) for the right answer and x = -ln((1-π₁) + π₁ e^{-δ}) for each wrong
  // one.
  const Real right = right_answer_probability<Real>(class_total, label_noise);
  const Real wrong = wrong_answer_probability<Real>(class_total, label_noise);
  return right * mixture_remainder<Real>(wrong, right, distance) +
         wrong * mixture_remainder<Real>(right, wrong, -distance);
}

template <class Real>
Real loss_drop_of_margin(Given<Real> margin, Given<Real> class_total, Given<Real> label_noise) {
  const Real wrong = (class_total - 1) / class_total;
  const Real of_right = abs(margin) <= 0.5 ? -log1p(wrong * expm1(-margin))
                                           : log(class_total) - softplus(Real(log(class_total - 1) - margin));
  return of_right - label_noise * wrong * margin;
}

template <class Real>
Real excess_loss_of_margin(Given<Real> margin, Given<Real> class_total, Given<Real> label_noise) {
  if (label_noise > 0)
    return excess_loss_at_distance<Real>(distance_to_optimum<Real>(margin, class_total, label_noise),
                                         class_total, label_noise);
  const Real odds = wrong_odds<Real>(margin, class_total);
  return isfinite(odds) ? log1p(odds) : log(class_total - 1) - margin;
}

template <class Real>
Real irreducible_loss(Given<Real> class_total, Given<Real> label_noise) {
  if (label_noise == 0) return 0;
  return -right_answer_probability<Real>(class_total, label_noise) *
             log_right_answer<Real>(class_total, label_noise) -
         wrong_answer_probability<Real>(class_total, label_noise) * (log(label_noise) - log(class_total));
}

#define RAREFACT_INSTANTIATE(Real)                                                    \
  template Real right_answer_probability<Real>(const Real&, const Real&);             \
  template Real wrong_answer_probability<Real>(const Real&, const Real&);             \
  template Real optimal_margin<Real>(const Real&, const Real&);                       \
  template Real distance_to_optimum<Real>(const Real&, const Real&, const Real&);     \
  template Real error_of_margin<Real>(const Real&, const Real&);                      \
  template Real shortfall_at_distance<Real>(const Real&, const Real&, const Real&);   \
  template Real error_at_distance<Real>(const Real&, const Real&, const Real&);       \
  template Real excess_loss_at_distance<Real>(const Real&, const Real&, const Real&); \
  template Real excess_loss_of_margin<Real>(const Real&, const Real&, const Real&);   \
  template Real loss_drop_of_margin<Real>(const Real&, const Real&, const Real&);     \
  template Real irreducible_loss<Real>(const Real&, const Real&)

RAREFACT_INSTANTIATE(double);
RAREFACT_INSTANTIATE(Real50);
#undef RAREFACT_INSTANTIATE

}  // namespace rarefact
