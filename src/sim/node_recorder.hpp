#pragma once

/// The sink of runs on nodes: totals over all classes, and values at chosen ranks.

#include "sim/node_answers.hpp"
#include "sim/quadrature_run.hpp"
#include "sim/recorder.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// Where a run on nodes is looked at: the classes of the rows, and after them the ends of the law.
struct NodeTargets {
  std::vector<double> ranks;  ///< of blocks
  std::vector<Index> places;  ///< in their block, from 0
  std::size_t rows = 0;

  /// `classes` of the rows, and `ends`, by rank.
  NodeTargets(const std::vector<double>& classes, const std::vector<double>& ends, Index block);
};

/// Cells of the nodes come first, those of a block one after the other. In the columns engine the targets are cells without
/// weight after those; in the symmetric algebra they are interpolated between the nodes, the ends with them: single classes
/// beyond the nodes.
class NodeRecorder : public Recorder {
 public:
  /// Targets with ends are interpolated. `noisy`: there is label noise.
  NodeRecorder(const std::vector<Cell>& cells, const ClassNodes& nodes, const SmoothLaw& law,
               const NodeTargets& targets, bool noisy, NodeRun& run);
  void state(std::size_t record, const Observation& seen) override;
  void cells(const std::string& variable, const std::vector<double>& per_cell) override;
  /// Of a law of answers: what is recorded of them besides.
  void measure_answers(NodeAnswers answers) { answers_ = std::move(answers); }
  void exchange(Archive& archive) override { archive(run_); }
  /// Logits of the nodes' cells, and after them those of the ends. Only where there are some.
  OneStepLogits<double> with_ends(OneStepLogits<double> nodes) const;

 private:
  using Seen = SeenClasses<double>;
  bool interpolates() const { return ends() > 0; }
  Index ends() const { return static_cast<Index>(targets_.ranks.size() - targets_.rows); }
  /// Totals over the nodes, and values of `chosen` from `first` on: the rows, and after them the ends.
  void add(const Seen& seen, const Seen& chosen, std::size_t first);
  double total_of_steps(const std::vector<double>& value, Over over) const;
  /// Errors and log-odds of the rows' answers, and `mean_log` of Σ_l p_l ln p̂(k|l) where that is seen.
  void add_answers(const Observation& seen, const double* error, const double* log_odds,
                   const Vector& mean_log);
  /// The weight of the nodes at a place up to a rank.
  double weight_of_place(Index place, double ranks) const;
  /// At the targets.
  Vector interpolated(const double* per_cell) const;

  const ClassNodes& nodes_;
  const SmoothLaw& law_;
  const NodeTargets& targets_;
  bool noisy_;
  NodeRun& run_;
  CellWeights<double> weights_;       // of the nodes, then of the ends, which stand for no class
  double items_;                      // blocks of all classes
  std::vector<double> place_weight_;  // of all classes at each place
  double total_weight_ = 0;
  Matrix rank_parts_;  // of the nodes' blocks, for every target
  std::optional<NodeAnswers> answers_ = {};
};

}  // namespace rarefact
