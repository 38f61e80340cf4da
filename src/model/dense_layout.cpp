#include "model/dense_layout.hpp"

#include <cmath>

#include "algebra/ranked_qr.hpp"
#include "algebra/singular_values.hpp"
#include "model/softmax_memory_body.hpp"

namespace rarefact {

using dense_tile::Holding, dense_tile::scratch;

DenseLayout::DenseLayout(const Population& population, std::shared_ptr<const Matrix> query,
                         std::shared_ptr<const Matrix> answer, DenseOptions options)
    : answers_(static_cast<Index>(population.answers())),
      label_noise_(population.label_noise),
      options_(options),
      removes_recovered_(population.removes_recovered),
      query_(std::move(query)),
      answer_(std::move(answer)),
      answer_sizes_(answer_ ? column_norms(*answer_) : Vector::Ones(answers_)),
      left_null_(answer_ ? null_direction(*answer_)
                         : std::make_shared<const Vector>(Vector::Ones(answers_).normalized())) {
  options_.keeps_task |= without_embeddings();
  options_.drops_rounding &= !without_embeddings();
  if (population.attributes) attributes_ = *population.attributes;
  if (population.pairs) {
    set_pairs(population);
  } else {
    set_identity(population);
  }
  const auto pack = [](const auto& answers, auto& factors) {
    factors.answer = decltype(factors.answer)(view_of(answers));
    factors.answer_transposed = decltype(factors.answer)(view_of(answers).transposed());
  };
  full_.query = query_;
  if (answer_) pack(*answer_, full_);
  if (!options_.single) return;
  single_.emplace();
  if (query_) single_->query = std::make_shared<const MatrixOf<float>>(query_->cast<float>());
  if (answer_) pack(MatrixOf<float>(answer_->cast<float>()), *single_);
}

void DenseLayout::set_identity(const Population& population) {
  const ClassGroups& groups = population.queries;
  background_.constant = label_noise_ / population.answers();
  for (const Index g : groups.group_of_each()) {
    cells_.push_back({g, 0, 1, groups.probability[g], population.sampling(groups.probability[g])});
    QueryAnswers<double>& law = law_.emplace_back();
    law.add(std::ssize(law_) - 1, 1 - label_noise_, background_.constant, 1, true);
    law.finish(label_noise_, answers());
  }
}

DenseMatrix DenseLayout::zero() const {
  return {Matrix::Zero(answer_ ? answer_->rows() : answers_, query_ ? query_->rows() : queries())};
}

void DenseLayout::set_pairs(const Population& population) {
  const Pairs& pairs = *population.pairs;
  background_.constant = label_noise_ / population.answers();
  CompensatedSum noise;
  if (label_noise_ > 0 && population.noise == NoiseAnswers::frequency) {
    noise_ = Vector::Zero(answers_);
    for (Index l = 0; l < pairs.queries(); ++l) {
      const auto query = static_cast<std::size_t>(l);
      for (std::size_t i = pairs.begin[query]; i < pairs.begin[query + 1]; ++i)
        noise_(pairs.answer[i]) += label_noise_ * pairs.probability[query] * pairs.share[i];
    }
    for (const double b : noise_) noise.add(b);
    background_ = {noise_.maxCoeff(), {noise_.data(), static_cast<std::size_t>(noise_.size())}};
  }
  first_answer_ = pairs.begin;
  for (std::size_t l = 0; l < pairs.probability.size(); ++l) {
    cells_.push_back({(*population.query_group)[l], 0, 1, pairs.probability[l],
                      population.sampling(pairs.probability[l])});
    QueryAnswers<double>& law = law_.emplace_back();
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i) {
      const Index k = pairs.answer[i];
      law.add(k, (1 - label_noise_) * pairs.share[i], background_(k), 1, pairs.right[i] != 0);
    }
    law.finish(label_noise_, answers(), noise_.size() > 0 ? &noise : nullptr);
  }
}

