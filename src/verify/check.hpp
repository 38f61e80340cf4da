#pragma once

/// All that the source of a check needs; what checks of a first step share: the classes of a point, ϱ of a
/// direction and the constants of Muon's in closed form.

#include <fmt/format.h>

#include "theory/modes.hpp"
#include "theory/one_step.hpp"
#include "verify/hypotheses.hpp"  // IWYU pragma: export
#include "verify/judge.hpp"       // IWYU pragma: export

namespace rarefact::checks {

using namespace hypothesis;

inline constexpr const char* count_key = "classes.count";
inline constexpr const char* mass_key = "classes.head_mass";
inline constexpr const char* epsilon_key = "run.rho_epsilon";
/// ε of what is shown over K.
inline constexpr double epsilon_of_k = 0.1;

ClassGroups groups_of(const EvidencePoint& point);
/// r = min p / max p.
double probability_ratio(const EvidencePoint& point);

/// B.
double batch_of(const EvidencePoint& point);
double momentum_of(const EvidencePoint& point, const std::string& optimizer);
/// The mean of a number over the recorded steps from `first` on.
double late_mean(const EvidencePoint& point, const std::string& optimizer, const std::string& variable,
                 std::int64_t first, std::size_t row = 0);
inline constexpr const char* no_digits = "what is random is drawn in doubles";
inline constexpr const char* squares_have_no_digits = "least squares run in doubles alone";

/// h and a of every class row of a run on least squares, W = 0 at the start.
SquareModes modes_of(const EvidencePoint& point);

/// The loss at every recorded step and those of classes at the last one, beside what was predicted.
Comparison losses_beside_predicted(const EvidencePoints& points, const std::string& optimizer);

/// Those from x = `low` to x = `high`.
Points between(const Points& points, double low, double high = std::numeric_limits<double>::infinity());

/// One number at all abscissas.
Points constant(const Points& points, double number);

/// R̃ or R of rotated blocks.
template <class Real>
MatrixOf<Real> block_of(const EvidencePoint& point, const char* side);

/// ϱ at the threshold of a direction; not a number where no step size retrieves any class.
template <class Real>
Real rho_of_direction(const SymmetricMatrix<Real>& direction, double epsilon) {
  const auto rho = one_step_rho<Real>(logits_of_direction<Real>(direction), Real(epsilon));
  return rho ? rho->at_threshold.value : Real(std::numeric_limits<double>::quiet_NaN());
}

/// Adds two findings: ϱ of a rule's first step at the threshold agrees with `exact`(point) to rounding, and
/// the infimum over step sizes is that value. Gives the former.
Finding& compare_rho(CheckReport& report, const EvidencePoints& points, const std::string& optimizer,
                     const std::string& words, const std::string& of, const Number& exact);

/// x of a deficit e^x - 1 with x = c ln(K(1-ε)/ε)/K, c the sharp constant: what is left out when the deficit
/// is compared with x is of the order of x itself.
double deficit_scale(double constant, const EvidencePoint& point);
double deficit_constant(const Evidence& evidence, const EvidencePoint& point);
/// Log-odds are at most ln K + ln(1/ε) = 52 and off by a few of their last places, which moves ϱ by as many
/// times that; a dense singular value decomposition of 90 classes adds no more than p's condition, 16, of them.
inline constexpr double rho_rounding = 1e-12;

/// K times the largest entry of msgn(X) - I, which depends on the shares n_i/K and on ratios of p alone.
double deviation_constant(const Evidence& evidence, const EvidencePoint& point);

/// Relative error of a number of order 1/K that is what rounding leaves of numbers of order ln K; 50 digits
/// leave all of a double.
double lost_digits(const EvidencePoint& point);
/// A tolerance beyond this would be met by anything: noise has to fail.
inline double capped(double tolerance) {
  return std::min(tolerance, 0.01);
}

}  // namespace rarefact::checks
