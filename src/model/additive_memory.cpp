#include "model/additive_memory.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/operations.hpp"
#include "model/column_residual.hpp"

namespace rarefact {

namespace {

using Counted = CountedAnswers<Eigen::Ref<Vector>, Vector>;
using CountedConst = CountedAnswers<const Vector&, Vector>;

}  // namespace

AdditiveMemory::AdditiveMemory(const AnswerLaw& law, double label_noise, NoiseAnswers noise,
                               bool removes_recovered)
    : subjects_(law.subject_groups.count),
      relations_(law.relation_groups.count),
      answers_(law.answers()),
      label_noise_(label_noise),
      removes_recovered_(removes_recovered) {
  const auto probability = [&](Index g, Index h) {
    return law.units->groups[static_cast<std::size_t>(neither(g, h))].queries.front().probability;
  };
  double likeliest = 0;
  for_cells([&](std::size_t, Index g, Index h) { likeliest = std::max(likeliest, probability(g, h)); });
  exponent_ = std::ilogb(likeliest);
  const bool by_frequency = noise == NoiseAnswers::frequency && label_noise > 0;
  cells_.resize(law.units->groups.size());
  Index place = 0;
  for (const TypeAt& at : query_types(*law.units)) {
    const UnitGroup& unit = law.units->groups[at.group];
    cells_[at.group] = {place++, 0, unit.count, unit.queries.front().probability};
  }
  for_cells([&](std::size_t cell, Index g, Index h) {
    Vector& count = count_.emplace_back(right() + 1);
    Vector& background = noise_.emplace_back(by_frequency ? count.size() : 0);
    const auto put = [&](Index at, double number, Index row_g, Index row_h) {
      count(at) = number;
      if (by_frequency) background(at) = label_noise_ * probability(row_g, row_h);
    };
    const auto others = [](const std::vector<double>& n, Index i, Index own) {
      return n[static_cast<std::size_t>(i)] - (i == own ? 1 : 0);
    };
    for (Index i = 0; i < subjects(); ++i) {
      for (Index j = 0; j < relations(); ++j)
        put(neither(i, j), others(subjects_, i, g) * others(relations_, j, h), i, j);
      put(own_relation(i), others(subjects_, i, g), i, h);
    }
    for (Index j = 0; j < relations(); ++j) put(own_subject(j), others(relations_, j, h), g, j);
    put(right(), 1, g, h);
    std::vector<Index>& apart = apart_.emplace_back();
    for (Index k = 0; k <= right(); ++k) {
      if (k == right() || !(count(k) > 0)) apart.push_back(k);
    }
    background_.push_back({by_frequency ? label_noise_ * likeliest : label_noise_ / answers_, {}});
    QueryAnswers<double>& own = law_.emplace_back();
    own.add(right(), 1 - label_noise_, by_frequency ? background(right()) : background_[cell].constant, 1,
            true);
    own.finish(label_noise_);
  });
  for (std::size_t cell = 0; by_frequency && cell < cells_.size(); ++cell)
    background_[cell].each = {noise_[cell].data(), static_cast<std::size_t>(noise_[cell].size())};
}

/// One entry of every kind of Xᵀ times the query's embedding.
Vector AdditiveMemory::column_of(const State& x, Index g, Index h) const {
  const auto own_of_subject = x.subjects.own_column(g), own_of_relation = x.relations.own_column(h);
  const Matrix &of_subject = x.subjects.other_entries(), &of_relation = x.relations.other_entries();
  const auto turned = [&](Index i, Index j) { return j * subjects() + i; };
  Vector column(right() + 1);
  for (Index i = 0; i < subjects(); ++i) {
    for (Index j = 0; j < relations(); ++j)
      column(neither(i, j)) = of_subject(neither(i, j), g) + of_relation(turned(i, j), h);
    column(own_relation(i)) = of_subject(neither(i, h), g) + own_of_relation(i);
  }
  for (Index j = 0; j < relations(); ++j)
    column(own_subject(j)) = own_of_subject(j) + of_relation(turned(g, j), h);
  column(right()) = own_of_subject(h) + own_of_relation(g);
  return column;
}

void AdditiveMemory::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                              const Workers& workers, const RandomRounding* rounding) const {
  double tie = rounding ? RandomRounding::logit_size : 0;
  for (const SymmetricMatrix<double>* part : {&w.subjects, &w.relations})
    tie = std::max(
        {tie, part->own_entries().cwiseAbs().maxCoeff(), part->other_entries().cwiseAbs().maxCoeff()});
  if (observation) {
    observation->resize(cells_.size());
    observation->log_answers.resize(cells_.size());
    observation->top_share.resize(cells_.size());
  }
  const auto cells = static_cast<Index>(cells_.size());
  Matrix columns(right() + 1, cells);
  std::vector<int> shift(cells_.size(), 0);  // units of columns, until all are known
  workers.for_tiles(cells, 16, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const auto cell = static_cast<std::size_t>(c);
      auto column = columns.col(c);
      column = column_of(w, c / relations(), c % relations());
      if (rounding) rounding->logits(c, column);
      const QueryAnswers<double>& law = law_[cell];
      const double top = column(right()), size = std::max(tie, std::abs(top));
      const Vector logits = observation && !law.certain() ? Vector(column) : Vector();
      ColumnOdds<double> odds = to_wrong_ratios<double>({top}, Counted{{column, apart_[cell]}, count_[cell]});
      odds.advantage = untied(odds.advantage, size);
      if (observation) observe(cell, odds, logits, column, tie_margin(size), *observation);
      if (!gradient) continue;
      if (removes_recovered_ && odds.advantage > 0) {
        column.setZero();
        continue;
      }
      shift[cell] =
          to_residual(law, odds, {}, std::ldexp(cells_[cell].probability, -exponent_), background_[cell],
                      answers_, column, [&] { return count_[cell].dot(column); });
      for (const Index k : apart_[cell]) {
        if (k != right()) column(k) = 0;
      }
    }
  });
  if (observation && label_noise_ > 0) observe_means(w, *observation);
  if (!gradient) return;
  const int unit = *std::ranges::max_element(shift);
  for (Index c = 0; c < cells; ++c) {
    const int change = shift[static_cast<std::size_t>(c)] - unit;
    if (change != 0)
      columns.col(c) = columns.col(c).unaryExpr([change](double x) { return std::ldexp(x, change); });
  }
  gradient->exponent = exponent_ + unit;
  gradient->task = sum_of(columns);
  gradient->image.reset();
}

