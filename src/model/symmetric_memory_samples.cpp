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
  const auto queries = static_cast<Index>(sample.query.size());
  const int exponent = std::ilogb(std::ranges::max(sample.weight));
  const auto answers = static_cast<double>(answers_);
  gradient.task = State(structure_);
  State& g = gradient.task;
  // Columns whose entries come near the smallest doubles have a unit of their own until all are known.
  std::vector<int> shift(sample.query.size(), 0);
  workers.for_tiles(queries, 16, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Index column = sample.query[i];
      const Real right = s.own_column(column)(0);
      auto ratios = g.other_entries().col(column);
      ratios = s.other_entries().col(column).array() - right;
      ratios(column) = Real(0);  // every class that was met is a group of its own
      const auto odds_beside = [&](auto& values, std::span<const Index> apart,
                                   const RightLogits<Real>& seen) {
        using Counted = CountedAnswers<std::remove_reference_t<decltype(values)>&, VectorOf<Real>>;
        return to_wrong_ratios<Real>(seen, Counted{{values, apart}, answer_counts_});
      };
      if (removes_recovered_) {
        VectorOf<Real> all = ratios;
        const Real advantage = odds_beside(all, std::span(&column, 1), {}).advantage;
        if (untied(advantage, std::max(tie, Real(abs(right)))) > Real(0)) {
          ratios.setZero();
          continue;
        }
      }
      const auto drawn = drawn_answers<Real>(sample, i);
      const RightLogits<Real> seen = logits_of_right(drawn, ratios);
      const std::vector<Real> softmax = inside(drawn, ratios, seen);
      const ColumnOdds<Real> odds = odds_beside(ratios, drawn.right_at, seen);
      shift[i] = to_drawn_residual(drawn, odds, softmax, Real(std::ldexp(sample.weight[i], -exponent)),
                                   answers, ratios, [&] { return Real(answer_counts_.dot(ratios)); });
      g.own_column(column)(0) = ratios(column);
      ratios(column) = Real(0);
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
