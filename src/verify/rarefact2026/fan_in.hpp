#pragma once

/// What the checks of docs/variants.md share: numbers of queries that have one answer each, shared with others.

#include "verify/check.hpp"

namespace rarefact::checks::rarefact2026 {

/// Alike queries of a run.
struct QueryRow {
  std::size_t row = 0;     ///< of the result
  std::size_t answer = 0;  ///< group of their answer
  double probability = 0;  ///< p of one
  double fan_in = 0;       ///< r of the answer
  double norm = 0;         ///< σ = (Σ p²)^½ over the queries of the answer
  double stretch = 0;      ///< s = p/σ: what Muon's first step gives the query, to leading order
};

std::vector<QueryRow> query_rows(const EvidencePoint& point);
/// Answers of the run, by group, with σ in the place of probabilities.
ClassGroups answers_by_norm(const EvidencePoint& point);
/// K.
double answer_count(const EvidencePoint& point);
/// min s/max s: √(r_min/r_max) where all queries are equally likely.
double balance(const EvidencePoint& point);
/// The right logit less the wrong ones, which have to be alike, from error and loss. Precondition: no label noise.
double margin_at(const EvidencePoint& point, const std::string& optimizer, std::int64_t step,
                 std::size_t row);

/// The law's units are one answer with its queries. Without it there is nothing to measure.
HypothesisRow one_answer_each();
/// At least so many fan-ins, in all points together.
HypothesisRow different_fan_ins(std::size_t least);
/// Three K at least from `low` to `high`, without which orders and exponents in K are none.
HypothesisRow three_answer_counts(double low, double high);
/// p of all queries agrees; fan-ins are whole numbers, so not to the last digit.
HypothesisRow equally_likely_queries();

}  // namespace rarefact::checks::rarefact2026
