#pragma once

/// What the checks of kim2026 share: p_i ∝ i^-a, Gaussian embeddings in d dimensions, facts that are
/// recovered.

#include "verify/check.hpp"

namespace rarefact::checks::kim2026 {

/// d of the queries' embedding; 0 where the kind has none.
double dimension_of(const EvidencePoint& point);
/// a; 0 where the spectrum has none.
double exponent_of(const EvidencePoint& point);

/// y over x of every seed, from the points where `group` has this value.
judge::SeedCurves seed_curves(const PointList& points, const Number& x, const Number& y, const Number& group,
                              double value);
/// Of a variable at a step.
Number recorded(const std::string& optimizer, const std::string& variable, std::int64_t step = 1);
/// The latter over d, from the points with this a.
judge::SeedCurves over_dimension(const PointList& points, double a, const std::string& optimizer,
                                 const std::string& variable, std::int64_t step = 1);

/// 1/(2a): facts one step of gradient descent recovers, d to this power. Muon: 1 + 1/(2a).
inline double capacity_of_gd(double a) {
  return 1 / (2 * a);
}
inline double capacity_of_muon(double a) {
  return 1 + capacity_of_gd(a);
}

/// "1.333", or with where it comes from: "derived: 0.3333", "open: 1.556".
std::string claimed_text(double exponent, const std::string& status = "");

/// Makes a row of this paper of what is its own: adds the hypotheses that both embeddings are Gaussian, p a power
/// law with a > 1, at least eight facts a dimension, the polar factor exact, every run complete, and d → ∞; what a
/// reader of all these checks has to know, behind the note of the judge; and after its findings
/// "possible-states".
/// That is true of any matrix W, so that a program which breaks it is wrong: a count is a whole number of at most
/// K facts, their mass is between those of the rarest and of the most frequent facts as many, soft recovery and
/// loss are between the bounds that p̂ > 1/K of a recovered fact and p̂ <= 1/2 of another one give. The finding's
/// number counts the recorded states that break it.
CheckRow capacity_check(CheckRow own);

/// Adds "capacity", the exponent of the count in d as evidence, for each a, and its curve; the one of a = 1.5,
/// or of the only a, is a headline. Gives them by a.
std::map<double, Finding> judge_capacity(const PointList& points, const std::string& optimizer,
                                         double (*claimed)(double a), const std::string& status,
                                         CheckReport& report);

}  // namespace rarefact::checks::kim2026
