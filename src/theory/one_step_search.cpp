#include "theory/one_step_search.hpp"

#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "core/real50.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

namespace {

template <class Real>
Probability<Real> probability_at(const Real& log_odds) {
  return {logistic(Real(-log_odds)), logistic(log_odds)};
}

}  // namespace

template <class Real>
Probability<Real> least_probability(const OneStepLogits<Real>& logits, const Real& step_size) {
  return probability_at(Real(logits.log_odds(step_size).maxCoeff()));
}

template <class Real>
std::optional<OneStepRho<Real>> one_step_rho(const OneStepLogits<Real>& logits, const Real& epsilon) {
  using std::log;
  using std::log1p;
  if (!(epsilon > Real(0) && epsilon < Real(0.5))) throw std::invalid_argument("ε must lie in (0, 1/2)");
  const VectorOf<Real> start = logits.log_odds(Real(0));
  if (start.size() == 0 || start.size() != logits.margin.size()) {
    throw std::invalid_argument("log-odds and margins must be of one length, at least 1");
  }
  Index narrowest = 0;
  const Real largest = logits.margin.maxCoeff(), least = logits.margin.minCoeff(&narrowest);
  if (!(largest > Real(0))) return std::nullopt;

  const Real wanted = log(epsilon) - log1p(Real(-epsilon));
  const auto shortage = [&](const Real& step_size) {
    return Real(logits.log_odds(step_size).minCoeff() - wanted);
  };
  // The ends bracket the root exactly; the slack is for margins that were measured.
  const Real slack(1e-6);
  const Real low = (Real(1) - slack) * -wanted / largest;
  const Real high = (Real(1) + slack) * (start.maxCoeff() - wanted) / largest;
  const Real at_low = shortage(low), at_high = shortage(high);
  if (!(at_low >= Real(0) && at_high <= Real(0))) {
    throw std::domain_error(
        "the log-odds contradict the margins: the logits are not linear in the step size");
  }
  std::uintmax_t rounds = 200;
  const Real threshold = boost::math::tools::toms748_solve(shortage, low, high, at_low, at_high,
                                                           boost::math::tools::eps_tolerance<Real>(), rounds)
                             .second;

  OneStepRho<Real> rho;
  const VectorOf<Real> there = logits.log_odds(threshold);
  there.minCoeff(&rho.best_cell);
  rho.threshold = threshold;
  rho.at_threshold = probability_at(Real(there.maxCoeff(&rho.worst_cell)));
  rho.infimum = rho.at_threshold;
  if (least < Real(0)) {
    rho.infimum = {Real(0), Real(1)};
    rho.lost_cell = narrowest;
  }
  return rho;
}

template Probability<double> least_probability(const OneStepLogits<double>&, const double&);
template Probability<Real50> least_probability(const OneStepLogits<Real50>&, const Real50&);
template std::optional<OneStepRho<double>> one_step_rho(const OneStepLogits<double>&, const double&);
template std::optional<OneStepRho<Real50>> one_step_rho(const OneStepLogits<Real50>&, const Real50&);

}  // namespace rarefact
