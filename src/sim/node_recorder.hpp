#pragma once

/// The recorder of runs on nodes: totals over all classes, and rows between the nodes.

#include "sim/node_answers.hpp"
#include "sim/recorder.hpp"
#include "sim/unit.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// The ranks that a run on nodes records: the classes of the rows, and after them the ends of the law.
struct NodeTargets {
  std::vector<double> ranks;  ///< of blocks
  std::vector<Index> places;  ///< in their block, from 0
  std::size_t rows = 0;

  /// `classes` of the rows, and `ends`, by rank.
  NodeTargets(const std::vector<double>& classes, const std::vector<double>& ends, Index block);
  std::size_t ends() const { return ranks.size() - rows; }
};

/// Cells of the nodes come first, those of a block one after the other. In the columns engine the targets are
/// further cells of weight 0; in the symmetric algebra they are interpolated between the nodes, together with
/// the ends, single classes beyond the nodes.
class NodeRecorder : public Recorder {
 public:
  /// Targets with ends are interpolated.
  NodeRecorder(const std::vector<Cell>& cells, const ClassNodes& nodes, const NodeTargets& targets,
               const LearningProblem& problem, Trajectory& trajectory);
  /// The logits of the nodes' cells, followed by those of the ends, if there are any.
  OneStepLogits<double> with_ends(OneStepLogits<double> nodes) const;

 protected:
  const Observation& shown(const Observation& seen) override;
  const std::vector<double>& shown(const std::vector<double>& per_cell) override;
  std::vector<double> totals_of(const MetricRows& metrics, const Observation& seen,
                                const Observation& shown) override;

 private:
  bool interpolates() const { return targets_.ends() > 0; }
  double total_of_steps(const std::vector<double>& value, Over over) const;
  LawMeasures answers(const Observation& seen, const Observation& shown) const;
  /// The total weight, up to a rank, of the nodes at a place of the block.
  double weight_of_place(Index place, double ranks) const;
  /// The values at the targets.
  std::vector<double> interpolated(const double* per_cell) const;

  const ClassNodes& nodes_;
  const NodeTargets& targets_;
  const SmoothLaw& law_;
  bool noisy_;
  double items_;                      // blocks of all classes
  std::vector<double> place_weight_;  // of all classes at each place
  double total_weight_ = 0;
  Matrix rank_parts_;  // interpolation weights of the nodes' blocks for every target
  std::optional<NodeAnswers> answers_ = {};
  Observation shown_ = {};           // at the targets
  std::vector<double> shown_cells_;  // at the targets
};

}  // namespace rarefact
