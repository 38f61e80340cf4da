#pragma once

/// The size of a training, and the bytes and seconds that it takes; parts of cost.hpp.

#include "metrics/probe.hpp"
#include "sim/cost.hpp"

namespace rarefact {

/// Number of recorded steps.
double records_of(const Experiment& experiment);
/// Approximate number of rows of a result.
double row_count(const Experiment& experiment, const Spectrum& spectrum);
/// The work of a step. In a product each factor has a rule of its own, and the factors are multiplied.
RuleWork work_of(const EngineQuery& query);
/// The expected number of distinct classes in n draws. Normal queries contain all classes.
double distinct(const EngineQuery& query, double draws);
/// The pairs of a query type and an answer type that a law stores.
double law_pairs(const AnswerLaw& law);

/// The data of a training that determine its cost.
struct RunSize {
  const EngineQuery& query;
  const Reduction& reduction;
  double rows;  ///< rows of square matrices, columns of column matrices, or √(KN) in the coordinates of W
  const Experiment& experiment = query.experiment;
  bool products = reduction.way == Way::dense && !reduction.task_basis && !Sides(query).identity();
  WeightShape shape = products ? weight_shape(experiment, query.spectrum)
                      : reduction.way == Way::dense
                          ? WeightShape{query.spectrum.answer_count(), query.spectrum.classes}
                          : WeightShape{rows, rows};
  /// Of the singular value problem; without one infinite.
  double side = !reduction.exact() || (reduction.of_columns() && query.answers())
                    ? std::numeric_limits<double>::infinity()
                    : std::min(shape.rows, shape.columns);
  Needs needs = wanted_probes({experiment, side}).needs;
  /// Columns of W and of updates sum to zero, as those of gradients do, so singular values are cheap on columns.
  bool centred = query.symmetries.answers_rotate && !query.symmetries.reads_task;
  double records = records_of(experiment), steps = static_cast<double>(experiment.steps);
  double draws = draws_of(experiment.data_mode, experiment.data_parameters);
  double distinct_draws = experiment.sampled() ? distinct(query, all_draws(experiment)) : 0;
  bool leaps = why_single(query, reduction.way).empty();
  RuleWork work = work_of(query);
  /// Number of ranks that a quadrature records.
  double ranks = reduction.exact() ? 0 : row_count(experiment, query.spectrum);
  /// Number of pairs of a query and an answer that the answer law stores.
  double pairs = query.answers() && query.answers()->components ? law_pairs(*query.answers()) : 0;
  double entries = shape.rows * shape.columns;
  double matrix_bytes = precision_of(experiment).bytes * entries;
  const Precision& precision = precision_of(experiment);
};

/// Groups of columns that differ, in matrices of columns: of samples the sampled classes, and all others.
inline double different_columns(const RunSize& run) {
  return run.experiment.sampled() ? 1 + run.distinct_draws : run.rows;
}

/// Peak bytes of a training, including measurements.
double training_bytes(const RunSize& run);

/// By how many seconds a repetition is longer, which computes every polar factor from scratch.
double afresh_seconds(const RunSize& run);
/// Seconds of all steps, without what is recorded.
double step_seconds(const RunSize& run);
/// Seconds for recording losses and errors: the rows of the result, and the excess losses of noisy answers, of
/// which each logit has its part.
double loss_seconds(const RunSize& run);
/// Seconds for recording singular values of W, of the update and of its matrix, and their logits. However small the
/// matrices are, some twenty measures are stored.
double spectral_seconds(const RunSize& run);
/// Seconds for recording what other probes measure: polar factors from scratch, passes over all logits, noisy queries.
double probe_seconds(const RunSize& run);
/// Seconds before the first training of an optimizer: groups are computed, and embeddings drawn and made
/// triangular, once for all.
double begun_seconds(const RunSize& run);

}  // namespace rarefact
