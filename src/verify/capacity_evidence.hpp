#pragma once

// What the checks of kim2026 share: p_i ∝ i^-a, Gaussian embeddings in d dimensions, facts that are
// recovered.

#include <functional>
#include <string>
#include <vector>

#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/one_step_evidence.hpp"
#include "verify/seed_evidence.hpp"

namespace rarefact::checks {

/// d of the queries' embedding; 0 where the kind has none.
double dimension_of(const EvidencePoint& point);
/// a; 0 where the spectrum has none.
double exponent_of(const EvidencePoint& point);
/// The distinct a, ascending.
std::vector<double> exponents_of(const EvidencePoints& points);

using Number = std::function<double(const EvidencePoint&)>;
/// y over x of every seed, from the points where `which` holds.
judge::SeedCurves seed_curves(const EvidencePoints& points, const Number& x, const Number& y,
                              const std::function<bool(const EvidencePoint&)>& which);
/// A variable at a step over d, of the points with this a.
judge::SeedCurves over_dimension(const EvidencePoints& points, double a, const std::string& optimizer,
                                 const std::string& variable, std::int64_t step = 1);
/// Means over seeds.
Points mean_over_seeds(const judge::SeedCurves& curves);

/// 1/(2a): facts one step of gradient descent recovers, d to this power. Muon: 1 + 1/(2a).
inline double capacity_of_gd(double a) {
  return 1 / (2 * a);
}
inline double capacity_of_muon(double a) {
  return 1 + capacity_of_gd(a);
}
/// 2 - (1 - 1/(2a))^t: of t steps of Muon.
double capacity_of_steps(double a, std::int64_t steps);

/// "1.333", or with where it comes from: "derived: 0.3333", "open: 1.556".
std::string claimed_text(double exponent, const std::string& status = "");

/// Both embeddings Gaussian, p a power law with a > 1, the population without noise where `population`, every
/// run complete, at least eight facts a dimension.
std::vector<Hypothesis> capacity_hypotheses(const Evidence& evidence, bool population = true);

/// True of any matrix W, so that a program which breaks it is wrong: a count is a whole number of at most K
/// facts, their mass is between those of the rarest and of the most frequent facts as many, soft recovery and
/// loss are between the bounds that p̂ > 1/K of a recovered fact and p̂ <= 1/2 of another one give. The
/// finding's number counts the recorded states that break it.
Finding possible_states(const Evidence& evidence);

/// The exponent of the count in d as evidence, one finding for each a, and its curve; the one of a = 1.5, or
/// of the only a, is a headline. In the order of a.
std::vector<Finding> judge_capacity(const EvidencePoints& points, const std::string& optimizer,
                                    const std::function<double(double)>& claimed, const std::string& status,
                                    CheckReport& report);

/// What a reader of all these checks has to know.
extern const char* const capacity_note;

/// Why none of these checks has a second run in 50 digits.
extern const char* const no_precise_capacity;

}  // namespace rarefact::checks
