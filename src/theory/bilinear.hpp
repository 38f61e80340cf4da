#pragma once

/// Rules of signs on minibatches of a bilinear least-squares problem, y = uᵀW*x + σ_y ξ, u ~ N(0, I) in d_out dimensions,
/// x ~ N(0, diag(λ)): squared distances e_j of the columns of W from those of W*, step by step. The target is random, the
/// gradient dominated by its own sampling noise, B ≪ d_out d. Per step
///
///     e_j ← e_j - 2η b_j √e_j + η² q_j,      2R = Σ λ_j e_j + σ_y²
///
/// Derived here. Simulations are met within 5 % by Muon (theory/sign_svd.hpp) and within 10 to 20 % by SignSGD, B >= 4d.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace rarefact {

struct BilinearProblem {
  Eigen::ArrayXd curvature;  ///< λ_j > 0
  double outputs = 0;        ///< d_out >= 1
  double batch = 0;          ///< B >= 1
  double answer_noise = 0;   ///< σ_y >= 0

  Index inputs() const { return curvature.size(); }
  double twice_risk(const Eigen::ArrayXd& e) const {
    return (curvature * e).sum() + answer_noise * answer_noise;
  }
  /// std::invalid_argument outside the intervals.
  void validate() const;
};

/// What one update of a rule does.
struct SignRates {
  std::function<Eigen::ArrayXd(const Eigen::ArrayXd& e)> drift;  ///< b_j √e_j
  Eigen::ArrayXd noise;                                          ///< q_j
};

/// SignSGD in a generic basis, which preconditions nothing:
///
///     b_j = (2/π)^½ λ_j√e_j / (2R Σλ/(B d) + Σλ²e/(d_out d))^½,      q_j = d_out [(2/π) dλ_j/Σλ + 1 - 2/π]
SignRates sign_sgd_rates(const BilinearProblem& problem);

/// SignSGD in the eigenbasis of the curvature, whose drift goes as √λ_j like Muon's:
///
///     b_j = (2/π)^½ λ_j√e_j / (2Rλ_j/B + λ_j²e_j/d_out)^½,      q_j = d_out
SignRates sign_sgd_eigenbasis_rates(const BilinearProblem& problem);

/// e_j at each of the steps, row by row, and Σλ_j e_j/2 there.
struct BilinearPath {
  std::vector<double> excess_loss, distance;
};

/// Steps ascend, from 0 on; step_size(n) is η of update n = 0, 1, … Distances are >= 0, and R > 0.
BilinearPath follow(const SignRates& rates, const BilinearProblem& problem, Eigen::ArrayXd distance,
                    const std::function<double(std::int64_t)>& step_size,
                    std::span<const std::int64_t> steps);

}  // namespace rarefact
