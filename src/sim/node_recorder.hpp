#pragma once

/// The recorder of runs on nodes: totals over all classes, and rows interpolated between the nodes.

#include "model/smooth_law.hpp"
#include "sim/recorder.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// The cells of the nodes come first. In the columns engine the classes of the rows are
/// further cells of weight 0; in the symmetric algebra they are interpolated in ln k between the nodes (the
/// log-odds of the right answer, and with label noise the excess loss itself), and so are the ends, single
/// classes beyond the nodes. Means over bands are of nodes, whose panels end at the cuts, or of interpolated classes.
class NodeRecorder : public Recorder {
 public:
  NodeRecorder(const std::vector<Cell>& cells, const QuadratureRule& nodes, bool interpolates,
               const LearningProblem& problem, const LossScale& scale, Trajectory& trajectory);
  bool interpolates() const { return ends_ > 0; }
  /// The logits of the nodes' cells, followed by those of the ends. Precondition: interpolates.
  OneStepLogits<double> with_ends(OneStepLogits<double> nodes) const;

 protected:
  const Observation& shown(const Observation& seen) override;
  const std::vector<double>& shown(const std::vector<double>& per_cell) override;
  std::vector<double> totals_of(const MetricRows& metrics, const Observation& seen,
                                const Observation& shown) override;
  /// All queries of an answer k are identical and have only this answer, so its error is theirs, and
  ///   answer_loss = -((1-α) q_k ln p̂(k|l of k) + α b_k Σ_l p_l ln p̂(k|l)) / ((1-α) q_k + α b_k)
  LawMeasures answers(const Observation& seen, const Observation& shown) const override;
  double top_total(std::size_t i, const Observation& seen, const Observation& shown) const override;

 private:
  /// 1 - Σ_l p_l of the classes whose right logit is above all wrong ones; classes of nodes that tie have the errors
  /// `of_ties`.
  double top1_total(const Observation& seen, const std::vector<double>& of_ties) const;
  double total_of_steps(const std::vector<double>& value, Over over) const;
  /// The values at the classes of the rows, and at the ends.
  std::vector<double> interpolated(const double* per_cell) const;

  const QuadratureRule& nodes_;
  const SmoothLaw& law_;
  bool noisy_;
  double total_weight_;
  std::size_t ends_;
  Matrix rank_parts_;                // interpolation weights of the nodes for each interpolated class
  Observation shown_ = {};           // of the interpolated classes
  std::vector<double> shown_cells_;  // the same of one variable
};

}  // namespace rarefact
