#include "model/dense_memory.hpp"

#include <cmath>

#include "model/column_residual.hpp"

namespace rarefact {

using dense_tile::scratch;

DenseMemory::DenseMemory(const Population& population, std::shared_ptr<const Matrix> query,
                         std::shared_ptr<const Matrix> answer, bool keeps_task, bool removes_recovered,
                         bool couples_columns, bool single)
    : answers_(static_cast<Index>(population.answers())),
      label_noise_(population.label_noise),
      keeps_task_(keeps_task || (!query && !answer)),
      removes_recovered_(removes_recovered),
      couples_columns_(couples_columns),
      query_(std::move(query)),
      answer_(std::move(answer)) {
  if (population.pairs) {
    set_pairs(population);
  } else {
    set_identity(population);
  }
  if (answer_) {
    packed_answer_ = PackedFactor<double>(view_of(*answer_));
    packed_answer_transposed_ = PackedFactor<double>(view_of(*answer_).transposed());
  }
  if (single) {
    single_.emplace();
    if (query_) single_->query = query_->cast<float>();
    if (answer_) {
      const MatrixOf<float> answers = answer_->cast<float>();
      single_->answer = PackedFactor<float>(view_of(answers));
      single_->answer_transposed = PackedFactor<float>(view_of(answers).transposed());
    }
  }
}

void DenseMemory::set_identity(const Population& population) {
  const ClassGroups& groups = population.queries;
  background_.constant = label_noise_ / population.answers();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (double n = 0; n < groups.count[i]; ++n) {
      cells_.push_back({static_cast<Index>(i), 0, 1, groups.probability[i]});
      law_.emplace_back();
      law_.back().add(static_cast<Index>(law_.size()) - 1, 1 - label_noise_, background_.constant, 1, true);
      law_.back().finish(label_noise_);
    }
  }
}

DenseMatrix DenseMemory::zero() const {
  return {Matrix::Zero(answer_ ? answer_->rows() : answers_, query_ ? query_->rows() : queries())};
}

void DenseMemory::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                           const Workers& workers, const RandomRounding* rounding) const {
  if (observation) {
    observation->resize(cells_.size());
    observation->log_answers.resize(first_answer_.empty() ? 0 : first_answer_.back());
    observation->top_share.resize(first_answer_.empty() ? 0 : cells_.size());
    observation->logits.resize(0, 0);
  }
  const bool at_zero = !(gradient && keeps_task_) && !rounding && (w.entries.array() == 0).all();
  if (at_zero && first_answer_.empty()) return evaluate_at_zero(gradient, observation, workers);
  // Of other laws than the identity each query sees W = 0 in its own way.
  const bool pairs_alone = at_zero && gradient && answer_;
  if (pairs_alone) pairs_at_zero(*gradient, workers);
  if (!pairs_alone || observation)
    walk(w, {.count = queries()}, pairs_alone ? nullptr : gradient, observation, workers, rounding);
}

void DenseMemory::sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                                   const Workers& workers, const RandomRounding* rounding) const {
  walk(w, {.sample = &sample, .count = static_cast<Index>(sample.query.size())}, &gradient, nullptr, workers,
       rounding);
}

/// All logits are equal: no column needs to be looked at twice, and no K x K array of them exists.
void DenseMemory::evaluate_at_zero(Gradient<State>* gradient, Observation* observation,
                                   const Workers& workers) const {
  if (observation) {
    const Vector logits = Vector::Zero(queries());
    Vector ratios = logits;
    const ColumnOdds<double> odds = odds_of(ratios, 0);
    observe(0, odds, {}, logits, ratios, 0, *observation);
    for (std::vector<double>* seen :
         {&observation->log_odds, &observation->error, &observation->advantage, &observation->excess_loss})
      std::fill(seen->begin(), seen->end(), seen->front());
  }
  if (!gradient) return;

  const Columns columns{.count = queries()};
  gradient->exponent = exponent_of(columns);
  Vector weight(queries());
  for (Index l = 0; l < queries(); ++l)
    weight(l) = -(1 - label_noise_) * std::ldexp(weight_of(columns, l), -gradient->exponent);
  const double total = static_cast<double>(queries());
  if (answer_) {
    const Vector mean = answer_->rowwise().sum() / total;
    to_coordinates_of_w((answer_->colwise() - mean) * weight.asDiagonal(), columns, *gradient, workers);
  } else {
    // Ẽ = I: rows of E, less the mean query.
    Matrix image = weight.asDiagonal() * query_->transpose();
    const Eigen::RowVectorXd mean = image.colwise().sum() / total;
    image.rowwise() -= mean;
    gradient->image = State{std::move(image)};
  }
}

