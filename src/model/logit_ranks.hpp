#pragma once

/// Ranks of the answers of a query among all answers of its column of logits.

#include "core/sorted_order.hpp"
#include "model/softmax_column.hpp"

namespace rarefact {

/// The rank of an answer: how many have larger logits, and how many have logits that tie with its own, itself included.
template <class Real>
struct LogitRank {
  Real above{0}, tied{0};

  /// The probability that it is none of the k largest, where those that tie are in random order.
  Real missed(const Real& k) const { return std::clamp(Real((above + tied - k) / tied), Real(0), Real(1)); }
};

/// The rank of the only answer of a law, or any rank beyond `most` if more than `most` answers are above it.
template <class Real>
LogitRank<Real> rank_of_only(const QueryColumn<Real>& column, const VectorOf<Real>& logits, const Real& tie,
                             const Real& most) {
  const Real own = logits(column.law->at.front()), low = own - tie, high = own + tie;
  LogitRank<Real> rank;
  for (Index k = 0; k < logits.size() && rank.above <= most; ++k) {
    if (logits(k) < low) continue;
    const Real times = column.times == nullptr ? Real(1) : Real(column.times[k]);
    (logits(k) > high ? rank.above : rank.tied) += times;
  }
  return rank;
}

/// Ranks of the answers of the column's law, in their order, for top-k errors up to k = `most`. `logits`: the original values;
/// `tie`: the tolerance for ties.
template <class Real>
void set_ranks(const QueryColumn<Real>& column, const VectorOf<Real>& logits, const Real& tie,
               const Real& most, std::vector<LogitRank<Real>>& ranks) {
  const QueryAnswers<Real>& law = *column.law;
  if (law.size() == 1) {
    ranks.assign(1, rank_of_only(column, logits, tie, most));
    return;
  }
  const auto own = [&](std::size_t i) -> const Real& { return logits(law.at[i]); };
  const std::vector<std::size_t> order = sorted_order(law.size(), std::greater(), own);
  ranks.assign(law.size(), {});
  for (Index k = 0; k < logits.size(); ++k) {
    const Real times = column.times_at(k);
    if (!(times > Real(0))) continue;
    // Answers are in falling order: logit k ties with those from `level` to `below`, and is above the rest.
    const auto level = std::ranges::partition_point(order,
                                                    [&](std::size_t i) { return own(i) > logits(k) + tie; }),
               below = std::partition_point(level, order.end(),
                                            [&](std::size_t i) { return !(own(i) < logits(k) - tie); });
    if (level != order.end()) ranks[*level].tied += times;
    if (below != order.end()) ranks[*below].above += times;
  }
  Real at_least(0), above(0);
  for (const std::size_t i : order) {
    at_least += ranks[i].tied;
    above += ranks[i].above;
    ranks[i] = {above, Real(at_least - above)};
  }
}

/// 1 - Σ π₀ of the k answers with the largest logits.
template <class Real>
Real top_error(const QueryAnswers<Real>& law, const std::vector<LogitRank<Real>>& ranks,
               const Real& label_noise, const Real& k) {
  Real sum(0);
  for (std::size_t i = 0; i < law.size(); ++i) sum += law.times[i] * law.share[i] * ranks[i].missed(k);
  return sum / (Real(1) - label_noise);
}

}  // namespace rarefact
