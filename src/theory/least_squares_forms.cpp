/// Closed forms of sign-like rules on bilinear least squares, which read the classes of a point: curvatures
/// are the probabilities, in units of the largest, and there are as many outputs as inputs.

#include <utility>

#include "core/transform.hpp"
#include "theory/closed_form.hpp"
#include "theory/require_legal.hpp"
#include "theory/sign_svd.hpp"

namespace rarefact {

namespace {

/// λ/λ_max of every mode.
Eigen::ArrayXd curvatures_of(const ClassGroups& groups) {
  std::vector<double> all;
  for (std::size_t i = 0; i < groups.size(); ++i)
    all.insert(all.end(), static_cast<std::size_t>(groups.count[i]), groups.probability[i]);
  const Eigen::ArrayXd curvature =
      Eigen::Map<const Eigen::ArrayXd>(all.data(), static_cast<Index>(all.size()));
  return curvature / curvature.maxCoeff();
}

/// b_j √(2R/e_j) for batches of x[0] and e_j = λ_j^x[1], for the first mode of every class row.
ClosedForm rate_form(const char* name, const char* rule, const char* formula,
                     SignRates (*rates)(const BilinearProblem&)) {
  return {{name,
           std::string("drift of the squared distances e_j = λ_j^power from a random target, in units of "
                       "2e_j/√(2R) a step, under ") +
               rule + " on batches of B",
           formula, "src/theory/sign_svd.hpp"},
          {"B", "power"},
          nullptr,
          nullptr,
          [rates](const FormClasses& classes, const double* x, bool) {
            const ClassGroups& groups = classes.answers;
            const BilinearProblem problem{curvatures_of(groups), groups.total(), x[0], 0};
            const Eigen::ArrayXd e = problem.curvature.pow(x[1]),
                                 found = rates(problem).drift(e) * std::sqrt(problem.twice_risk(e)) / e;
            double before = 0;
            return mapped(groups.count, [&](double count) {
              return found(static_cast<Index>(std::exchange(before, before + count)));
            });
          }};
}

/// Drift v and noise n of the recursion
///
///     e_j ← e_j exp(-2η v_j/√(2R)) + η² n_j,   2R = Σ λ_j e_j
///
/// for weak signals on batches of d, in a generic basis. Muon: v = √λ, n = 1. SignGD, with step sizes in
/// units of 1/√d: v = (2/π)^½ λ (d/Σλ)^½, n = (2/π) dλ/Σλ + 1 - 2/π. Step sizes are divided by N = Σ√λ for
/// Muon and (π d Σλ/2)^½ for SignGD.
struct WeakRates {
  Eigen::ArrayXd drift, noise;
  double norm;
};

WeakRates weak_rates(const Eigen::ArrayXd& curvature, bool muon) {
  const Eigen::ArrayXd root = curvature.sqrt();
  if (muon) return {root, Eigen::ArrayXd::Ones(curvature.size()), root.sum()};
  const double d = static_cast<double>(curvature.size()), sum = curvature.sum();
  return {std::sqrt(two_over_pi * d / sum) * curvature, two_over_pi * d / sum * curvature + (1 - two_over_pi),
          std::sqrt(d * sum / two_over_pi)};
}

/// R after x[1] steps from e_j = j^(-2 x[0]) at the best of 49 geometric step sizes, 1e-4 to 3 x 8√R(0)/N.
double tuned_risk(const FormClasses& classes, const double* x, bool muon) {
  require_legal(x[1] >= 0 && x[1] <= 1e6, "steps must lie in [0, 1e6]");
  constexpr int step_sizes = 49;
  constexpr double min_step = 1e-4, greatest_step = 3;
  const Eigen::ArrayXd curvature = curvatures_of(classes.answers);
  const WeakRates rates = weak_rates(curvature, muon);
  const Index d = curvature.size();
  const Eigen::ArrayXd start = Eigen::ArrayXd::LinSpaced(d, 1, static_cast<double>(d)).pow(-2 * x[0]);
  const auto twice_risk = [&](const Eigen::ArrayXd& e) { return (curvature * e).sum(); };
  const double unit = 8 * std::sqrt(twice_risk(start) / 2) / rates.norm;
  double best = std::numeric_limits<double>::infinity();
  for (int s = 0; s < step_sizes; ++s) {
    const double step_size = unit * min_step * std::pow(greatest_step / min_step, s / (step_sizes - 1.0));
    Eigen::ArrayXd e = start;
    for (double step = 0; step < x[1]; ++step) {
      const double slope = -2 * step_size / std::sqrt(twice_risk(e));
      e = e * (slope * rates.drift).exp() + step_size * step_size * rates.noise;
    }
    best = std::min(best, twice_risk(e) / 2);
  }
  return best;
}

ClosedForm risk_form(const char* name, const char* rule, const char* formula, bool muon) {
  return {{name,
           std::string("R after T steps from e_j = j^-2β at the best constant step size, of ") + rule +
               " for weak signals on batches of d, curvatures in units of the largest",
           std::string("e_j ← e_j exp(-2η v_j/√(2R)) + η² n_j; ") + formula, "docs/variants.md"},
          {"beta", "T"},
          nullptr,
          nullptr,
          [muon](const FormClasses& classes, const double* x, bool) {
            return std::vector<double>{tuned_risk(classes, x, muon)};
          }};
}

}  // namespace

std::vector<ClosedForm> min_squares_forms() {
  return {
      rate_form("sign_svd_rate", "Muon", "b_j √(2R/e_j)", sign_svd_rates),
      rate_form("sign_sgd_rate", "SignGD in a generic basis", "(2/π)^½ λ_j √(2R) / (2R Σλ/(B d) + Σλ²e/d²)^½",
                sign_sgd_rates),
      rate_form("sign_sgd_own_basis_rate", "SignGD in the basis of the modes",
                "(2/π)^½ λ_j √(2R) / (2R λ_j/B + λ_j²e_j/d)^½", sign_sgd_eigenbasis_rates),
      risk_form("muon_tuned_risk", "Muon", "v = √λ, n = 1", true),
      risk_form("signgd_tuned_risk", "SignGD", "v = (2/π)^½ λ (d/Σλ)^½, n = (2/π) dλ/Σλ + 1 - 2/π", false)};
}

}  // namespace rarefact
