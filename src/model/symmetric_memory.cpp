#include "model/symmetric_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/column_loss.hpp"

namespace rarefact {

namespace {

/// The sum of a column of group j.
template <class Real>
Real column_sum(const SymmetricMatrix<Real>& x, Index j, Index column) {
  const GroupStructure& s = x.structure();
  const GroupTypes& rows = s.row_types();
  const auto with_twins = [&](const auto& entries, Index i) {
    if (!rows.has_twins()) return Real(entries.sum());
    Real sum(0);
    for (Index b = 0; b < entries.size(); ++b) sum += Real(rows.twins(rows.begin(i) + b)) * entries(b);
    return sum;
  };
  Real sum = with_twins(x.own(j).col(column), j);
  for (Index i = 0; i < s.groups(); ++i) {
    const Real partners = i == j ? Real(Real(s.count[i]) - Real(1)) : Real(s.count[i]);
    sum += partners * with_twins(x.other(i, j).col(column), i);
  }
  return sum;
}

/// L X Rᵀ block by block (an empty matrix is the identity).
template <class Real>
SymmetricMatrix<Real> conjugated(SymmetricMatrix<Real> x, const MatrixOf<Real>& left,
                                 const MatrixOf<Real>& right) {
  const auto apply = [&](auto block) {
    if (left.size() > 0) block = (left * block).eval();
    if (right.size() > 0) block = (block * right.transpose()).eval();
  };
  const GroupStructure& s = x.structure();
  for (Index j = 0; j < s.groups(); ++j) {
    apply(x.own(j));
    for (Index i = 0; i < s.groups(); ++i) apply(x.other(i, j));
  }
  return x;
}

/// G_ρ^½ X, with G_ρ^½ = a I + c 11ᵀ, a = (1-ρ)^½, c = ((1-ρ+ρK)^½ - a)/K = ρ/((1-ρ+ρK)^½ + a): every entry of a
/// column gains c times the column's sum.
template <class Real>
SymmetricMatrix<Real> times_gram_root(const SymmetricMatrix<Real>& x, double correlation,
                                      const Real& classes) {
  using std::sqrt;
  if (correlation == 0) return x;
  const Real rho(correlation), a = sqrt(Real(1) - rho);
  const Real c = rho / (sqrt(Real(1) - rho + rho * classes) + a);
  const GroupStructure& s = x.structure();
  SymmetricMatrix<Real> y = x;
  for (Index j = 0; j < s.groups(); ++j) {
    for (Index column = 0; column < s.column_types().size(j); ++column) {
      const Real sum = column_sum(x, j, column);
      y.own(j).col(column) = (a * x.own(j).col(column)).array() + c * sum;
      for (Index i = 0; i < s.groups(); ++i) {
        if (i == j && s.count[i] <= 1) continue;
        y.other(i, j).col(column) = (a * x.other(i, j).col(column)).array() + c * sum;
      }
    }
  }
  return y;
}

/// X between the embeddings: turned by their blocks, or stretched by the roots of their correlations.
template <class Real>
SymmetricMatrix<Real> between(const SymmetricMatrix<Real>& x, const SymmetricEmbedding<Real>& answer,
                              const SymmetricEmbedding<Real>& query, bool transpose, const Real& classes) {
  const auto block = [transpose](const MatrixOf<Real>& side) -> MatrixOf<Real> {
    return transpose ? MatrixOf<Real>(side.transpose()) : side;
  };
  SymmetricMatrix<Real> y = conjugated<Real>(x, block(answer.block), block(query.block));
  y = times_gram_root(y, answer.correlation, classes);
  if (query.correlation != 0) y = transposed(times_gram_root(transposed(y), query.correlation, classes));
  return y;
}

}  // namespace

template <class Real>
SymmetricMemory<Real>::SymmetricMemory(const BlockGroups& groups, double label_noise,
                                       SymmetricEmbedding<Real> query, SymmetricEmbedding<Real> answer,
                                       bool removes_recovered, bool couples_columns)
    : structure_(std::make_shared<const GroupStructure>(GroupStructure::blocks(groups.block, groups.count))),
      probability_(structure_->rows()),
      classes_(structure_->template total<Real>(Side::rows)),
      label_noise_(label_noise),
      removes_recovered_(removes_recovered),
      couples_columns_(couples_columns),
      query_(std::move(query)),
      answer_(std::move(answer)) {
  for (Index row = 0; row < structure_->rows(); ++row)
    probability_(row) = Real(groups.probability[static_cast<std::size_t>(row)]);
  exponent_ = std::ilogb(*std::max_element(groups.probability.begin(), groups.probability.end()));
  scaled_probability_ = probability_ * Real(std::ldexp(1.0, -exponent_));
}

template <class Real>
std::vector<Cell> SymmetricMemory<Real>::cells() const {
  std::vector<Cell> cells;
  for (Index i = 0; i < structure_->groups(); ++i) {
    for (Index position = 0; position < structure_->column_types().size(i); ++position) {
      cells.push_back({i, position, structure_->count[static_cast<std::size_t>(i)],
                       static_cast<double>(probability_(structure_->column_types().begin(i) + position))});
    }
  }
  return cells;
}

template <class Real>
SymmetricMatrix<Real> SymmetricMemory<Real>::logits(const State& w) const {
  return identity() ? w : between(w, answer_, query_, true, classes_);
}

template <class Real>
SymmetricMatrix<Real> SymmetricMemory<Real>::to_ambient(const State& x) const {
  return identity() ? x : between(x, answer_, query_, false, classes_);
}

template <class Real>
SecondMoment<SymmetricMatrix<Real>> SymmetricMemory<Real>::second_moment_root() const {
  using std::sqrt;
  State roots = zero();
  const GroupTypes& types = structure_->column_types();
  for (Index c = 0; c < scaled_probability_.size(); ++c)
    roots.own_column(c)(c - types.begin(types.group(c))) = sqrt(scaled_probability_(c));
  return {times_gram_root(conjugated<Real>(roots, query_.block, {}), query_.correlation, classes_),
          exponent_};
}

template <class Real>
std::vector<double> SymmetricMemory<Real>::right_logits(const State& x, const Workers&) const {
  const State s = logits(x);
  std::vector<double> right;
  for (Index i = 0; i < structure_->groups(); ++i) {
    for (Index c = 0; c < structure_->column_types().size(i); ++c)
      right.push_back(static_cast<double>(s.own(i)(c, c)));
  }
  return right;
}

template <class Real>
Real SymmetricMemory<Real>::left_null_part(const State& x, const Workers&) const {
  using std::sqrt;
  const State turned = conjugated<Real>(x, answer_.block.transpose(), {});
  VectorOf<Real> parts(structure_->rows());
  for (Index column = 0; column < parts.size(); ++column) {
    const Index j = structure_->column_types().group(column);
    const Real share = Real(structure_->count[static_cast<std::size_t>(j)]) / classes_;
    parts(column) = sqrt(share) * column_sum<Real>(turned, j, column - structure_->column_types().begin(j));
  }
  return safe_norm(parts);
}

template <class Real>
void SymmetricMemory<Real>::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                                     const Workers& workers, const RandomRounding* rounding) const {
  using std::exp;
  using std::log, std::abs;
  const GroupStructure& structure = *structure_;
  const Index b = structure.row_types().each(), rows = structure.rows();
  State embedded = identity() && !rounding ? State() : logits(w);
  if (rounding) rounding->logits(embedded);
  const State& s = identity() && !rounding ? w : embedded;
  if (observation) observation->resize(static_cast<std::size_t>(rows));

  VectorOf<Real> counts(rows);
  for (Index row = 0; row < rows; ++row)
    counts(row) = Real(structure.count[static_cast<std::size_t>(row / b)]);
  const TargetLaw<Real> law = uniform_noise(classes_, label_noise_);

  // A column's wrong answers: ratio r to the likeliest of them, of different blocks and of the own one.
  MatrixOf<Real> other_ratio(rows, rows), own_ratio(b, rows);
  VectorOf<Real> log_peak(rows);  // ln p̂ of the likeliest wrong answer
  std::vector<char> removed(static_cast<std::size_t>(rows));
  VectorOf<Real> error(rows), excess_loss(rows);
  Real tie(rounding ? RandomRounding::logit_size : 0);
  if (couples_columns_)
    tie = std::max({tie, w.own_entries().cwiseAbs().maxCoeff(), w.other_entries().cwiseAbs().maxCoeff()});
  const Index tile = 16;
  workers.for_tiles(rows, tile, [&](Index begin, Index end) {
    for (Index column = begin; column < end; ++column) {
      const Index j = column / b, c = column % b;
      const bool alone = structure.count[static_cast<std::size_t>(j)] <= 1;
      const Real right = s.own(j)(c, c), none(0);
      VectorOf<Real> weight = counts;
      weight.segment(j * b, b).array() -= Real(1);
      // Logits count from that of the right answer.
      auto r = other_ratio.col(column);
      auto q = own_ratio.col(column);
      r = s.other_entries().col(column).array() - right;
      q = s.own(j).col(c).array() - right;
      VectorOf<Real> x, y;
      if (observation && law.noisy()) x = r, y = q;
      const Index apart = alone ? b : 0;
      ColumnOdds<Real> odds =
          to_wrong_ratios(none, CountedAnswers<decltype(r), VectorOf<Real>>{{r, j * b, apart}, weight},
                          Answers<decltype(q)>{q, c, 1});
      odds.advantage = untied(odds.advantage, std::max(tie, Real(abs(right))));
      log_peak(column) = odds.log_peak;
      removed[static_cast<std::size_t>(column)] = removes_recovered_ && odds.advantage > Real(0);
      if (!observation) continue;
      const auto cell = static_cast<std::size_t>(column);
      observation->log_odds[cell] = static_cast<double>(odds.log_odds);
      error(column) = logistic(odds.log_odds);
      observation->error[cell] = static_cast<double>(error(column));
      observation->advantage[cell] = static_cast<double>(odds.advantage);
      using Counted = CountedAnswers<const VectorOf<Real>&, VectorOf<Real>>;
      excess_loss(column) = rarefact::excess_loss(odds, law, none, Counted{{x, j * b, apart}, weight},
                                                  Answers<const VectorOf<Real>&>{y, c, 1});
      observation->excess_loss[cell] = static_cast<double>(excess_loss(column));
    }
  });
  if constexpr (!std::is_same_v<Real, double>) {
    if (observation) {
      observation->gap = static_cast<double>(Real(error.maxCoeff() - error.minCoeff()));
      observation->total_excess_loss =
          static_cast<double>(Real(counts.cwiseProduct(probability_).dot(excess_loss)));
    }
  }
  if (!gradient) return;

  double largest = static_cast<double>(log_peak.maxCoeff());
  if (law.noisy()) largest = std::max(largest, static_cast<double>(log(law.wrong)));
  const int shift = underflow_shift(largest, std::log(static_cast<double>(classes_)));
  gradient->exponent = exponent_ + shift;
  const Real shift_nats = Real(shift) * log(Real(2));
  const Real pi_wrong_scaled = law.noisy() ? Real(exp(Real(log(law.wrong) - shift_nats))) : Real(0);
  gradient->task = State(structure_);
  State& g = gradient->task;
  workers.for_tiles(rows, tile, [&](Index begin, Index end) {
    for (Index column = begin; column < end; ++column) {
      if (removed[static_cast<std::size_t>(column)]) continue;
      const Index j = column / b, c = column % b;
      const bool alone = structure.count[static_cast<std::size_t>(j)] <= 1;
      const Real p = scaled_probability_(column), factor = p * exp(Real(log_peak(column) - shift_nats));
      auto other = g.other_entries().col(column);
      auto own = g.own(j).col(c);
      other = (factor * other_ratio.col(column)).array() - p * pi_wrong_scaled;
      own = (factor * own_ratio.col(column)).array() - p * pi_wrong_scaled;
      if (alone) other.segment(j * b, b).setZero();
      own(c) = Real(0);
      // Columns of P̂ - Π sum to zero: the right answer's entry is minus the sum of all others.
      own(c) = -(own.sum() + counts.dot(other) - other.segment(j * b, b).sum());
    }
  });
  gradient->image.reset();
  if (!identity()) gradient->image = to_ambient(g);
}

BlockGroups in_blocks(const ClassGroups& groups, Index block) {
  BlockGroups blocks{.block = block, .count = groups.count, .probability = {}};
  for (double& n : blocks.count) n /= static_cast<double>(block);
  for (const double p : groups.probability) {
    blocks.probability.insert(blocks.probability.end(), static_cast<std::size_t>(block), p);
  }
  return blocks;
}

template class SymmetricMemory<double>;
template class SymmetricMemory<Real50>;

}  // namespace rarefact