/// From W to ∇L, tile by tile; a gradient, an observation or both.
void DenseMemory::walk(const State& w, const Columns& columns, Gradient<State>* gradient,
                       Observation* observation, const Workers& workers,
                       const RandomRounding* rounding) const {
  const Index rows = answers_;
  const bool keep = gradient && (keeps_task_ || !answer_), pushes = gradient && answer_;
  const int exponent = exponent_of(columns);
  const double tie = std::max(tie_size(w), rounding ? RandomRounding::logit_size : 0);
  const bool keep_logits = observation && observation->keeps_logits && (query_ || answer_);
  if (keep_logits) observation->logits.resize(rows, columns.count);
  const PackedWeights packed_w = packed(w, workers);
  Matrix residuals(keep ? rows : 0, columns.count), pushed(pushes ? answer_->rows() : 0, columns.count);
  // Columns whose entries come near the smallest doubles have a unit of their own until all are known.
  std::vector<int> shift(static_cast<std::size_t>(columns.count), 0);
  workers.for_tiles(columns.count, dense_tile::width(columns.count, rows, workers.threads()),
                    [&](Index begin, Index end) {
                      const Index width = end - begin;
                      double* where = keep ? residuals.col(begin).data() : scratch<0>(rows, width).data();
                      Eigen::Map<Matrix> tile(where, rows, width);
                      logits_of(packed_w, w, columns, begin, tile);
                      if (keep_logits) observation->logits.middleCols(begin, width) = tile;
                      Vector logits;
                      std::vector<double> softmax;
                      for (Index i = 0; i < width; ++i) {
                        auto column = tile.col(i);
                        const Index l = columns[begin + i];
                        int& own_shift = shift[begin + i];
                        if (rounding) rounding->logits(l, column, single_.has_value());
                        if (columns.sample) {
                          own_shift = to_sampled_residual(column, columns, begin + i, exponent, tie);
                          if (rounding && single_) rounding->residuals(l, column);
                          continue;
                        }
                        const QueryAnswers<double>& law = law_[l];
                        const RightLogits<double> right = logits_of_right(law, column);
                        if (gradient) softmax = inside(law, column, right);
                        if (observation && !law.certain()) logits = column;
                        const ColumnOdds<double> odds = odds_of_query(law, column, tie);
                        if (observation)
                          observe(l, odds, right, logits, column,
                                  tie_margin(std::max(tie, std::abs(right.largest))), *observation);
                        if (gradient)
                          own_shift = to_residual(column, odds, softmax, columns, begin + i, exponent);
                        if (gradient && rounding && single_) rounding->residuals(l, column);
                      }
                      if (pushes) push(tile, pushed.middleCols(begin, width));
                    });
  if (observation && label_noise_ > 0 && !first_answer_.empty()) observe_means(w, *observation);
  if (!gradient) return;

  const int unit = shift.empty() ? 0 : *std::max_element(shift.begin(), shift.end());
  gradient->exponent = exponent + unit;
  for (Index i = 0; i < columns.count; ++i) {
    const int change = shift[i] - unit;
    if (change == 0) continue;
    const auto rescaled = [change](double x) { return std::ldexp(x, change); };
    if (keep) residuals.col(i) = residuals.col(i).unaryExpr(rescaled);
    if (pushes) pushed.col(i) = pushed.col(i).unaryExpr(rescaled);
  }
  gradient->image.reset();
  if (query_ || answer_) to_coordinates_of_w(pushes ? pushed : residuals, columns, *gradient, workers);
  if (!keeps_task_) return;
  if (columns.sample) {
    gradient->task.entries.setZero(rows, queries());
    for (Index i = 0; i < columns.count; ++i) gradient->task.entries.col(columns[i]) = residuals.col(i);
  } else {
    gradient->task.entries = std::move(residuals);
  }
}

/// Turns the column of a query into the ratios of its wrong answers; see there.
ColumnOdds<double> DenseMemory::odds_of_query(const QueryAnswers<double>& law, Eigen::Ref<Vector> logits,
                                              double tie) const {
  const RightLogits<double> right = logits_of_right(law, logits);
  const Answers<Eigen::Ref<Vector>> wrong{logits, law.right_at};
  ColumnOdds<double> odds =
      single_ ? to_wrong_ratios<double, float>(right, wrong) : to_wrong_ratios<double>(right, wrong);
  odds.advantage = untied(odds.advantage, std::max(tie, std::abs(right.largest)));
  return odds;
}

/// The power of two that weights of columns are counted in.
int DenseMemory::exponent_of(const Columns& columns) const {
  double largest = 0;
  for (Index i = 0; i < columns.count; ++i) largest = std::max(largest, weight_of(columns, i));
  return largest > 0 ? std::ilogb(largest) : 0;
}

double DenseMemory::weight_of(const Columns& columns, Index i) const {
  return columns.sample ? columns.sample->weight[i] : cells_[i].probability;
}

DenseMemory::PackedWeights DenseMemory::packed(const State& w, const Workers& workers) const {
  if (!query_) return {};
  if (!single_) return {PackedFactor<double>(view_of(w.entries), workers), {}};
  return {{}, PackedFactor<float>(view_of(MatrixOf<float>(w.entries.cast<float>())), workers)};
}

