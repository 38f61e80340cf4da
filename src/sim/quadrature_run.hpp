#pragma once

/// A run on the nodes of a quadrature rule instead of all classes, with its error from a second run on
/// half as many nodes.

#include "core/parallel.hpp"
#include "metrics/metric.hpp"
#include "rarefact/result.hpp"
#include "sim/class_rows.hpp"
#include "sim/engines.hpp"
#include "sim/training_plan.hpp"

namespace rarefact {

/// Where doubling starts: the first certificate compares these with half as many.
inline constexpr std::int64_t first_nodes = 32;
/// Where it ends: a polar factor of more rows costs as much as a dense run of a few thousand classes.
inline constexpr std::int64_t most_doubled_nodes = 512;
/// The same where there are as many nodes of places: of both together a quarter million.
inline constexpr std::int64_t most_doubled_both_ways = 128;

/// What a run on nodes needs to know.
struct QuadratureTask {
  const Experiment& experiment;
  const SmoothLaw& law;
  const OptimizerChoice& choice;
  const Reduction& reduction;  ///< to Engine::quadrature
  TrainingPlan plan;
  LossScale loss = {};
  const Workers& workers;
};

/// The recorded states of a run on nodes: totals over all classes, and values at chosen ranks.
struct NodeRun {
  std::size_t steps = 0;  ///< to be recorded
  Index nodes = 0;        ///< of the rule
  bool exact = false;     ///< every class was a node of its own
  /// A rule of signs or polar factors pushed neighbouring nodes apart in some step.
  bool jumped = false;
  std::vector<double> totals = {};  ///< of the class metrics: records x metrics, row by row
  /// Of every class metric that has one value a class, those at the ranks: records x ranks, row by row.
  std::vector<std::vector<double>> rank_values = {};
  /// Of a law of answers; of the answers of the ranks.
  std::vector<double> answer_error = {}, answer_loss = {}, top1_error = {};
  /// Which of these answers every rank has.
  std::vector<std::size_t> answer_of_rank = {};
  Trajectory ending = {};  ///< status, status_step, status_detail, and what probes found, at the ranks

  std::size_t records() const { return totals.size() / class_metrics().size(); }
  /// What states have brought; the ending is the business of the training.
  void exchange(Archive& archive) {
    archive(jumped, totals, rank_values, answer_error, answer_loss, top1_error);
  }
};

/// Runs on a rule of `nodes` nodes, where the queries of an answer differ on as many of those. Rules that act on each column alone run on the panel rule itself, of
/// nodes/2 nodes a panel (16 for the first 32), and carry the chosen ranks along as classes without weight;
/// the others run on the compressed rule and the chosen queries are interpolated in ln k, and in ln j of the place: the
/// log-odds of the right answer, and with label noise the excess loss itself.
NodeRun run_on_nodes(const QuadratureTask& task, std::int64_t nodes, const std::vector<QueryAt>& queries);

/// A run on nodes with its certificate.
struct CertifiedRun {
  NodeRun run;
  std::int64_t nodes = 0;  ///< as asked of run_on_nodes, to run again for other ranks
  /// The largest relative difference, over the recorded steps, between the run and one on half as many nodes:
  /// of the total error, the loss, and error and loss at the chosen ranks; of their push beside the largest
  /// push of the step. 0 where every class was a node;
  /// infinite where it is above largest_certificate, or one of the two diverged at another step.
  double error = 0;
  bool met(double tolerance) const { return error <= tolerance; }
};

/// The number of nodes is that of the experiment, or doubled from 32 on until the tolerance is met or
/// doubling no longer helps.
CertifiedRun run_certified(const QuadratureTask& task, const std::vector<QueryAt>& queries);

/// Fills in the measured series. The queries of the run must have been rows.queries(). `row_least`: L_l* of every row; empty
/// where it is L* of all.
void write_rows(const NodeRun& run, const ClassRows& rows, const LossScale& scale,
                const std::vector<double>& row_least, Trajectory& trajectory);
/// Those of a law of answers, after write_rows. Answers of no row are left NaN.
void write_answers(const NodeRun& run, const AnswerGroups& groups, Trajectory& trajectory);

}  // namespace rarefact
