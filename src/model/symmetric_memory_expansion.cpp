#include "core/real50.hpp"
#include "model/symmetric_memory.hpp"

namespace rarefact {

/// The rows of a column: those of all other units, and after them those of its own.
template <class Real>
Expansion<Real> SymmetricMemory<Real>::expansion(const State& w, const State& direction, const Real& x,
                                                 const Observation&, const Workers& workers) const {
  const State embedded = identity() ? State() : logits(w), moved = identity() ? State() : logits(direction);
  const State &s = identity() ? w : embedded, &d = identity() ? direction : moved;
  const GroupTypes &row_types = structure_->row_types(), &column_types = structure_->column_types();
  const Index columns = structure_->columns(), rows = structure_->rows();
  std::vector<Expansion<Real>> of(static_cast<std::size_t>(columns));
  workers.for_tiles(columns, 32, [&](Index begin, Index end) {
    UpdatedColumn<Real> column;
    for (Index c = begin; c < end; ++c) {
      // As most are in updates by samples.
      if (identity() && d.own_column(c).isZero(0) && d.other_entries().col(c).isZero(0)) continue;
      const Index j = column_types.group(c), first = row_types.begin(j), height = row_types.size(j);
      const auto put = [&](const State& from, auto to) {
        to.head(rows) = from.other_entries().col(c);
        to.tail(height) = from.own_column(c);
      };
      if (column.resize(rows + height)) {
        column.times().head(rows) = answer_counts_;
        column.set_background(0, rows, background_);
      }
      put(s, column.logit());
      put(d, column.change());
      auto times = column.times();
      const auto own_twins = answer_twins_.segment(first, height);
      times.tail(height) = own_twins;
      times.segment(first, height) -= own_twins;
      for (const Index k : absent_[j]) {
        column.logit()(k) = column.logit()(rows);
        times(k) = Real(0);
      }
      column.set_background(rows, height, background_.part(first, height));
      column.set_answers(law_[c], rows);
      of[c] = expansion_of(column, x);
      if (!identity()) {
        put(direction, column.change());
        of[c].size = times.dot(column.change().cwiseAbs2());
      }
      times.segment(first, height) = answer_counts_.segment(first, height);
    }
  });
  Expansion<Real> total;
  for (Index c = 0; c < columns; ++c)
    total.add(of[c], query_counts_(c), Real(query_counts_(c) * probability_(c)));
  return total;
}

template Expansion<double> SymmetricMemory<double>::expansion(const State&, const State&, const double&,
                                                              const Observation&, const Workers&) const;
template Expansion<Real50> SymmetricMemory<Real50>::expansion(const State&, const State&, const Real50&,
                                                              const Observation&, const Workers&) const;

}  // namespace rarefact
