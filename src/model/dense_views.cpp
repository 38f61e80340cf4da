#include <cmath>
#include <limits>
#include <utility>

#include "algebra/householder.hpp"
#include "core/transform.hpp"
#include "model/dense_layout.hpp"

namespace rarefact {

std::shared_ptr<const Vector> DenseLayout::null_direction(const Matrix& answer) {
  if (answer.cols() > answer.rows()) return {};
  const Index classes = answer.cols();
  const HouseholderQr qr(answer);
  const Vector u = qr.times(qr.r().triangularView<Eigen::Upper>().transpose().solve(Vector::Ones(classes)));
  // If the columns are so nearly dependent that u is noise, the residual is far above rounding.
  const Vector image = answer.transpose() * u;
  const double defect = (image - Vector::Ones(classes)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  if (!(defect <= 1e-8)) return {};
  return std::make_shared<const Vector>(u.normalized());
}

DenseMatrix DenseLayout::to_ambient(const State& x) const {
  Matrix y = x.entries;
  if (answer_) y = product(*answer_, y, Workers::serial());
  if (query_) y = product(y, query_->transpose(), Workers::serial());
  return {std::move(y)};
}

DenseMatrix DenseLayout::of_answers(const State& x) const {
  return answer_ ? DenseMatrix{product(*answer_, x.entries, Workers::serial())} : x;
}

DenseMatrix DenseLayout::by_queries(const State& x) const {
  return query_ ? DenseMatrix{product(x.entries, query_->transpose(), Workers::serial())} : x;
}

DenseMatrix DenseLayout::with_queries(const State& x, const Workers& workers) const {
  return query_ ? DenseMatrix{product(x.entries, *query_, workers)} : x;
}

DenseMatrix DenseLayout::laws() const {
  Matrix all = Matrix::Constant(answers_, queries(), background_.constant);
  if (noise_.size() > 0) all.colwise() = noise_;
  for (Index l = 0; l < queries(); ++l) {
    for (std::size_t i = 0; i < law(l).size(); ++i) all(law(l).at[i], l) = law(l).target[i];
  }
  return {std::move(all)};
}

DenseMatrix DenseLayout::logits(const State& w) const {
  Matrix s = w.entries;
  if (query_) s = product(s, *query_, Workers::serial());
  if (answer_) s = product(answer_->transpose(), s, Workers::serial());
  return {std::move(s)};
}

PolarHint DenseLayout::polar_hint() const {
  PolarHint hint;
  hint.mixed_columns = query_ || answer_;
  // More dimensions than answers have other null vectors.
  if (!answer_ || answer_->rows() == answer_->cols()) hint.left_null = left_null_;
  return hint;
}

SecondMoment<DenseMatrix> DenseLayout::second_moment_root() const {
  const Columns columns = columns_of(nullptr);
  const Vector roots = weights_of(columns).cwiseSqrt();
  return {query_ ? DenseMatrix{*query_ * roots.asDiagonal()} : DenseMatrix{roots.asDiagonal()},
          columns.exponent};
}

Vector DenseLayout::probabilities(Side side) const {
  Vector all = Vector::Zero(side == Side::rows ? answers_ : queries());
  for (Index l = 0; l < queries(); ++l) {
    if (side == Side::columns) all(l) = training(l);
    const QueryAnswers<double>& own = law(l);
    for (std::size_t i = 0; side == Side::rows && i < own.size(); ++i)
      all(own.at[i]) += training(l) * own.share[i] / (1 - label_noise());
  }
  return all;
}

std::vector<Index> DenseLayout::right_answers() const {
  return mapped(law_, [](const QueryAnswers<double>& law) { return law.right_at.front(); });
}

std::vector<double> DenseLayout::right_logits(const State& x, const Workers& workers) const {
  const Matrix columns = query_ ? product(x.entries, *query_, workers) : x.entries;
  std::vector<double> right(cells_.size());
  for (Index l = 0; l < queries(); ++l) {
    const QueryAnswers<double>& law = law_[l];
    double sum = 0;
    for (const Index k : law.right_at) sum += answer_ ? answer_->col(k).dot(columns.col(l)) : columns(k, l);
    right[l] = sum / static_cast<double>(law.right_at.size());
  }
  return right;
}

double DenseLayout::identity_deviation(const State& x, std::optional<double> scale,
                                       const Workers& workers) const {
  const Columns columns = columns_of(nullptr);
  const PackedFactor<double> packed_x =
      query_ ? PackedFactor<double>(view_of(x.entries), workers) : PackedFactor<double>();
  Vector right(queries()), wrong(queries());  // of every column the right entry, and the largest other one
  workers.for_tiles(queries(), tile_width(queries(), workers), [&](Index begin, Index end) {
    auto tile = dense_tile::scratch<dense_tile::Holding::logits>(answers_, end - begin);
    products(full_, packed_x, x, columns, begin, tile);
    for (Index l = begin; l < end; ++l) {
      auto column = tile.col(l - begin);
      right(l) = std::exchange(column(l), 0);
      wrong(l) = column.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    }
  });
  const double size = scale.value_or(right.mean());
  const Eigen::Array2d largest = {wrong.maxCoeff<Eigen::PropagateNaN>() / std::abs(size),
                                  (right.array() / size - 1).abs().maxCoeff<Eigen::PropagateNaN>()};
  return largest.maxCoeff<Eigen::PropagateNaN>();
}

double DenseLayout::left_null_part(const State& x, const Workers&) const {
  if (!answer_) return safe_norm(x.entries.colwise().sum()) / std::sqrt(static_cast<double>(answers_));
  if (!left_null_) return std::numeric_limits<double>::quiet_NaN();
  return safe_norm((left_null_->transpose() * x.entries).eval());
}

void DenseLayout::drop_left_null(State& x) const {
  if (left_null_) x.entries -= *left_null_ * (left_null_->transpose() * x.entries).eval();
}

}  // namespace rarefact
