#include "theory/bilinear.hpp"

#include <boost/math/constants/constants.hpp>
#include <cmath>

#include "theory/scaling_laws.hpp"

namespace rarefact {

namespace {

constexpr double two_over_pi = boost::math::constants::two_div_pi<double>();

}  // namespace

void BilinearProblem::validate() const {
  require_legal(inputs() > 0 && (curvature > 0).all(), "curvatures must be positive");
  require_legal(outputs >= 1 && batch >= 1, "there must be outputs and a batch");
  require_legal(answer_noise >= 0, "answer noise must not be negative");
}

SignRates sign_sgd_rates(const BilinearProblem& problem) {
  problem.validate();
  const double d = static_cast<double>(problem.inputs()), trace = problem.curvature.sum();
  const auto drift = [=](const Eigen::ArrayXd& e) -> Eigen::ArrayXd {
    const double entry = problem.twice_risk(e) * trace / (problem.batch * d) +
                         (problem.curvature.square() * e).sum() / (problem.outputs * d);
    return std::sqrt(two_over_pi / entry) * problem.curvature * e;
  };
  return {drift, problem.outputs * (two_over_pi * d / trace * problem.curvature + (1 - two_over_pi))};
}

SignRates sign_sgd_eigenbasis_rates(const BilinearProblem& problem) {
  problem.validate();
  const auto drift = [=](const Eigen::ArrayXd& e) -> Eigen::ArrayXd {
    const Eigen::ArrayXd entry = problem.twice_risk(e) / problem.batch * problem.curvature +
                                 problem.curvature.square() * e / problem.outputs;
    return std::sqrt(two_over_pi) * problem.curvature * e / entry.sqrt();
  };
  return {drift, Eigen::ArrayXd::Constant(problem.inputs(), problem.outputs)};
}

BilinearPath follow(const SignRates& rates, const BilinearProblem& problem, Eigen::ArrayXd distance,
                    const std::function<double(std::int64_t)>& step_size,
                    std::span<const std::int64_t> steps) {
  BilinearPath path;
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      const double eta = step_size(done);
      // b² <= q of what can be drawn, so this is never negative; of rates that are approximate it may be.
      distance = (distance - 2 * eta * rates.drift(distance) + eta * eta * rates.noise).max(0);
    }
    path.excess_loss.push_back((problem.curvature * distance).sum() / 2);
    path.distance.insert(path.distance.end(), distance.begin(), distance.end());
  }
  return path;
}

}  // namespace rarefact