/// A pass over all columns, or those of a sample, by tiles.
class DenseLayout::Pass {
 public:
  Pass(const DenseLayout& layout, const State& w, const Sample* sample, Gradient<State>* gradient,
       Observation* observation, const Workers& workers, const RandomRounding* rounding)
      : layout_(layout),
        w_(w),
        gradient_(gradient),
        rounding_(rounding),
        columns_(layout.columns_of(sample)),
        keeps_(gradient && (layout.options_.keeps_task || !layout.answer_)),
        pushes_(gradient && layout.answer_),
        drops_(gradient && layout.options_.drops_rounding && (!rounding || rounding->tame())),
        packed_(layout.packed(w, workers)),
        sizes_(Vector::Zero(drops_ ? columns_.count : 0)),
        residuals_(keeps_ ? layout.answers_ : 0, columns_.count),
        pushed_(pushes_ ? layout.answer_->rows() : 0, columns_.count) {
    if (!observation) return;
    observation->logits.resize(0, 0);
    if (observation->keeps_logits && !layout.without_embeddings()) kept_ = &observation->logits;
  }

  /// Restricts the pass to the first column, if all are equal.
  void take_first() { columns_.count = 1, kept_ = nullptr; }

  template <class Body>
  void for_columns(const Workers& workers, const Body& body) {
    const Index rows = layout_.answers_;
    if (kept_) kept_->resize(rows, columns_.count);
    workers.for_tiles(
        columns_.count, layout_.tile_width(columns_.count, workers), [&](Index begin, Index end) {
          const Index width = end - begin;
          double* where =
              keeps_ ? residuals_.col(begin).data() : scratch<Holding::logits>(rows, width).data();
          Eigen::Map<Matrix> tile(where, rows, width);
          layout_.tile_logits(packed_, w_, columns_, begin, tile);
          if (kept_) kept_->middleCols(begin, width) = tile;
          for (Index i = 0; i < width; ++i) {
            const Index l = columns_[begin + i];
            auto values = tile.col(i);
            if (rounding_) rounding_->logits(l, values, layout_.single());
            // Logits round to a unit of themselves, and so p̂.
            const double rounds = drops_ ? std::max(1.0, values.cwiseAbs().maxCoeff()) : 1;
            QueryColumn<double> column{{values.data(), rows}, layout_.background_};
            body(begin + i, column);
            if (gradient_ && rounding_ && (layout_.single() || !layout_.without_embeddings()))
              rounding_->residuals(l, values, layout_.single());
            if (drops_) sizes_(begin + i) = rounds * values.cwiseAbs().dot(layout_.answer_sizes_);
          }
          if (pushes_) layout_.push(tile, pushed_.middleCols(begin, width));
        });
  }
  void scale(Index i, int change) {
    const double factor = std::ldexp(1, change);
    if (keeps_) residuals_.col(i) *= factor;
    if (pushes_) pushed_.col(i) *= factor;
    if (drops_) sizes_(i) *= factor;
  }
  void finish(const Workers& workers) {
    gradient_->image.reset();
    if (!layout_.without_embeddings())
      gradient_->image = layout_.in_coordinates_of_w(pushes_ ? pushed_ : residuals_, columns_, workers);
    if (drops_) layout_.drop_rounding(gradient_->image->entries, sizes_, columns_);
    if (!layout_.options_.keeps_task) return;
    Matrix& task = gradient_->task.entries;
    if (!columns_.sample) return void(task = std::move(residuals_));
    task.setZero(layout_.answers_, layout_.queries());
    for (Index i = 0; i < columns_.count; ++i) task.col(columns_[i]) = residuals_.col(i);
  }

  Vector mean_logits() const {
    Vector p(layout_.queries());
    for (Index l = 0; l < p.size(); ++l) p(l) = layout_.probability(l);
    const Vector mean = w_.entries * (layout_.query_ ? Vector(*layout_.query_ * p) : p);
    return layout_.answer_ ? Vector(layout_.answer_->transpose() * mean) : mean;
  }

 private:
  const DenseLayout& layout_;
  const State& w_;
  Gradient<State>* gradient_;
  const RandomRounding* rounding_;
  Columns columns_;
  bool keeps_, pushes_, drops_;
  PackedWeights packed_;
  Vector sizes_;  // of the terms of columns of Ẽ G
  Matrix residuals_, pushed_;
  Matrix* kept_ = nullptr;  // logits
};

