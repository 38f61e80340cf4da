#include "verify/li2026/scaling_laws.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

#include "core/real50.hpp"
#include "model/margin.hpp"
#include "theory/require_legal.hpp"

namespace rarefact::checks::li2026 {

namespace {

using boost::math::tgamma, boost::math::tgamma_lower;
using std::abs, std::exp, std::expm1, std::log, std::log1p, std::pow, std::round;

template <class Real>
void require_law(const Real& exponent, const Real& groups) {
  require_legal(exponent > Real(1), "the exponent of the power law must exceed 1");
  require_legal(groups >= Real(2), "the law needs at least 2 groups");
}

/// π₁ and 1 - π₁.
template <class Real>
struct NoisyAnswers {
  Real right, wrong;
};

template <class Real>
NoisyAnswers<Real> noisy_answers(const Real& class_total, const Real& label_noise) {
  require_legal(class_total >= Real(2), "K must be at least 2");
  require_legal(label_noise >= Real(0) && label_noise < Real(1), "the label noise must lie in [0, 1)");
  return {right_answer_probability<Real>(class_total, label_noise),
          wrong_answer_probability<Real>(class_total, label_noise)};
}

/// m*.
template <class Real>
Real optimum(const Real& class_total, const Real& label_noise) {
  noisy_answers(class_total, label_noise);
  require_legal(label_noise > Real(0), "without label noise there is no finite optimum");
  return optimal_margin<Real>(class_total, label_noise);
}

/// Γ(q, x) - Γ(q, a) for x < a, through upper or lower incomplete gamma functions, whichever are the smaller
/// numbers: the others would cancel.
template <class Real>
Real gamma_between(const Real& q, const Real& x, const Real& a) {
  const Real lower = tgamma_lower(q, a), upper = tgamma(q, x);
  return lower < upper ? lower - tgamma_lower(q, x) : upper - tgamma(q, a);
}

}  // namespace

template <class Real>
Real group_sum_integral(const Real& exponent, const Real& groups, const Real& time) {
  require_law(exponent, groups);
  require_legal(time > Real(0), "the time must be positive");
  const Real q = Real(1) - Real(1) / exponent, x = time * pow(groups, Real(-exponent));
  return gamma_between<Real>(q, x, time) / exponent * pow(time, Real(-q));
}

template <class Real>
Real group_sum_slope(const Real& exponent, const Real& groups, const Real& time) {
  require_law(exponent, groups);
  require_legal(time > Real(0), "the time must be positive");
  const Real q = Real(1) - Real(1) / exponent, x = time * pow(groups, Real(-exponent));
  const Real ends = pow(time, q) * exp(Real(-time)) - pow(x, q) * exp(Real(-x));
  return ends / gamma_between<Real>(q, x, time) - q;
}

template <class Real>
TimeWindow<Real> group_sum_window(const Real& exponent, const Real& groups, const Real& tolerance) {
  require_law(exponent, groups);
  const Real q = Real(1) - Real(1) / exponent;
  require_legal(tolerance > Real(0) && tolerance < q, "the tolerance must lie in (0, 1 - 1/s)");
  // Minus the slope is a mean of x over [a M^-s, a]: at most a, at least a M^-s.
  const Real first = log(Real(q - tolerance)), last = log(Real(q + tolerance)) + exponent * log(groups);
  const auto time_of_slope = [&](const Real& slope) {
    std::uintmax_t rounds = 300;
    const auto excess = [&](const Real& log_time) {
      return Real(group_sum_slope<Real>(exponent, groups, exp(log_time)) - slope);
    };
    return Real(exp(boost::math::tools::toms748_solve(excess, first, last,
                                                      boost::math::tools::eps_tolerance<Real>(), rounds)
                        .first));
  };
  return {time_of_slope(Real(tolerance - q)), time_of_slope(Real(-q - tolerance))};
}

template <class Real>
Real gd_stability_number(const Real& step_size, const Real& largest_probability, const Real& class_total,
                         const Real& label_noise) {
  const NoisyAnswers<Real> law = noisy_answers(class_total, label_noise);
  return step_size * largest_probability * (class_total / (class_total - 1)) * law.right * law.wrong;
}

template <class Real>
Real excess_at_distance(const Real& distance, const Real& class_total, const Real& label_noise) {
  require_legal(label_noise > Real(0), "without label noise there is no finite optimum");
  const NoisyAnswers<Real> law = noisy_answers(class_total, label_noise);
  return log1p(Real(law.wrong * expm1(distance))) - law.wrong * distance;
}

template <class Real>
CycleBound<Real> cycle_excess_bound(const Real& step_size, const Real& class_total, const Real& label_noise) {
  require_legal(step_size > Real(0), "the step size must be positive");
  const NoisyAnswers<Real> law = noisy_answers(class_total, label_noise);
  return {law.right * law.wrong * step_size * step_size / 2,
          std::max(excess_at_distance<Real>(step_size, class_total, label_noise),
                   excess_at_distance<Real>(-step_size, class_total, label_noise))};
}

template <class Real>
Real cycle_offset(const Real& step_size, const Real& class_total, const Real& label_noise) {
  require_legal(step_size > Real(0), "the step size must be positive");
  const Real steps = optimum(class_total, label_noise) / step_size;
  return abs(Real(steps - round(steps)));
}

#define RAREFACT_INSTANTIATE(Real)                                                       \
  template Real group_sum_integral(const Real&, const Real&, const Real&);               \
  template Real group_sum_slope(const Real&, const Real&, const Real&);                  \
  template TimeWindow<Real> group_sum_window(const Real&, const Real&, const Real&);     \
  template Real gd_stability_number(const Real&, const Real&, const Real&, const Real&); \
  template Real excess_at_distance(const Real&, const Real&, const Real&);               \
  template CycleBound<Real> cycle_excess_bound(const Real&, const Real&, const Real&);   \
  template Real cycle_offset(const Real&, const Real&, const Real&)

RAREFACT_INSTANTIATE(double);
RAREFACT_INSTANTIATE(Real50);
#undef RAREFACT_INSTANTIATE

}  // namespace rarefact::checks::li2026
