#include "theory/sharpness.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>

#include "model/log_odds.hpp"

namespace rarefact {

namespace {

/// Σ_l f(l, π₁ - p̂, e p̂) over the classes.
template <class Real, class Function>
Real over_classes(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins, Function f) {
  using std::log;
  const Real total = class_total<Real>(input), log_wrong = log(Real(total - 1));
  const Real noise = input.label_noise;
  Real sum(0);
  for (std::size_t g = 0; g < margins.size(); ++g) {
    const Real right = logistic(Real(margins[g].value - log_wrong));
    sum += Real(input.class_count[g]) *
           f(g, margins[g].shortfall(total, noise), Real(margins[g].error(total, noise) * right));
  }
  return sum;
}

template <class Real>
Real mean_variance(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins) {
  return over_classes<Real>(input, margins, [&](std::size_t g, const Real&, const Real& variance) {
    return Real(input.class_probability[g] * variance);
  });
}

/// nds of Muon at W = 0.
double first_of_polar(const PredictionInput& input) {
  double lowest = std::numeric_limits<double>::infinity(), total = 0, inverse = 0, inverse_square = 0;
  for (std::size_t g = 0; g < input.class_count.size(); ++g) lowest = std::min(lowest, input.training(g));
  for (std::size_t g = 0; g < input.class_count.size(); ++g) {
    const double n = input.class_count[g], p = input.training(g), low = lowest / p;
    total += n;
    inverse += n * low * (input.class_probability[g] / p);
    inverse_square += n * low * low;
  }
  return (1 - lowest * inverse / inverse_square) / total / (total - 1);
}

}  // namespace

template <class Real>
Real sharpness_of_gd(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins) {
  using std::abs;
  // λW keeps the mean over all entries of a start, which gradients do not have.
  if (input.schedule.decay != 0 && input.start != 0.0) return std::numeric_limits<Real>::quiet_NaN();
  const Real total = class_total<Real>(input), noise = input.label_noise;
  // Only ratios of p (π₁ - p̂) matter; their squares would underflow for K = 1e300, or near the minimum.
  Real unit(0);
  for (std::size_t g = 0; g < margins.size(); ++g)
    unit = std::max(unit, Real(input.training(g) * abs(margins[g].shortfall(total, noise))));
  // An entry of D + λW, as a margin with orthonormal embeddings.
  const Real decay = input.schedule.decay * (total - 1) / total / contrast<Real>(input);
  const auto moved = [&](std::size_t g, const Real& shortfall) {
    return Real(input.training(g) * shortfall - decay * margins[g].value);
  };
  if (input.schedule.decay != 0)
    for (std::size_t g = 0; g < margins.size(); ++g)
      unit = std::max(unit, Real(abs(moved(g, margins[g].shortfall(total, noise)))));
  const auto sum = [&](bool above) {
    return over_classes<Real>(input, margins,
                              [&](std::size_t g, const Real& shortfall, const Real& variance) {
                                const Real entry = moved(g, shortfall) / unit, p = input.class_probability[g];
                                return Real(entry * entry * (above ? Real(p * variance) : Real(1)));
                              });
  };
  return total / (total - 1) * sum(true) / sum(false);
}

template <class Real>
Real sharpness_of_polar(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins) {
  if (std::ranges::all_of(margins, [](const auto& margin) { return margin.value == Real(0); }))
    return first_of_polar(input);
  // D + λW is near 0 where margins are near 1/λ, and only D is known to O(1/K).
  if (input.schedule.decay != 0) return std::numeric_limits<Real>::quiet_NaN();
  return mean_variance(input, margins) / class_total<Real>(input);
}

template <class Real>
Real sharpness_of_sign(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins) {
  // Entries of D + λW are not all of one size.
  if (input.schedule.decay != 0) return std::numeric_limits<Real>::quiet_NaN();
  const Real total = class_total<Real>(input);
  return Real(4) * mean_variance(input, margins) / total / total;
}

template <class Real>
Real sharpness_of_ngd(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins) {
  // G/‖G‖ + λW depends on ‖G‖.
  return input.schedule.decay == 0 ? sharpness_of_gd(input, margins) : std::numeric_limits<Real>::quiet_NaN();
}

double first_sharpness_of_haar_sign(const std::vector<double>& class_count,
                                    const std::vector<double>& class_probability) {
  const double highest = *std::ranges::max_element(class_probability);
  double total = 0, square = 0;
  for (std::size_t g = 0; g < class_count.size(); ++g) {
    total += class_count[g];
    square += class_count[g] * std::pow(class_probability[g] / highest, 2);
  }
  // 1/Σp²x² is the integral of exp(-t Σp²x²); t in units of 1/Σp².
  const auto mean_at = [&](double t) {
    double sum = 0, exponent = 0;
    for (std::size_t g = 0; g < class_count.size(); ++g) {
      const double high = class_probability[g] / highest, damping = 2 * t * high * high / square;
      sum += class_count[g] * high * high * high / (1 + damping);
      exponent += class_count[g] * std::log1p(damping) / 2;
    }
    return sum * std::exp(-exponent);
  };
  boost::math::quadrature::exp_sinh<double> integrator;
  const double share = highest / square * integrator.integrate(mean_at, 0.0, INFINITY, 1e-12),
               kept = 2 / boost::math::constants::pi<double>();
  return (kept * share + (1 - kept) / total) / total;
}

#define RAREFACT_SHARPNESS(name)                                                                  \
  template double name<double>(const PredictionInput&, std::span<const PredictedMargin<double>>); \
  template Real50 name<Real50>(const PredictionInput&, std::span<const PredictedMargin<Real50>>);
RAREFACT_SHARPNESS(sharpness_of_gd)
RAREFACT_SHARPNESS(sharpness_of_ngd)
RAREFACT_SHARPNESS(sharpness_of_polar)
RAREFACT_SHARPNESS(sharpness_of_sign)

}  // namespace rarefact
