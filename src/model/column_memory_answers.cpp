#include <algorithm>

#include "model/column_loss.hpp"
#include "model/column_memory.hpp"

namespace rarefact {

/// What laws other than the identity show besides, column by column.
void ColumnMemory::observe_answers(const State& s, double logit_size, Observation& seen) const {
  seen.log_answers.clear();
  seen.top_share.clear();
  const ColumnStructure& structure = *laws_.structure;
  const bool two = structure.two_numbers();
  std::vector<double> log_sums;  // ln Σ_k e^S of every column
  for (Index l = 0; l < structure.groups(); ++l) {
    const auto cell = static_cast<std::size_t>(l);
    ColumnLaw law;
    if (two) {
      law.other_law = label_noise_ / classes_;
      law.own_law = 1 - label_noise_ + law.other_law;
      law.other_times = classes_ - 1;
    } else {
      law = laws_.of(l);
    }
    const double* middle = two ? nullptr : s.middle.data() + structure.middle_begin[cell];
    const ValueSoftmax softmax = softmax_of(law, s.own(l), s.other(l), middle);
    const double log_sum = softmax.right_peak + std::log(softmax.right_sum) + softplus(seen.log_odds[cell]);
    log_sums.push_back(log_sum);
    for (std::size_t i = share_begin_[cell]; i < share_begin_[cell + 1]; ++i)
      seen.log_answers.push_back((share_value_[i] == 0 ? s.own(l) : middle[share_value_[i] - 1]) - log_sum);
    TopShare<double> share(seen.advantage[cell], tie_margin(logit_size));
    const double kept = 1 - label_noise_;
    share.add_right(softmax.right_peak - s.own(l), (law.own_law - law.other_law) / kept, law.own_times);
    for (std::size_t i = 0; i < law.times.size(); ++i) {
      const double own_share = (law.law[i] - law.other_law) / kept;
      if (i < law.right)
        share.add_right(softmax.right_peak - middle[i], own_share, law.times[i]);
      else if (share.wrong_count())
        share.add_wrong(std::exp(middle[i] - softmax.wrong_peak), own_share, law.times[i]);
    }
    if (share.wrong_count() && law.other_times > 0)
      share.add_wrong(std::exp(s.other(l) - softmax.wrong_peak), 0, law.other_times);
    seen.top_share.push_back(share.mean());
  }
  if (label_noise_ > 0) observe_means(s, log_sums, seen);
}

/// As if every answer of a column had its `other`, and what the answers that the query has differ by.
void ColumnMemory::observe_means(const State& s, const std::vector<double>& log_sums,
                                 Observation& seen) const {
  const ColumnStructure& structure = *laws_.structure;
  double common = 0;
  for (Index l = 0; l < structure.groups(); ++l) {
    const auto cell = static_cast<std::size_t>(l);
    common +=
        structure.count[cell] * std::ldexp(scaled_probability_(l), exponent_) * (s.other(l) - log_sums[cell]);
  }
  seen.mean_log.assign(answer_types_, common);
  for (Index l = 0; l < structure.groups(); ++l) {
    const auto cell = static_cast<std::size_t>(l);
    const double weight = twins_[cell] * std::ldexp(scaled_probability_(l), exponent_);
    for (std::size_t i = share_begin_[cell]; i < share_begin_[cell + 1]; ++i) {
      const double value =
          share_value_[i] == 0 ? s.own(l) : s.middle(structure.middle_begin[cell] + share_value_[i] - 1);
      seen.mean_log[share_type_[i]] += weight * (value - s.other(l));
    }
  }
}

/// Where the answers of every query are among the values of its column.
void ColumnMemory::set_shares(const Units& units) {
  std::vector<std::size_t> first;
  for (const UnitGroup& unit : units.groups) {
    first.push_back(answer_types_);
    answer_types_ += unit.answer_twins.size();
  }
  share_begin_ = {0};
  Index column = 0;
  for (const auto& [group, type] : query_types(units)) {
    const UnitGroup& unit = units.groups[group];
    const QueryType& query = unit.queries[type];
    twins_.push_back(query.twins);
    for (const AnswerShare& share : query.answers) {
      share_type_.push_back(first[group] + static_cast<std::size_t>(share.type));
      share_value_.push_back(laws_.structure->two_numbers() ? 0
                                                            : laws_.value_of(column, share, label_noise_));
    }
    share_begin_.push_back(share_type_.size());
    ++column;
  }
}

}  // namespace rarefact
