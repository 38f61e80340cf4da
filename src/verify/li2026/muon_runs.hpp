#pragma once

/// What the checks of li2026's Muon share: M groups of C classes whose margins climb together, by η a step, and
/// with label noise end on a 2-cycle around the optimum m*.

#include "verify/check.hpp"

namespace rarefact::checks::li2026 {

/// The numbers of a run that closed forms ask for.
struct MuonRun {
  const EvidencePoint* point = nullptr;
  double groups = 0, group_size = 0, classes = 0;  ///< M, C, K
  double label_noise = 0, step_size = 0;
  std::int64_t steps = 0;
  double bound = 0;  ///< 1/C + M/C, of ‖msgn(P - P̂_t) - I‖_max (li2026, after Proposition 6.1)

  double time(std::int64_t step) const { return step_size * static_cast<double>(step); }
  double end() const { return time(steps); }
};

MuonRun muon_run(const EvidencePoint& point);

/// A step of Muon moves the margin of class l by η (1 + ε_l), on average over its wrong answers. The ε_l of
/// the first step: with the own entry 1 + o of msgn(X), whose columns sum to zero, ε = (1 + oK)/(K-1). Those
/// of later steps differ by O(t/C) of themselves, since the residual's columns keep their directions up to
/// that.
std::vector<double> rate_excesses(const Evidence& evidence, const EvidencePoint& point);

/// Adds `prefix` + "order" and "constant" of something that falls as 1/C, over C (three or more): its exponent -1,
/// and C times it against `constant`. The next order is t/C of the first, and rounding of the errors a hundredth
/// at the largest C.
void judge_falling(const std::string& prefix, const std::string& of, bool headline,
                   const std::string& exponent, const std::string& scaled, const Points& falling,
                   double constant, double time, CheckReport& report);

/// m* in the precision of the evidence; infinite without label noise.
double optimum_of(const Evidence& evidence, const MuonRun& run);

/// Rounding of logits of order 50 that grew in a thousand steps, as a relative error of e^logit.
inline constexpr double logit_rounding = 1e-12;

/// A run whose walk m ← m + η sign(m* - m) passes m*.
struct CycleRun : MuonRun {
  double optimum = 0;         ///< m*
  std::int64_t crossing = 0;  ///< n = ⌈m*/η⌉: the first step with a margin beyond m*
  double farther = 0;         ///< the larger distance of the two margins from m*
  double exact = 0;           ///< the larger excess loss of the two
  double limit = 0;           ///< that at the distance η
  double leading = 0;         ///< ½ π₁ (1-π₁) η²
  double bend = 0;  ///< (π₁ - (1-π₁)) δ/3, the next term of the excess loss ½ π₁ (1-π₁) δ² relative to it

  /// The larger excess loss of the last two recorded steps.
  double envelope() const;
  /// How far |ln(envelope/exact)| may be from 0 if margins are off by as much as 1/C + M/C allows: the excess
  /// loss is a square of the distance. Infinite where that is no small part of the distance.
  double allowed() const;
};

CycleRun cycle_run(const Evidence& evidence, const EvidencePoint& point);

/// Cycles that differ in their step size alone, over η or T; all of a check, by what else they differ in.
using CycleFamily = std::map<double, CycleRun>;
using CycleFamilies = std::map<std::pair<double, double>, CycleFamily>;
/// The size of the smallest family, 0 where there is none.
std::size_t fewest_cycles(const CycleFamilies& families);

/// What is claimed of the envelopes of a family over x, and its words.
struct CycleClaim {
  judge::ExponentClaim exponent;
  bool of_step_size;  ///< x is η
  std::string quantity, x, leading;
};

/// Adds "exponent" of the envelope in x; where the family is `sharp`, beside that of the closed form, and then
/// "closed-form", "leading-order" as η falls and their curve. Gives how far the envelope may be from the closed
/// form.
double judge_family(const CycleFamily& family, const CycleClaim& claim, const std::string& of, bool sharp,
                    bool headline, CheckReport& report);

/// Near a whole m*/η one point of the cycle sits on the minimum; there the last digits of the margins decide
/// on which side it is, class by class.
HypothesisRow away_from_minimum();

}  // namespace rarefact::checks::li2026
