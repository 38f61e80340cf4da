#pragma once

/// Muon without momentum, W ← W - η msgn(G), on minibatches of a bilinear problem (theory/bilinear.hpp): the drift by the
/// resolvents of the batch's gradient. The sum of σ msgn over singular values is a nuclear norm, so its derivative is an
/// integral over t, in units of √(2R), of
///
///     ρ_j = t⁻²/((1+κ_o)(1+κ_iλ_j)),  α_u = d_out t⁻²/(1+κ_o),  α_v = t⁻² Σ λ_j/(1+κ_iλ_j)
///     ψ = E[ξ²/(1 + ξ²a)],  a = t² α_u α_v/B²,  ξ standard normal,   κ_o = ψα_v/B,  κ_i = ψα_u/B
///
///     b_j = (2/π)∫₀^∞ ψ s_jρ_j/(1 + s_j²ρ_j) dt,   s_j = λ_j (e_j/2R)^½,   q_j = lim_{t→0} κ_iλ_j/(1+κ_iλ_j)
///
/// Nothing of the fixed point depends on e: it is solved once, at the nodes of a quadrature.

#include "theory/bilinear.hpp"

namespace rarefact {

/// The fixed point at one t.
struct SignNode {
  double psi = 0, kappa_out = 0, kappa_in = 0;
};
/// t from 1e-50 to 1e50 times the scales of the problem.
SignNode sign_node(const BilinearProblem& problem, double t);

SignRates sign_svd_rates(const BilinearProblem& problem);

/// The same for weak signals, s_j → 0: b_j √e_j = λ_jΦ_j e_j/√(2R).
SignRates weak_sign_svd_rates(const BilinearProblem& problem);

/// Φ_j = (2/π)∫ψρ_j dt. (B/(d_outλ_j))^½ for d_out ≫ d and B → ∞: square-root preconditioning. (8/3π)(B/d)^½ of equal
/// curvatures, d_out = d, B → ∞. Where B ≪ d it does not grow beyond κ_iλ_j ~ 1: those modes move as under SGD.
Eigen::ArrayXd sign_svd_preconditioner(const BilinearProblem& problem);

/// Where a constant step size η ends up without answer noise: (η²/8)(Σ q_j/Φ_j)².
double sign_svd_plateau(const BilinearProblem& problem, double step_size);

}  // namespace rarefact
