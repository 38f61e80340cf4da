#pragma once

/// What the checks of kim2026 share: p_i ∝ i^-a, Gaussian embeddings in d dimensions, facts that are
/// recovered.

#include <functional>

#include "verify/check.hpp"
#include "verify/seed_evidence.hpp"

namespace rarefact::checks::kim2026 {

/// d of the queries' embedding; 0 where the kind has none.
double dimension_of(const EvidencePoint& point);
/// a; 0 where the spectrum has none.
double exponent_of(const EvidencePoint& point);

using Number = std::function<double(const EvidencePoint&)>;
/// The distinct values of a number, ascending.
std::vector<double> distinct(const PointList& points, const Number& number);
/// y over x of every seed, from the points where `group` has this value.
judge::SeedCurves seed_curves(const PointList& points, const Number& x, const Number& y, const Number& group,
                              double value);
/// Of a variable at a step.
Number recorded(const std::string& optimizer, const std::string& variable, std::int64_t step = 1);
/// Means over seeds.
Points mean_over_seeds(const judge::SeedCurves& curves);
/// A number that every seed has one of: its mean with its interval, as evidence.
Finding seed_mean_finding(std::string quantity, const std::vector<double>& numbers);

/// 1/(2a): facts one step of gradient descent recovers, d to this power. Muon: 1 + 1/(2a).
inline double capacity_of_gd(double a) {
  return 1 / (2 * a);
}
inline double capacity_of_muon(double a) {
  return 1 + capacity_of_gd(a);
}

/// "1.333", or with where it comes from: "derived: 0.3333", "open: 1.556".
std::string claimed_text(double exponent, const std::string& status = "");

/// Both embeddings Gaussian, p a power law with a > 1, at least eight facts a dimension, the exact polar
/// factor; then `of_check`; every run complete, and d → ∞.
std::vector<HypothesisRow> capacity_hypotheses(const std::vector<HypothesisRow>& of_check);

/// Adds "possible-states". True of any matrix W, so that a program which breaks it is wrong: a count is a
/// whole number of at most K facts, their mass is between those of the rarest and of the most frequent facts
/// as many, soft recovery and loss are between the bounds that p̂ > 1/K of a recovered fact and p̂ <= 1/2 of
/// another one give. The finding's number counts the recorded states that break it.
void judge_states(const Evidence& evidence, CheckReport& report);

/// Adds "capacity", the exponent of the count in d as evidence, for each a, and its curve; the one of a = 1.5,
/// or of the only a, is a headline. Gives them by a.
std::map<double, Finding> judge_capacity(const PointList& points, const std::string& optimizer,
                                         double (*claimed)(double a), const std::string& status,
                                         CheckReport& report);

/// Several steps of Muon with the thresholded or with the exact gradient: exponents in d of counts and losses
/// after every step, as evidence beside 2 - (1 - 1/(2a))^t and 1 - a times that; `status` of the claims as in
/// claimed_text.
void judge_steps(const Evidence& evidence, const std::string& status, CheckReport& report);
std::vector<HypothesisRow> multi_step_hypotheses(bool thresholded);

/// What a reader of all these checks has to know.
extern const char* const capacity_note;

/// Why none of these checks has a second run in 50 digits.
extern const char* const no_precise_capacity;

}  // namespace rarefact::checks::kim2026
