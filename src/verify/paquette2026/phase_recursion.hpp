#pragma once

/// When Muon is ahead of SignSGD on least squares whose curvatures and distances fall as powers: the published question is
/// paquette2026's, the recursion and the boundaries are derived here. Batch, outputs and inputs are d each, the target is
/// random, the basis generic, and the step size the best constant one for the horizon:
///
///     e_j ← e_j exp(-2η r_j/√(2R)) + η² n_j,   2R = Σ λ_j e_j
///
/// the rates of theory/sign_svd.hpp (of Muon, square-root preconditioning) for weak signals, SignSGD's step
/// size in units of 1/√d.

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace rarefact::checks::paquette2026 {

/// λ_j = j^(-2α) and e_j(0) = j^(-2β), j = 1 … count.
struct Modes {
  Eigen::ArrayXd curvature, distance;
};
Modes power_modes(double alpha, double beta, Index count);

/// r, n, and N, by which the search divides step sizes.
struct PhaseRates {
  Eigen::ArrayXd drift, noise;
  double norm = 0;
};

/// r = √λ, n = 1, N = Σ√λ.
PhaseRates muon_phase_rates(const Eigen::ArrayXd& curvature);
/// r = (2/π)^½ λ (d/Σλ)^½, n = (2/π) dλ/Σλ + 1 - 2/π, N = (π d Σλ/2)^½.
PhaseRates signsgd_phase_rates(const Eigen::ArrayXd& curvature);

/// R after each of the horizons, at the step size that is best for it: of 49 in equal ratios from 1e-4 to 3 times
/// 8√R(0)/N. Horizons ascend, from 1 on.
std::vector<double> tuned_risks(const PhaseRates& rates, const Modes& modes,
                                std::span<const std::int64_t> horizons);

/// Who is ahead while 1 ≪ T and the last mode is still to come, by exponents and constants in d → ∞.
enum class Phase {
  signsgd,    ///< α < 1/2, or β > α + 1/2 with α < 1
  muon,       ///< α > 1, β < α + 1/2
  trade_off,  ///< 1/2 < α < 1, β < α + 1/2: SignSGD first, Muon later
  equal,      ///< α > 1, β > α + 1/2: up to constants
};

/// α > 0, 2α + 2β > 1, neither on a boundary.
Phase phase_of(double alpha, double beta);

}  // namespace rarefact::checks::paquette2026
