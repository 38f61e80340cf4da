#include "sim/rank_bound.hpp"

#include "algebra/ranked_qr.hpp"
#include "algebra/singular_values.hpp"
#include "core/random.hpp"

namespace rarefact {

namespace {

/// The rank of X, computed from columns of these norms.
double rank_of(const Matrix& x, const Vector& norms) {
  return static_cast<double>(ranked_qr<double>(x, norms).r.rows());
}

/// The dimension of Ẽ(1⊥).
double centred_rank(const Matrix& answer) {
  const Vector mean = answer.rowwise().mean();
  return rank_of(answer.colwise() - mean, column_norms(answer).array() + mean.norm());
}

/// The number of columns of X and Y together that differ by more than rounding, by their projections on random vectors.
Index different_columns(const Matrix& x, const Matrix& y) {
  constexpr double rounding = 1e-12;
  Vector at = Vector::Zero(x.cols()), probe(x.rows());
  std::uint64_t stream = 0;
  for (const Matrix* z : {&x, &y}) {
    RandomStream(stream++, "columns").fill_normal(0, {probe.data(), static_cast<std::size_t>(probe.size())});
    if (const double size = z->cwiseAbs().maxCoeff(); size > 0) at += z->transpose() * probe / size;
  }
  std::sort(at.data(), at.data() + at.size());
  Index different = 1;
  for (Index j = 1; j < at.size(); ++j) different += at(j) - at(j - 1) > rounding;
  return different;
}

}  // namespace

double gradient_rank_at(const DenseMatrix& laws, const DenseMatrix& logits) {
  const Matrix &x = laws.entries, &y = logits.entries;
  return static_cast<double>(
      std::min(different_columns(x, y), different_columns(x.transpose(), y.transpose()) - 1));
}

double gradient_rank(const Experiment& experiment, const Spectrum& spectrum,
                     const DenseEmbeddings& embeddings, RankSides sides) {
  double bound = std::numeric_limits<double>::infinity();
  if (experiment.loss->of_outputs) return bound;
  if (experiment.of_attributes() && !embeddings.query) {
    const double values = spectrum.grid->count[0] + spectrum.grid->count[1];
    return sides.answers ? values - 2 : sides.queries ? values - 1 : bound;
  }
  if (sides.answers)
    bound = embeddings.answer ? centred_rank(*embeddings.answer) : spectrum.answer_count() - 1;
  if (sides.queries)
    bound = std::min(bound, embeddings.query ? rank_of(*embeddings.query, {}) : spectrum.classes);
  return bound;
}

RankBounds rank_bounds(const Experiment& experiment, const OptimizerChoice& choice, const Spectrum& spectrum,
                       const DenseEmbeddings& embeddings) {
  const Symmetries rule = optimizer_row(choice.rule).symmetries_of(choice.parameters);
  const auto bound = [&](bool kept) {
    return gradient_rank(experiment, spectrum, embeddings,
                         {kept && rule.answers_rotate, kept && rule.queries_rotate});
  };
  const bool of_gradient = !rule.reads_task && !experiment.in_factors(),
             centred = start_row(experiment.init.kind).of_attributes && !embeddings.answer,
             from_zero = experiment.starts_at_zero() || centred;
  return {bound(of_gradient && from_zero),
          bound(of_gradient && (from_zero || !(rule.reads_weights || choice.decays())))};
}

}  // namespace rarefact
