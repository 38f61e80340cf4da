#pragma once

/// SignSGD and Muon on minibatches of a bilinear least-squares problem, y = uᵀW*x + σ_y ξ, u ~ N(0, I) in
/// d_out dimensions, x ~ N(0, diag(λ)): squared distances e_j of the columns of W from those of W*, step by
/// step. The target is random, and sampling noise dominates the gradient, B ≪ d_out d. Per step
///
///     e_j ← e_j - 2η b_j √e_j + η² q_j,      2R = Σ λ_j e_j + σ_y²
///
/// Derived here. For the error of Muon's against simulations see docs/variants.md; that of SignSGD is 10 to 20 %
/// with B >= 4d.

#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace rarefact {

inline constexpr double two_over_pi = 2 * std::numbers::inv_pi;

struct BilinearProblem {
  Eigen::ArrayXd curvature;  ///< λ_j > 0
  double outputs = 0;        ///< d_out >= 1
  double batch = 0;          ///< B >= 1
  double answer_noise = 0;   ///< σ_y >= 0

  Index inputs() const { return curvature.size(); }
  double twice_risk(const Eigen::ArrayXd& e) const {
    return (curvature * e).sum() + answer_noise * answer_noise;
  }
  /// Throws std::invalid_argument outside of these intervals.
  void validate() const;
};

/// Drift and noise of one update of a rule.
struct SignRates {
  std::function<Eigen::ArrayXd(const Eigen::ArrayXd& e)> drift;  ///< b_j √e_j
  std::function<Eigen::ArrayXd(const Eigen::ArrayXd& e)> noise;  ///< q_j
};

/// SignSGD in a generic basis, which does not precondition:
///
///     b_j = (2/π)^½ λ_j√e_j / (2R Σλ/(B d) + Σλ²e/(d_out d))^½,      q_j = d_out [(2/π) dλ_j/Σλ + 1 - 2/π]
SignRates sign_sgd_rates(const BilinearProblem& problem);

/// SignSGD in the eigenbasis of the curvature, whose drift is proportional to √λ_j like Muon's:
///
///     b_j = (2/π)^½ λ_j√e_j / (2Rλ_j/B + λ_j²e_j/d_out)^½,      q_j = d_out
SignRates sign_sgd_eigenbasis_rates(const BilinearProblem& problem);

/// Muon without momentum, W ← W - η msgn(G), with the drift from the resolvents of the batch's gradient. msgn
/// is the gradient of the nuclear norm, which is an integral over t, in units of √(2R), of
///
///     χ_j = t⁻²/((1+κ_o)(1+κ_iΛ_j)),  α_u = d_out t⁻²/(1+κ_o),  α_v = t⁻² Σ Λ_j/(1+κ_iΛ_j)
///     ψ = E[ξ²/(1 + ξ²a)],  a = t² α_u α_v/B²,  ξ standard normal,   κ_o = ψα_v/B,  κ_i = ψα_u/B
///     Λ_j = λ_j (1 + 2w_j),  w_j = λ_je_j/2R
///
///     b_j = (2/π)∫₀^∞ ψ s_jχ_j/(1 + ψ²s_j²χ_j) dt,   s_j = λ_j (e_j/2R)^½,   q_j = lim_{t→0} κ_iΛ_j/(1+κ_iΛ_j)
///
/// Λ_j is the variance of a sample's gradient in column j, E[r² x_j²]/2R: the residual r contains x_j, so that it is up to
/// three times as large for a mode with much of the risk. For weak
/// signals, s_j → 0, b_j √e_j = λ_jΦ_j e_j/√(2R) with Φ_j = (2/π)∫ψχ_j dt: (B/(d_outλ_j))^½ for d_out ≫ d and
/// B → ∞, square-root preconditioning; (8/3π)(B/d)^½ for equal curvatures, d_out = d, B → ∞. If B ≪ d, Φ_j
/// stops growing where κ_iλ_j ~ 1, and the modes with smaller λ_j move as under SGD.
SignRates sign_svd_rates(const BilinearProblem& problem);

/// The solution of the fixed-point equations at one t.
struct SignNode {
  double psi = 0, kappa_out = 0, kappa_in = 0;
};
/// Requires t between 1e-50 and 1e50 times the scales of the problem.
SignNode sign_node(const BilinearProblem& problem, double t);

/// e_j at each of the steps, row by row, and Σλ_j e_j/2 at each step.
struct BilinearPath {
  std::vector<double> excess_loss, distance;
};

/// Steps ascend, from 0 on; step_size(n) is η of update n = 0, 1, … Distances are >= 0, and R > 0.
BilinearPath follow(const SignRates& rates, const BilinearProblem& problem, Eigen::ArrayXd distance,
                    const std::function<double(std::int64_t)>& step_size,
                    std::span<const std::int64_t> steps);

}  // namespace rarefact
