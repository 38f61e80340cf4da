#pragma once

// What the checks of Muon's 2-cycle share: the cycle in closed form, and the envelope that is measured.

#include "theory/sign_walk.hpp"
#include "verify/grouped_muon.hpp"

namespace rarefact::checks {

/// The walk m ← m + η sign(m* - m) of a run once it has passed m*.
struct Cycle {
  double optimum = 0;           ///< m*
  std::int64_t crossing = 0;    ///< n = ⌈m*/η⌉: the first step with a margin beyond m*
  double below = 0, above = 0;  ///< distances of the two margins from m*, both positive
  double envelope = 0;          ///< the larger excess loss of the two
  double bound = 0;             ///< that at the distance η
  double leading = 0;           ///< ½ π₁ (1-π₁) η²
  double bend = 0;  ///< (π₁ - (1-π₁)) δ/3, the next term of the excess loss ½ π₁ (1-π₁) δ² relative to it
};

inline Cycle cycle_of(const Evidence& evidence, const GroupedRun& run) {
  Cycle cycle{.optimum = optimum_of(evidence, run)};
  cycle.crossing = static_cast<std::int64_t>(std::ceil(cycle.optimum / run.step_size));
  const auto compute = [&](auto zero) {
    using Real = decltype(zero);
    const Real classes(run.classes), noise(run.label_noise), step_size(run.step_size);
    const Real optimum = optimal_margin<Real>(classes, noise);
    const Real below = optimum - sign_walk<Real>(step_size, optimum, cycle.crossing - 1);
    const Real above = optimum - sign_walk<Real>(step_size, optimum, cycle.crossing);
    const auto excess = [&](const Real& distance) {
      return static_cast<double>(excess_at_distance<Real>(distance, classes, noise));
    };
    cycle.below = static_cast<double>(below);
    cycle.above = -static_cast<double>(above);
    cycle.envelope = std::max(excess(below), excess(above));
    const CycleBound<Real> bound = cycle_excess_bound<Real>(step_size, classes, noise);
    cycle.bound = static_cast<double>(bound.exact);
    cycle.leading = static_cast<double>(bound.leading);
    return Real(0);
  };
  in_precision(evidence, compute);
  cycle.bend = std::max(cycle.below, cycle.above) * std::abs(1 - 2 * run.label_noise) / 3;
  return cycle;
}

/// The larger excess loss of a recorded step and the one before.
inline double envelope_at(const EvidencePoint& point, std::int64_t step) {
  return std::max(point.at("muon", "excess_loss", step), point.at("muon", "excess_loss", step - 1));
}

/// How far |ln(envelope/closed form)| may be from 0 if margins are off by as much as 1/C + M/C allows: the
/// excess loss is a square of the distance. Infinite where that is no small part of the distance.
inline double allowed_deviation(const GroupedRun& run, const Cycle& cycle) {
  const double off = 2 * run.bound * cycle.optimum, distance = std::max(cycle.below, cycle.above);
  return off < distance / 2 ? 2 * off / (distance - off) + logit_rounding / distance : INFINITY;
}

/// Near a whole m*/η one point of the cycle sits on the minimum; there the last digits of the margins decide
/// on which side it is, class by class.
inline Hypothesis away_from_minimum(const EvidencePoints& points) {
  double least = 0.5, widest = 0;
  for (const EvidencePoint& point : points) {
    const GroupedRun run = grouped_run(point, "muon");
    if (run.label_noise <= 0) continue;
    const double offset = cycle_offset<double>(run.step_size, run.classes, run.label_noise);
    least = std::min(least, offset);
    widest = std::max(widest, 2 * run.bound * optimal_margin<double>(run.classes, run.label_noise) /
                                  (offset * run.step_size));
  }
  return {
      "no point of a cycle is near the minimum: m*/η at least 0.1 away from a whole number and margins off "
      "by less than that distance",
      least >= 0.1 && widest < 1,
      fmt::format("m*/η at least {:.3g} away; 2 m* (1/C + M/C) at most {:.2g} of the distance", least,
                  widest)};
}

}  // namespace rarefact::checks