/// G Eᵀ: each subject's column is the sum of those of its queries, and so is each relation's.
AdditiveMatrix AdditiveMemory::sum_of(const Matrix& columns) const {
  State x = zero();
  for_cells([&](std::size_t cell, Index g, Index h) {
    const auto column = columns.col(static_cast<Index>(cell));
    // Of the queries of this kind with one subject, those that have the relation of an answer and those that do not;
    // and the same for one relation.
    const double other_relations = relations_[static_cast<std::size_t>(h)] - 1,
                 other_subjects = subjects_[static_cast<std::size_t>(g)] - 1;
    auto own_of_subject = x.subjects.own_column(g), own_of_relation = x.relations.own_column(h);
    auto of_subject = x.subjects.other_entries().col(g), of_relation = x.relations.other_entries().col(h);
    for (Index i = 0; i < subjects(); ++i) {
      const double without_subject = other_subjects + (i == g ? 0 : 1);
      own_of_relation(i) += without_subject * column(own_relation(i));
      of_subject(neither(i, h)) += column(own_relation(i));
      for (Index j = 0; j < relations(); ++j) {
        const double without_relation = other_relations + (j == h ? 0 : 1), entry = column(neither(i, j));
        of_subject(neither(i, j)) += without_relation * entry;
        of_relation(j * subjects() + i) += without_subject * entry;
      }
    }
    for (Index j = 0; j < relations(); ++j) {
      const double without_relation = other_relations + (j == h ? 0 : 1);
      own_of_subject(j) += without_relation * column(own_subject(j));
      of_relation(j * subjects() + g) += column(own_subject(j));
    }
    own_of_subject(h) += column(right());
    own_of_relation(g) += column(right());
  });
  return x;
}