bool DenseLayout::at_zero(const State& w, Gradient<State>* gradient, const Workers& workers) const {
  if ((gradient && options_.keeps_task) || !(w.entries.array() == 0).all()) return false;
  if (!gradient) return true;
  const Columns columns = columns_of(nullptr);
  gradient->exponent = columns.exponent;
  // The common entries of all queries: 1/K minus the probability of noise.
  Vector common = Vector::Constant(answers_, (1 - label_noise_) / answers());
  if (!background_.per_answer.empty()) common = (1 / answers() - noise_.array()).matrix();
  const Vector weight = weights_of(columns);
  const auto less_own = [&](Index l, const auto& take) {
    for (std::size_t i = 0; i < law(l).size(); ++i) take(law(l).at[i], weight(l) * law(l).share[i]);
  };
  const Vector sizes = 2 * answer_sizes_.maxCoeff() * weight;
  if (answer_) {
    const Vector shared = *answer_ * common;
    Matrix pushed(answer_->rows(), queries());
    for (Index l = 0; l < queries(); ++l) {
      pushed.col(l) = weight(l) * shared;
      less_own(l, [&](Index k, double part) { pushed.col(l) -= part * answer_->col(k); });
    }
    gradient->image = in_coordinates_of_w(pushed, columns, workers);
    if (options_.drops_rounding) drop_rounding(gradient->image->entries, sizes, columns);
    return true;
  }
  // Rows are answers, so a column of queries is a column of Eᵀ.
  Matrix transposed = (*query_ * weight) * common.transpose();
  for (Index l = 0; l < queries(); ++l)
    less_own(l, [&](Index k, double part) { transposed.col(k) -= part * query_->col(l); });
  gradient->image = State{transposed.transpose()};
  if (options_.drops_rounding) drop_rounding(gradient->image->entries, sizes, columns);
  return true;
}

void DenseLayout::drop_rounding(Matrix& image, const Vector& sizes, const Columns& columns) const {
  Vector terms = Vector::Zero(image.cols());
  for (Index i = 0; i < columns.count; ++i) {
    if (query_)
      terms += sizes(i) * query_->col(columns[i]).cwiseAbs();
    else
      terms(columns[i]) = sizes(i);
  }
  const double tolerance = rank_tolerance<double>(std::max(answers_, columns.count));
  std::vector<Index> rounding;
  for (Index j = 0; j < image.cols(); ++j)
    if (safe_norm(image.col(j)) <= tolerance * terms(j)) rounding.push_back(j);
  if (options_.drops_all_or_none && std::ssize(rounding) < image.cols()) return;
  for (const Index j : rounding) image.col(j).setZero();
}

std::function<void(Index, Eigen::Ref<Vector>)> DenseLayout::logits_of(const State& w,
                                                                      const Observation& seen) const {
  const Matrix& from = without_embeddings() ? w.entries : seen.logits;
  return [&from](Index l, Eigen::Ref<Vector> into) {
    if (from.size() > 0) {
      into = from.col(l);
    } else {
      into.setZero();  // at W = 0 no logits are stored
    }
  };
}

DenseLayout::Columns DenseLayout::columns_of(const Sample* sample) const {
  if (sample) return {sample, std::ssize(sample->query), std::ilogb(std::ranges::max(sample->weight))};
  const auto likelier = [](const Cell& a, const Cell& b) { return a.training < b.training; };
  return {nullptr, queries(), std::ilogb(std::ranges::max_element(cells_, likelier)->training)};
}

Vector DenseLayout::weights_of(const Columns& columns) const {
  return Vector::NullaryExpr(columns.count, [&](Index i) {
    return std::ldexp(columns.sample ? columns.sample->weight[i] : training(i), -columns.exponent);
  });
}

DenseLayout::PackedWeights DenseLayout::packed(const State& w, const Workers& workers) const {
  if (!query_) return {};
  if (!single_) return {PackedFactor<double>(view_of(w.entries), workers), {}};
  return {{}, PackedFactor<float>(view_of(MatrixOf<float>(w.entries.cast<float>())), workers)};
}

