#include <algorithm>
#include <limits>

#include "algebra/ranked_qr.hpp"
#include "algebra/singular_values.hpp"
#include "sim/unit.hpp"

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

}  // namespace

double rank_bound(const Experiment& experiment, const Spectrum& spectrum, const Symmetries& rule,
                  const DenseEmbeddings& embeddings) {
  double bound = std::numeric_limits<double>::infinity();
  if (experiment.loss->of_outputs || rule.reads_task || !experiment.starts_at_zero() ||
      experiment.in_factors())
    return bound;
  if (rule.answers_rotate)
    bound = embeddings.answer ? centred_rank(*embeddings.answer) : spectrum.answer_count() - 1;
  if (rule.queries_rotate) {
    const double spanned = embeddings.query ? rank_of(*embeddings.query, {}) : spectrum.classes;
    bound = std::min(bound, spanned);
  }
  return bound;
}

}  // namespace rarefact
