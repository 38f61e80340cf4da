// The memory of a training.

#include <algorithm>
#include <cmath>

#include "sim/inputs.hpp"
#include "sim/run_size.hpp"

namespace rarefact {

namespace {

/// Columns of a tile of logits, at least and at most, and numbers between.
constexpr double least_tile_columns = 16, tile_columns = 128, max_tile = 1 << 23;

/// Bytes of the draws of a sample and of their counts.
double sample_bytes(const RunSize& run) {
  if (!run.experiment.sampled()) return 0;
  const double queries = run.query.spectrum.classes;
  const double pairs = run.experiment.label_noise > 0 ? queries * run.query.spectrum.answer_count()
                       : run.query.answers()          ? run.draws
                                                      : queries;
  return 8 * run.draws + 60 * std::min(run.draws, pairs);
}

double column_bytes(const RunSize& run) {
  const double columns = run.rows + run.ranks;
  const double numbers = run.experiment.loss->of_outputs ? 26 : 17;
  double bytes = 8 * columns * (numbers + 2 * run.work.matrices + (run.experiment.sampled() ? 2 : 0));
  if (run.needs.singular_values && !run.centred)
    bytes += (run.experiment.sampled() ? 64 : 40) * std::pow(different_columns(run), 2);
  return bytes;
}

/// The number of matrices: W, the gradient and those of the rule; on the dense engine also the tiles of
/// logits; for `alignment` also the population's gradient and its polar factor.
double state_matrices(const RunSize& run) {
  return 2 + (run.reduction.way == Way::dense) + (run.needs.polar_factor ? 2 : 0) + run.work.matrices;
}

/// Scratch of a polar factor or of singular values, whichever is larger.
double work_matrices(const RunSize& run) {
  if (run.work.polar_factors + run.work.decompositions > 0 || run.needs.polar_factor) return 9;
  return run.needs.singular_values ? 10 : 0;
}

/// Bytes on symmetric matrices; includes interpolation weights of a quadrature.
double square_bytes(const RunSize& run) {
  const double mixing = run.reduction.task_basis || Sides(run.query).identity() ? 0 : 2;
  const double newton = run.query.rule.reads_hessian || run.experiment.loss->of_outputs ? 6 : 0;
  return run.matrix_bytes * (state_matrices(run) + work_matrices(run) + mixing + newton) +
         8 * run.ranks * (1.5 * run.rows + 8);
}

/// Bytes of the factors of a dense W, of their gradients and states, and of UᵀU and VVᵀ.
double factor_bytes(const RunSize& run) {
  if (!run.experiment.is_product() || run.reduction.way != Way::dense) return 0;
  const double inner = inner_dimension(run.experiment, run.query.spectrum);
  return 8 * (run.work.matrices * inner * (run.shape.rows + run.shape.columns) / 2 + 6 * inner * inner);
}

/// Bytes in the coordinates of W, or on symmetric matrices.
double dense_bytes(const RunSize& run) {
  if (!run.products) return square_bytes(run);
  const Symmetries& rule = run.query.symmetries;
  const double queries = run.query.spectrum.classes, answers = run.query.spectrum.answer_count();
  const auto [rows, columns] = run.shape;
  double numbers =
      state_matrices(run) * rows * columns + 3 * rows * queries + rows * answers + columns * queries;
  // Second moment, minimiser, and their products.
  if (run.experiment.loss->of_outputs)
    numbers += 3 * columns * columns + 3 * rows * columns + 2 * rows * queries;
  // Triangular factors besides the embeddings.
  if (rule.answers_rotate && rows >= answers) numbers += answers * answers;
  if (rule.queries_rotate && columns >= queries) numbers += queries * queries;
  numbers += std::max(work_matrices(run) * rows * columns, columns * queries) +
             answers * std::clamp(max_tile / answers, least_tile_columns, tile_columns);
  if (run.query.rule.reads_hessian) numbers += 6 * rows * columns + 2 * (rows * rows + columns * columns);
  const double logits = rule.reads_task ? 3 : run.needs.logit_matrices, kept = run.needs.logits ? 1 : 0;
  return 8 * (numbers + (logits + kept) * answers * queries);
}

}  // namespace

double training_bytes(const RunSize& run) {
  const bool columns = run.reduction.of_columns();
  // The law in several orders: as it is read, by types, and as each column has it.
  return (columns ? 85 : 195) * run.pairs + sample_bytes(run) +
         (columns ? column_bytes(run) : dense_bytes(run) + factor_bytes(run));
}

}  // namespace rarefact
