#include <cmath>

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/symmetric_memory.hpp"

namespace rarefact {

/// What laws other than the identity show besides. `ratio`: of wrong answers to the likeliest of their column.
template <class Real>
void SymmetricMemory<Real>::observe_answers(const State& s, const std::vector<ColumnOdds<Real>>& odds,
                                            const State& ratio, const Real& tie,
                                            Observation& observation) const {
  using std::abs, std::log;
  const GroupTypes &row_types = structure_->row_types(), &column_types = structure_->column_types();
  observation.log_answers.clear();
  observation.top_share.clear();
  for (Index column = 0; column < structure_->columns(); ++column) {
    const Index j = column_types.group(column), first = row_types.begin(j);
    const QueryAnswers<Real>& law = law_[column];
    const auto own = s.own_column(column);
    const Real top = logits_of_right(law, own).largest, size = std::max(tie, Real(abs(top)));
    TopShare<Real> share(odds[column].advantage, tie_margin(size));
    for (std::size_t i = 0; i < law.size(); ++i) {
      const Real below = top - own(law.at[i]);
      observation.log_answers.push_back(static_cast<double>(Real(odds[column].log_top - below)));
      if (law.right[i]) share.add_right(below, law.share[i], law.times[i]);
    }
    if (share.wrong_count()) {
      const auto own_ratio = ratio.own_column(column);
      for (Index k = 0; k < own_ratio.size(); ++k)
        share.add_wrong(own_ratio(k), law.share_at(k), answer_twins_(first + k));
      for (Index k = 0; k < structure_->rows(); ++k)
        share.add_wrong(
            ratio.other_entries()(k, column), Real(0),
            Real(structure_->units(Side::rows, k) - (row_types.group(k) == j ? 1 : 0)) * answer_twins_(k));
    }
    observation.top_share.push_back(static_cast<double>(Real(share.mean() / (Real(1) - label_noise_))));
  }
  if (label_noise_ > Real(0)) observe_means(s, odds, observation);
}

template <class Real>
void SymmetricMemory<Real>::observe_means(const State& s, const std::vector<ColumnOdds<Real>>& odds,
                                          Observation& observation) const {
  const GroupTypes &row_types = structure_->row_types(), &column_types = structure_->column_types();
  VectorOf<Real> log_sums(structure_->columns());  // ln Σ_k e^S
  for (Index column = 0; column < log_sums.size(); ++column) {
    log_sums(column) = logits_of_right(law_[column], s.own_column(column)).largest - odds[column].log_top;
  }
  observation.mean_log.clear();
  for (Index k = 0; k < structure_->rows(); ++k) {
    const Index i = row_types.group(k);
    Real mean(0);
    for (Index column = 0; column < structure_->columns(); ++column) {
      const Index j = column_types.group(column);
      const Real in_units = query_counts_(column) / Real(structure_->units(Side::columns, column));
      const Real units(structure_->units(Side::columns, column) - (i == j ? 1 : 0));
      Real sum = units * (s.other_entries()(k, column) - log_sums(column));
      if (i == j) sum += s.own_column(column)(k - row_types.begin(i)) - log_sums(column);
      mean += probability_(column) * in_units * sum;
    }
    observation.mean_log.push_back(static_cast<double>(mean));
  }
}

template void SymmetricMemory<double>::observe_means(const State&, const std::vector<ColumnOdds<double>>&,
                                                     Observation&) const;
template void SymmetricMemory<Real50>::observe_means(const State&, const std::vector<ColumnOdds<Real50>>&,
                                                     Observation&) const;
template void SymmetricMemory<double>::observe_answers(const State&, const std::vector<ColumnOdds<double>>&,
                                                       const State&, const double&, Observation&) const;
template void SymmetricMemory<Real50>::observe_answers(const State&, const std::vector<ColumnOdds<Real50>>&,
                                                       const State&, const Real50&, Observation&) const;

}  // namespace rarefact
