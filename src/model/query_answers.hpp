#pragma once

/// The answer distribution of one query, π = (1-α) π₀ + α b, by the places of answers in its column of
/// logits.

#include <algorithm>
#include <span>
#include <vector>

#include "core/compensated_sum.hpp"
#include "core/types.hpp"

namespace rarefact {

/// α b_k for the answers of a range of a column: one number for all, or per answer with their maximum.
template <class Real>
struct NoiseProbability {
  Real constant{0};
  std::span<const Real> per_answer = {};

  const Real& operator()(Index k) const { return per_answer.empty() ? constant : per_answer[k]; }
};

/// The answers that a query has; all other answers have only the background probability.
template <class Real>
struct QueryAnswers {
  std::vector<Index> at = {};        ///< their places in the column, ascending
  std::vector<Index> right_at = {};  ///< places of the right answers
  std::vector<Real> share = {};      ///< (1-α) π₀ of one answer
  std::vector<Real> target = {};     ///< π of one
  std::vector<Real> times = {};      ///< number of answers of an entry
  std::vector<char> right = {};
  Real right_target{0};  ///< π(R), R the right answers
  Real wrong_target{0};  ///< 1 - π(R), as a sum of the other probabilities
  bool noisy = false;    ///< α > 0

  std::size_t size() const { return at.size(); }
  /// True if the query always has the same answer, or one of several that share an entry.
  bool certain() const { return !noisy && size() == 1; }
  bool one_right() const { return right_at.size() == 1 && right_times_ == Real(1); }
  bool all_right() const { return right_at.size() == size(); }

  /// The share of the answer at place k; 0 if the query does not have it.
  Real share_at(Index k) const {
    const std::size_t i = index_of(k);
    return i < size() ? share[i] : Real(0);
  }
  /// ln π of the i-th answer, even if π differs from 1 by less than the spacing of numbers.
  Real log_target(std::size_t i) const {
    using std::log, std::log1p;
    const bool likely = right[i] && one_right() && wrong_target < Real(0.5);
    return likely ? Real(log1p(Real(-wrong_target))) : Real(log(target[i]));
  }
  /// Adds an answer; call in ascending order. `background` is α b of the answer; b sums to 1 over all
  /// answers.
  void add(Index where, const Real& own_share, const Real& background, const Real& count, bool is_right) {
    at.push_back(where);
    share.push_back(own_share);
    target.push_back(own_share + background);
    times.push_back(count);
    right.push_back(is_right);
    if (is_right) {
      right_at.push_back(where);
      right_times_ += count;
      right_target += count * target.back();
      right_noise_.add(count * background);
    } else {
      wrong_target += count * own_share;
    }
  }
  /// Call after the last answer, with label noise α and K. `noise`: the sum of α b over all answers; null if they
  /// are equally likely.
  void finish(const Real& label_noise, const Real& answers, const CompensatedSumOf<Real>* noise = nullptr) {
    noisy = label_noise > Real(0);
    if (!noisy) return;
    if (!noise) {
      wrong_target += label_noise * ((answers - right_times_) / answers);
      return;
    }
    CompensatedSumOf<Real> others = *noise;
    others.add(-right_noise_.high);
    others.add(-right_noise_.low);
    wrong_target += others.value();
  }

 private:
  /// The index of the answer at place k; the size if the query does not have it.
  std::size_t index_of(Index k) const {
    const auto found = std::lower_bound(at.begin(), at.end(), k);
    return found != at.end() && *found == k ? static_cast<std::size_t>(found - at.begin()) : size();
  }

  CompensatedSumOf<Real> right_noise_;
  Real right_times_{0};
};

}  // namespace rarefact
