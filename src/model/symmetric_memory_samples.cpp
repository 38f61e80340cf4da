#include <algorithm>
#include <cmath>

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/column_residual.hpp"
#include "model/symmetric_memory.hpp"

namespace rarefact {

template <class Real>
void SymmetricMemory<Real>::sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                                             const Workers& workers, const RandomRounding* rounding) const {
  using std::abs, std::ldexp;
  State embedded = identity() && !rounding ? State() : logits(w);
  if (rounding) rounding->logits(embedded);
  const State& s = identity() && !rounding ? w : embedded;
  const Real tie = tie_size(w, rounding);
  const auto drawn = static_cast<Index>(sample.query.size());
  const int exponent = std::ilogb(std::ranges::max(sample.weight));
  const auto answers = static_cast<double>(answers_);
  gradient.task = State(structure_);
  State& g = gradient.task;
  // Columns whose entries come near the smallest doubles have a unit of their own until all are known.
  std::vector<int> shift(sample.query.size(), 0);
  workers.for_tiles(drawn, 16, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Index column = sample.query[i];
      const Real right = s.own_column(column)(0);
      auto ratios = g.other_entries().col(column);
      ratios = s.other_entries().col(column).array() - right;
      using Counted = CountedAnswers<decltype(ratios), VectorOf<Real>>;
      ColumnOdds<Real> odds =
          to_wrong_ratios<Real>({}, Counted{{ratios, std::span(&column, 1)}, answer_counts_});
      odds.advantage = untied(odds.advantage, std::max(tie, Real(abs(right))));
      if (removes_recovered_ && odds.advantage > Real(0)) {
        ratios.setZero();
        continue;
      }
      Real& own = g.own_column(column)(0);
      shift[i] = to_sampled_residual(
          law_[static_cast<std::size_t>(column)], odds, {Real(1)}, sample, i, exponent, background_, answers,
          ratios, [&](Index k) -> Real& { return k == column ? own : ratios(k); },
          [&](Index) -> Real& { return own; }, [&] { return Real(answer_counts_.dot(ratios)); });
    }
  });
  const int unit = std::ranges::max(shift);
  gradient.exponent = exponent + unit;
  for (std::size_t i = 0; i < shift.size(); ++i) {
    if (shift[i] == unit) continue;
    const Real factor = ldexp(Real(1), shift[i] - unit);
    g.other_entries().col(sample.query[i]) *= factor;
    g.own_column(sample.query[i]) *= factor;
  }
  gradient.image.reset();
  if (!identity()) gradient.image = to_ambient(g);
}

template void SymmetricMemory<double>::sampled_gradient(const State&, const Sample&, Gradient<State>&,
                                                        const Workers&, const RandomRounding*) const;
template void SymmetricMemory<Real50>::sampled_gradient(const State&, const Sample&, Gradient<State>&,
                                                        const Workers&, const RandomRounding*) const;

}  // namespace rarefact