/// `logits` are read where there is noise; `ratios` are those of wrong answers.
void AdditiveMemory::observe(std::size_t cell, const ColumnOdds<double>& odds, const Vector& logits,
                             const Eigen::Ref<const Vector>& ratios, double tie,
                             Observation& observation) const {
  const QueryAnswers<double>& law = law_[cell];
  observation.log_odds[cell] = odds.log_odds;
  observation.error[cell] = logistic(odds.log_odds);
  observation.advantage[cell] = odds.advantage;
  observation.excess_loss[cell] =
      excess_loss(odds, law, law.certain() ? 0 : logits(right()),
                  CountedConst{{logits, apart_[cell], background_[cell]}, count_[cell]});
  observation.log_answers[cell] = odds.log_top;
  TopShare<double> share(odds.advantage, tie);
  share.add_right(0, law.share[0], 1);
  if (share.wrong_count()) {
    for (Index k = 0; k < right(); ++k) share.add_wrong(ratios(k), 0, count_[cell](k));
  }
  observation.top_share[cell] = share.mean() / (1 - label_noise_);
}

/// Σ_l p_l ln p̂(k|l) of an answer of every kind: as many queries see it in one of the four ways as it sees answers so.
void AdditiveMemory::observe_means(const State& w, Observation& observation) const {
  Vector mean = Vector::Zero(static_cast<Index>(cells_.size()));
  for_cells([&](std::size_t cell, Index g, Index h) {
    const Vector log_p =
        column_of(w, g, h).array() + (observation.log_answers[cell] - column_of(w, g, h)(right()));
    const double p = cells_[cell].probability;
    for (Index i = 0; i < subjects(); ++i) {
      for (Index j = 0; j < relations(); ++j) {
        const double with_subject = i == g ? 1 : 0, with_relation = j == h ? 1 : 0,
                     others = subjects_[static_cast<std::size_t>(g)] - with_subject,
                     other_relations = relations_[static_cast<std::size_t>(h)] - with_relation;
        mean(neither(i, j)) +=
            p * (others * (other_relations * log_p(neither(i, j)) + with_relation * log_p(own_relation(i))) +
                 with_subject * (other_relations * log_p(own_subject(j)) + with_relation * log_p(right())));
      }
    }
  });
  observation.mean_log.assign(mean.begin(), mean.end());
}

CountedLogits AdditiveMemory::logits(const State& x) const {
  CountedLogits all{.queries = {}, .logits = {}, .count = count_};
  for_cells([&](std::size_t cell, Index g, Index h) {
    all.queries.push_back(cells_[cell].classes);
    all.logits.push_back(column_of(x, g, h));
  });
  return all;
}

std::vector<double> AdditiveMemory::right_logits(const State& x, const Workers&) const {
  std::vector<double> all;
  for_cells([&](std::size_t, Index g, Index h) { all.push_back(column_of(x, g, h)(right())); });
  return all;
}

double AdditiveMemory::left_null_part(const State& x, const Workers&) const {
  const auto norm_of_sums = [](const SymmetricMatrix<double>& part) {
    return measured(measured(part, rarefact::Side::columns, Measured::sum), part, rarefact::Side::columns,
                    Measured::euclidean);
  };
  return std::hypot(norm_of_sums(x.subjects), norm_of_sums(x.relations)) / std::sqrt(answers_);
}

}  // namespace rarefact