/// Ẽ times a tile of columns of G.
void DenseMemory::push(const Eigen::Ref<const Matrix>& tile, Eigen::Ref<Matrix> pushed) const {
  if (!single_) return packed_answer_.times(view_of(tile), pushed.data(), pushed.rows());
  auto from = scratch<0, float>(tile.rows(), tile.cols());
  auto to = scratch<1, float>(pushed.rows(), tile.cols());
  from = tile.cast<float>();
  single_->answer.times(view_of(from), to.data(), to.rows());
  pushed = to.cast<double>();
}

/// Ẽᵀ W E for a tile of columns.
void DenseMemory::logits_of(const PackedWeights& packed_w, const State& w, const Columns& columns,
                            Index begin, Eigen::Ref<Matrix> tile) const {
  const Index width = tile.cols();
  if (single_) {
    const Index rows = query_ ? query_->rows() : w.entries.rows();
    auto from = scratch<0, float>(rows, width);
    for (Index i = 0; i < width; ++i) {
      const Index l = columns[begin + i];
      if (query_) {
        from.col(i) = single_->query.col(l);
      } else {
        from.col(i) = w.entries.col(l).cast<float>();
      }
    }
    auto half = scratch<1, float>(query_ ? packed_w.single.rows() : 0, width);
    if (query_) packed_w.single.times(view_of(from), half.data(), half.rows());
    const MatrixView<float> in = query_ ? view_of(half) : view_of(from);
    auto logits = scratch<2, float>(tile.rows(), answer_ ? width : 0);
    if (answer_) single_->answer_transposed.times(in, logits.data(), logits.rows());
    tile = (answer_ ? logits : half).cast<double>();
    return;
  }
  const Matrix& right = query_ ? *query_ : w.entries;
  MatrixView<double> from = view_of(right).middle_columns(begin, width);
  if (columns.sample) {
    auto drawn = scratch<1>(right.rows(), width);
    for (Index i = 0; i < width; ++i) drawn.col(i) = right.col(columns[begin + i]);
    from = view_of(drawn);
  }
  if (query_ && answer_) {
    auto half = scratch<2>(packed_w.full.rows(), width);
    packed_w.full.times(from, half.data(), half.rows());
    packed_answer_transposed_.times(view_of(half), tile.data(), tile.rows());
  } else if (query_) {
    packed_w.full.times(from, tile.data(), tile.rows());
  } else if (answer_) {
    packed_answer_transposed_.times(from, tile.data(), tile.rows());
  } else {
    for (Index i = 0; i < width; ++i) tile.col(i) = w.entries.col(columns[begin + i]);
  }
}

/// The column of G in units of 2^(exponent + the result), from the wrong answers' ratios.
int DenseMemory::to_residual(Eigen::Ref<Vector> ratios, const ColumnOdds<double>& odds,
                             const std::vector<double>& softmax, const Columns& columns, Index i,
                             int exponent) const {
  if (removes_recovered_ && odds.advantage > 0) {
    ratios.setZero();
    return 0;
  }
  const double weight = std::ldexp(weight_of(columns, i), -exponent);
  return rarefact::to_residual(law_[columns[i]], odds, softmax, weight, background_,
                               static_cast<double>(answers_), ratios, [&] { return ratios.sum(); });
}

/// The same of a sample, from the logits.
int DenseMemory::to_sampled_residual(Eigen::Ref<Vector> logits, const Columns& columns, Index i, int exponent,
                                     double tie) const {
  if (removes_recovered_) {
    Vector ratios = logits;
    if (odds_of_query(law_[columns[i]], ratios, tie).advantage > 0) {
      logits.setZero();
      return 0;
    }
  }
  const auto drawn = drawn_answers<double>(*columns.sample, static_cast<std::size_t>(i));
  const std::vector<double> softmax = inside(drawn, logits, logits_of_right(drawn, logits));
  const ColumnOdds<double> odds = odds_of_query(drawn, logits, tie);
  return to_drawn_residual(drawn, odds, softmax, std::ldexp(weight_of(columns, i), -exponent),
                           static_cast<double>(answers_), logits, [&] { return logits.sum(); });
}

/// ∇L from Ẽ G: times Eᵀ, or put where the columns belong.
void DenseMemory::to_coordinates_of_w(const Matrix& pushed, const Columns& columns, Gradient<State>& gradient,
                                      const Workers& workers) const {
  Matrix image;
  if (query_ && columns.sample) {
    Matrix drawn(query_->rows(), columns.count);
    for (Index i = 0; i < columns.count; ++i) drawn.col(i) = query_->col(columns[i]);
    image = product(pushed, drawn.transpose(), workers);
  } else if (query_) {
    image = product(pushed, query_->transpose(), workers);
  } else if (columns.sample) {
    image.setZero(pushed.rows(), queries());
    for (Index i = 0; i < columns.count; ++i) image.col(columns[i]) = pushed.col(i);
  } else {
    image = pushed;
  }
  gradient.image = State{std::move(image)};
}

}  // namespace rarefact
