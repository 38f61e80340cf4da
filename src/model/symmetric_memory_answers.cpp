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

template <class Real>
double SymmetricMemory<Real>::twin_gain(const Gradient<State>& gradient) const {
  using std::ldexp, std::sqrt;
  if (!couples_columns_ || !structure_->has_twins()) return 0;
  const State& g = gradient.task;
  const GroupTypes &row_types = structure_->row_types(), &column_types = structure_->column_types();
  // Between units there is little: msgn acts on each unit nearly alone.
  VectorOf<Real> of_rows = VectorOf<Real>::Zero(structure_->rows()), of_columns(structure_->columns());
  for (Index column = 0; column < structure_->columns(); ++column) {
    const Index j = column_types.group(column), first = row_types.begin(j), height = row_types.size(j);
    VectorOf<Real> inside = g.own_column(column);
    if (structure_->units(Side::columns, column) > 1)
      inside -= g.other_entries().col(column).segment(first, height);
    const VectorOf<Real> of_twins = inside.cwiseProduct(answer_twins_.segment(first, height).cwiseSqrt());
    of_columns(column) = safe_norm(of_twins);
    const Real root = sqrt(Real(column_types.twins(column)));
    for (Index k = 0; k < height; ++k)
      of_rows(first + k) = safe_norm(Eigen::Matrix<Real, 2, 1>(of_rows(first + k), root * inside(k)));
  }
  Real largest(0);
  for (Index column = 0; column < structure_->columns(); ++column) {
    const Index j = column_types.group(column), first = row_types.begin(j);
    const QueryAnswers<Real>& law = law_[column];
    const Real p = ldexp(scaled_probability_(column), exponent_ - gradient.exponent);
    const auto add = [&](Index row, const Real& entry, const Real& share) {
      const Real likely = entry + p * (share + background_(row));  // p p̂
      if (column_types.twins(column) > 1 && of_rows(row) > Real(0))
        largest = std::max(largest, Real(likely / of_rows(row)));
      if (row_types.twins(row) > 1 && of_columns(column) > Real(0))
        largest = std::max(largest, Real(likely / of_columns(column)));
    };
    for (Index k = 0; k < row_types.size(j); ++k) add(first + k, g.own_column(column)(k), law.share_at(k));
    for (Index row = 0; row < structure_->rows(); ++row) {
      if (row_types.group(row) != j || structure_->units(Side::rows, row) > 1)
        add(row, g.other_entries()(row, column), Real(0));
    }
  }
  return static_cast<double>(largest);
}

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
template double SymmetricMemory<double>::twin_gain(const Gradient<State>&) const;
template double SymmetricMemory<Real50>::twin_gain(const Gradient<State>&) const;
template void SymmetricMemory<double>::observe_means(const State&, const std::vector<ColumnOdds<double>>&,
                                                     Observation&) const;
template void SymmetricMemory<Real50>::observe_means(const State&, const std::vector<ColumnOdds<Real50>>&,
                                                     Observation&) const;
template void SymmetricMemory<double>::observe_answers(const State&, const std::vector<ColumnOdds<double>>&,
                                                       const State&, const double&, Observation&) const;
template void SymmetricMemory<Real50>::observe_answers(const State&, const std::vector<ColumnOdds<Real50>>&,
                                                       const State&, const Real50&, Observation&) const;

}  // namespace rarefact
