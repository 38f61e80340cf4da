#pragma once

/// The recorder of runs on nodes: totals over all classes, and rows interpolated between the nodes.

#include "model/smooth_law.hpp"
#include "sim/recorder.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// The cells of the nodes come first, block after block. In the columns engine the classes of the rows are
/// further cells of weight 0; in the symmetric algebra they are interpolated in ln k between the nodes (the
/// log-odds of the right answer, and with label noise the excess loss itself), and so are the ends, single
/// classes beyond the nodes.
class NodeRecorder : public Recorder {
 public:
  NodeRecorder(const std::vector<Cell>& cells, const ClassNodes& nodes, bool interpolates,
               const LearningProblem& problem, Trajectory& trajectory);
  bool interpolates() const { return !places_.empty(); }
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

 private:
  double total_of_steps(const std::vector<double>& value, Over over) const;
  /// The total weight up to a rank of the nodes at this place of the block.
  double weight_of_place(Index place, double ranks) const;
  /// The values at the classes of the rows, and at the ends.
  std::vector<double> interpolated(const double* per_cell) const;

  const ClassNodes& nodes_;
  const SmoothLaw& law_;
  bool noisy_;
  double items_;                      // blocks of all classes
  std::vector<double> place_weight_;  // of all classes at each place
  double total_weight_ = 0;
  std::vector<Index> places_;  // places in their block of the interpolated classes
  std::size_t ends_ = 0;
  Matrix rank_parts_;                // interpolation weights of the nodes' blocks for each of them
  Observation shown_ = {};           // of the interpolated classes
  std::vector<double> shown_cells_;  // the same of one variable
};

}  // namespace rarefact