/// Columns per tile: as many as products need, but at most a few million numbers; a multiple of 8 unless a
/// single tile has all.
Index DenseLayout::tile_width(Index columns, const Workers& workers) const {
  const Index max_entries = Index{1} << 23;
  return std::min(product_tile(columns, workers.threads()),
                  std::max<Index>(16, max_entries / answers_ / 8 * 8));
}

/// Ẽ times a tile of columns of G.
void DenseLayout::push(const Eigen::Ref<const Matrix>& tile, Eigen::Ref<Matrix> pushed) const {
  if (!single_) return full_.answer.times(view_of(tile), pushed.data(), pushed.rows());
  auto from = scratch<Holding::logits, float>(tile.rows(), tile.cols());
  auto to = scratch<Holding::pushed, float>(pushed.rows(), tile.cols());
  from = tile.cast<float>();
  single_->answer.times(view_of(from), to.data(), to.rows());
  pushed = to.cast<double>();
}

/// Ẽᵀ W E for a tile of columns.
void DenseLayout::tile_logits(const PackedWeights& packed_w, const State& w, const Columns& columns,
                              Index begin, Eigen::Ref<Matrix> tile) const {
  if (single_) return products(*single_, packed_w.single, w, columns, begin, tile);
  products(full_, packed_w.full, w, columns, begin, tile);
}

template <class Real>
void DenseLayout::products(const Factors<Real>& factors, const PackedFactor<Real>& packed_w, const State& w,
                           const Columns& columns, Index begin, Eigen::Ref<Matrix> tile) const {
  constexpr bool full = std::is_same_v<Real, double>;
  const Index width = tile.cols();
  Eigen::Map<MatrixOf<Real>> last = [&] {
    if constexpr (full)
      return Eigen::Map<Matrix>(tile.data(), tile.rows(), width);
    else
      return scratch<Holding::logits, Real>(tile.rows(), width);
  }();
  MatrixView<Real> from;
  if (query_ && !columns.sample) {
    from = view_of(*factors.query).middle_columns(begin, width);
  } else {
    auto taken = scratch<Holding::gathered, Real>(query_ ? query_->rows() : w.entries.rows(), width);
    for (Index i = 0; i < width; ++i) {
      const Index l = columns[begin + i];
      if (query_)
        taken.col(i) = factors.query->col(l);
      else
        taken.col(i) = w.entries.col(l).cast<Real>();
    }
    from = view_of(taken);
    if (!query_ && !answer_) last = taken;
  }
  if (query_ && answer_) {
    auto half = scratch<Holding::half, Real>(packed_w.rows(), width);
    packed_w.times(from, half.data(), half.rows());
    factors.answer_transposed.times(view_of(half), last.data(), last.rows());
  } else if (query_) {
    packed_w.times(from, last.data(), last.rows());
  } else if (answer_) {
    factors.answer_transposed.times(from, last.data(), last.rows());
  }
  if constexpr (!full) tile = last.template cast<double>();
}

template void DenseLayout::products(const Factors<double>&, const PackedFactor<double>&, const State&,
                                    const Columns&, Index, Eigen::Ref<Matrix>) const;

/// Ẽ G Eᵀ from Ẽ G: multiplied by Eᵀ or, if E is the identity, placed at the columns of the queries.
DenseMatrix DenseLayout::in_coordinates_of_w(const Matrix& pushed, const Columns& columns,
                                             const Workers& workers) const {
  if (query_ && columns.sample) {
    Matrix drawn(query_->rows(), columns.count);
    for (Index i = 0; i < columns.count; ++i) drawn.col(i) = query_->col(columns[i]);
    return {product(pushed, drawn.transpose(), workers)};
  }
  if (query_) return {product(pushed, query_->transpose(), workers)};
  if (!columns.sample) return {pushed};
  Matrix image = Matrix::Zero(pushed.rows(), queries());
  for (Index i = 0; i < columns.count; ++i) image.col(columns[i]) = pushed.col(i);
  return {std::move(image)};
}

template class SoftmaxMemory<DenseLayout>;

}  // namespace rarefact
